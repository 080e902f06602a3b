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

fn ranked(
    rows: usize,
    stays: &[u32],
    space: &str,
    key: &SecretKey,
    text: &(dyn Fn(u32) -> String + Sync),
) -> Vec<u32> {
    let mac = |&row: &u32| (key.mac(&format!("{space}\0{}", text(row))), row);
    let mut order: Vec<([u8; 32], u32)> = stays.par_iter().map(mac).collect();
    order.par_sort_unstable();
    let mut numbers = vec![NONE; rows];
    order.iter().zip(1..).for_each(|((_, row), number)| numbers[*row as usize] = number);
    numbers
}
