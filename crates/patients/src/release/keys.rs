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

/// How many keys are made at a time.
const AT_A_TIME: usize = 1 << 13;

/// In how many parts HMACs are put into their order: memory follows one of them.
const PARTS: u64 = 16;

fn ranked(
    rows: usize,
    stays: &[u32],
    space: &str,
    key: &SecretKey,
    text: &(dyn Fn(u32) -> String + Sync),
) -> Vec<u32> {
    let mac = |text: &String| key.mac(&format!("{space}\0{text}"));
    // The beginning of the HMAC decides nearly always; where it does not, the whole is made again.
    let mut begun: Vec<u64> = Vec::with_capacity(stays.len());
    for stays in stays.chunks(AT_A_TIME) {
        // Keys in a file are read one after the other.
        let texts: Vec<String> = stays.iter().map(|&row| text(row)).collect();
        begun.par_extend(texts.par_iter().map(|text| beginning(&mac(text))));
    }
    let mut numbers = vec![NONE; rows];
    let mut next = 1;
    for part in 0..PARTS {
        let is_in = |beginning: u64| beginning >> 60 == part;
        let of_part = begun.iter().zip(stays).filter(|(begun, _)| is_in(**begun));
        let mut order: Vec<(u64, u32)> = of_part.map(|(begun, row)| (*begun, *row)).collect();
        let whole = |row: u32| mac(&text(row));
        order.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| (whole(a.1), a.1).cmp(&(whole(b.1), b.1)))
        });
        order.iter().zip(next..).for_each(|((_, row), number)| numbers[*row as usize] = number);
        next += order.len() as u32;
    }
    numbers
}
