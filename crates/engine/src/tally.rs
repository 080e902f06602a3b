//! What workers note of records whose combinations are estimated and not counted.

use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;

use crate::dictionary::{ColumnRequest, Dictionary};
use crate::sketch::{Sketch, mix};

/// What one worker saw.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) records: u64,
    pub(crate) combinations: Sketch,
    pub(crate) quasi_identifiers: Sketch,
    pub(crate) rest: Sketch,
    pub(crate) columns: Vec<ColumnTally>,
    /// Per row of the batch at hand, the sum of its values' hashes: those of all columns, then those of the
    /// quasi-identifiers.
    sums: [Vec<u64>; 2],
}

#[derive(Debug)]
pub(crate) struct ColumnTally {
    quasi_identifier: bool,
    /// Hash of the value of each code, and the length of the longest that it may be released as.
    known: Vec<(u64, u32)>,
    pub(crate) bytes: u64,
    pub(crate) others: Sketch,
}

impl Tally {
    pub(crate) fn new(columns: &[ColumnRequest]) -> Self {
        let column = |column: &ColumnRequest| ColumnTally {
            quasi_identifier: column.role == Role::QuasiIdentifier,
            known: Vec::new(),
            bytes: 0,
            others: Sketch::new(),
        };
        Self {
            records: 0,
            combinations: Sketch::new(),
            quasi_identifiers: Sketch::new(),
            rest: Sketch::new(),
            columns: columns.iter().map(column).collect(),
            sums: [Vec::new(), Vec::new()],
        }
    }

    /// Notes the rows of a batch.
    pub(crate) fn add(&mut self, dictionaries: &[Dictionary], codes: &[Vec<u32>], rows: usize) {
        self.records += rows as u64;
        let [all, qis] = &mut self.sums;
        all.clear();
        all.resize(rows, 0);
        qis.clone_from(all);
        for (place, ((column, dictionary), codes)) in
            (1..).zip(self.columns.iter_mut().zip(dictionaries).zip(codes))
        {
            column.learn(place, dictionary);
            for (row, &code) in codes.iter().enumerate() {
                let (hash, length) = column.known[code as usize];
                all[row] = all[row].wrapping_add(hash);
                column.bytes += u64::from(length);
                if column.quasi_identifier {
                    qis[row] = qis[row].wrapping_add(hash);
                }
            }
        }
        all.iter().for_each(|&sum| self.combinations.add(mix(sum)));
        qis.iter().for_each(|&sum| self.quasi_identifiers.add(mix(sum)));
        all.iter().zip(&*qis).for_each(|(all, qis)| self.rest.add(mix(all.wrapping_sub(*qis))));
        for (column, codes) in self.columns.iter_mut().zip(codes) {
            for (sum, &code) in all.iter().zip(codes) {
                column.others.add(mix(sum.wrapping_sub(column.known[code as usize].0)));
            }
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.records += other.records;
        self.combinations.merge(&other.combinations);
        self.quasi_identifiers.merge(&other.quasi_identifiers);
        self.rest.merge(&other.rest);
        for (own, other) in self.columns.iter_mut().zip(&other.columns) {
            own.bytes += other.bytes;
            own.others.merge(&other.others);
        }
    }
}

impl ColumnTally {
    /// Hashes the values that are new in a dictionary. The hash of a value depends on its column, so that
    /// equal values in two columns are told from each other.
    fn learn(&mut self, place: u64, dictionary: &Dictionary) {
        let new = (self.known.len()..dictionary.len()).map(|code| dictionary.value(code as u32));
        let rule = self.quasi_identifier.then(|| dictionary.rule());
        self.known.extend(new.map(|value| (mix(hash_of(value) ^ mix(place)), longest(value, rule) as u32)));
    }
}

/// The length of the value, or of its longest label if it may be generalized.
fn longest(value: &str, rule: Option<&Rule>) -> usize {
    let labels = rule.into_iter().flat_map(|rule| (1..=rule.top()).map(|level| rule.label_at(value, level)));
    labels.map(|label| written(&label)).fold(written(value), usize::max)
}

/// The length of a text with the quotes that delimited text needs around some.
fn written(text: &str) -> usize {
    text.len() + if text.contains([',', '"', '\n']) { 2 } else { 0 }
}

pub(crate) fn hash_of(value: &str) -> u64 {
    mix(FxBuildHasher.hash_one(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::hierarchy::Definition;

    #[test]
    fn the_longest_label_counts_with_its_quotes() {
        let rows =
            [["7", "[5, 10[", "*"], ["12345678", "[10, 15[", "*"]].map(|row| row.map(str::to_owned).to_vec());
        let rule = Rule::try_from(&Definition::Table { rows: rows.to_vec() }).unwrap();
        let rule = Some(&rule);
        assert_eq!([longest("7", rule), longest("12345678", rule)], [9, 10]);
        assert_eq!([longest("7", None), longest("1,5", None), longest("", Some(&Rule::Flat))], [1, 5, 1]);
    }
}
