//! New keys: 1 to n in the order of HMAC-SHA-256(key, table and original), which nobody can follow without the key.

use rayon::prelude::*;
use velamen_job::SecretKey;

use super::Making;
use crate::loaded::NONE;

impl Making<'_> {
    /// The new key of each row of a table that stays.
    pub(super) fn numbers(&self, table: usize) -> Vec<u32> {
        let rows = &self.tables[table];
        let stays: Vec<u32> = match self.plan.tables[table].is_made_anew {
            true => Vec::new(),
            false => self.kept.of(table).map(|row| row as u32).collect(),
        };
        let text =
            |row: u32| rows.keys.as_ref().map_or_else(|| row.to_string(), |keys| keys.text(row as usize));
        ranked(rows.number, &stays, &self.plan.tables[table].name, self.key, &text)
    }

    /// The new keys of periods, one for each of these persons.
    pub(super) fn of_periods(&self, persons: &[u32]) -> Vec<u32> {
        let rows = &self.tables[0];
        let text = |person: u32| {
            rows.keys.as_ref().map_or_else(|| person.to_string(), |keys| keys.text(person as usize))
        };
        ranked(rows.number, persons, "periods", self.key, &text)
    }
}

/// The first eight bytes of an HMAC as a number that is in their order.
fn beginning(mac: &[u8; 32]) -> u64 {
    mac.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}

fn ranked(
    rows: usize,
    stays: &[u32],
    space: &str,
    key: &SecretKey,
    text: &(dyn Fn(u32) -> String + Sync),
) -> Vec<u32> {
    let mac = |row: u32| key.mac(&format!("{space}\0{}", text(row)));
    // The beginning of the HMAC decides nearly always; where it does not, the whole is made again.
    let begun = |&row: &u32| (beginning(&mac(row)), row);
    let mut order: Vec<(u64, u32)> = stays.par_iter().map(begun).collect();
    order.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| (mac(a.1), a.1).cmp(&(mac(b.1), b.1))));
    let mut numbers = vec![NONE; rows];
    order.iter().zip(1..).for_each(|((_, row), number)| numbers[*row as usize] = number);
    numbers
}
