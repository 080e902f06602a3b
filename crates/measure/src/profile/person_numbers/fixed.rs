//! What does not change of a person.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use velamen_core::written::number;

use super::{Codes, Column, Trait, YEARS};

/// What does not change of a person, by entry: text as a number of its own, ages as they are.
pub(super) struct Fixed<'a> {
    pub(super) kind: Trait,
    /// By how much ages may differ.
    pub(super) years: f64,
    /// By the value's place; `None` where it is missing.
    pub(super) of_value: Vec<Option<f64>>,
    pub(super) codes: Codes<'a>,
}

impl<'a> Fixed<'a> {
    pub(super) fn of(column: &'a Column<'_>, kind: Trait) -> Self {
        let value = |(place, text): (usize, &&str)| match kind {
            _ if text.is_empty() => None,
            Trait::Age => number::parse(text).map(|number| number.value),
            Trait::Constant => Some(place as f64),
        };
        let of_value = column.values.iter().enumerate().map(value).collect();
        Self { kind, years: YEARS, of_value, codes: column.codes.lent() }
    }

    pub(super) fn of_entry(&self, entry: usize) -> Option<f64> {
        self.of_value[self.codes.at(entry) as usize]
    }

    pub(super) fn agree(&self, one: usize, other: usize) -> Option<bool> {
        let (one, other) = (self.of_entry(one)?, self.of_entry(other)?);
        Some(match self.kind {
            Trait::Constant => (one - other).abs() < 0.5,
            Trait::Age => (one - other).abs() <= self.years,
        })
    }

    /// The values that are known, with how many of the counted things have each.
    pub(super) fn known(&self, counts: impl Iterator<Item = u64>) -> impl Iterator<Item = (f64, u64)> {
        let mut counted = vec![0; self.of_value.len()];
        self.codes.iter().zip(counts).for_each(|(code, count)| counted[code as usize] += count);
        let known = self.of_value.iter().zip(counted).filter_map(|(value, count)| Some(((*value)?, count)));
        known.filter(|(_, count)| *count > 0)
    }

    /// How many values occur, ages by the year.
    pub(super) fn distinct(&self) -> usize {
        let values = self.known(std::iter::repeat(1)).map(|(value, _)| value as i64);
        values.collect::<BTreeSet<i64>>().len()
    }

    /// The probability that two records agree by chance.
    pub(super) fn by_chance(&self, counts: &[u64]) -> f64 {
        let mut records: FxHashMap<u64, u64> = FxHashMap::default();
        let known = self.known(counts.iter().copied());
        known.for_each(|(value, count)| *records.entry(value.to_bits()).or_default() += count);
        let mut sorted: Vec<(f64, u64)> =
            records.into_iter().map(|(value, count)| (f64::from_bits(value), count)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: u64 = sorted.iter().map(|(_, count)| count).sum();
        let width = if self.kind == Trait::Age { self.years } else { 0.5 };
        let (mut first, mut end, mut within, mut agreeing) = (0, 0, 0_u64, 0.0);
        for &(value, count) in &sorted {
            while end < sorted.len() && sorted[end].0 <= value + width {
                within += sorted[end].1;
                end += 1;
            }
            while sorted[first].0 < value - width {
                within -= sorted[first].1;
                first += 1;
            }
            agreeing += count as f64 * within as f64;
        }
        if all == 0 { 1.0 } else { agreeing / (all as f64 * all as f64) }
    }
}
