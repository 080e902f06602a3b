//! Where a label can stand in a hierarchy whose levels follow from the form of a value, from the definition alone: one
//! file a kind, found by the kind's name in [`KIND_CHECKS`].
//!
//! Written from the standards, not from the rules that generalize: only the tables of ICD-10's blocks and
//! lettered categories, facts of the classification, are read by both.

mod atc;
mod date;
mod icd10;
mod prefix;
mod uk_postcode;
mod us_zip;

use std::fmt::Debug;

use serde_json::{Map, Value};
use velamen_core::hierarchy::Definition;
use velamen_core::registry::{Named, Registry};

/// A level and the leaves that a label covers there.
pub type Place = (usize, f64);

/// What labels of a definition say.
pub trait Labels: Debug + Send + Sync {
    /// The levels a label can stand at, ascending, `*` left out; none for a foreign label.
    fn places(&self, label: &str) -> Vec<Place>;
    /// The leaves of the domain.
    fn leaves(&self) -> f64;
    /// The number of the level of `*`.
    fn top(&self) -> usize;
    /// The first and the last leaf under a label, counted from any leaf on, `*` included; `None` where the leaves have no order
    /// that every value keeps, or for a foreign label.
    fn span(&self, _label: &str) -> Option<(f64, f64)> {
        None
    }
}

/// From the fields of a definition, as the manifest has them, to what its labels say; `None` if the fields do not read.
pub type Read = fn(&Map<String, Value>) -> Option<Box<dyn Labels>>;

/// How labels of one kind are read.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The kind's name.
    pub name: &'static str,
    /// Reads them.
    pub read: Read,
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// Every check, by the kind's name. Of a kind that has none here no label but `*` is allowed.
pub static KIND_CHECKS: Registry<Entry> =
    Registry::new(&[icd10::ENTRY, atc::ENTRY, us_zip::ENTRY, uk_postcode::ENTRY, prefix::ENTRY, date::ENTRY]);

/// What labels of a definition say; `None` for one of no kind, or of one that nobody checks.
pub(super) fn labels(definition: &Definition) -> Option<Box<dyn Labels>> {
    let Definition::Kind(of) = definition else { return None };
    (KIND_CHECKS.find(of.name())?.read)(of.fields())
}

/// A whole number among the fields.
fn whole(fields: &Map<String, Value>, key: &str) -> Option<usize> {
    fields.get(key)?.as_u64()?.try_into().ok()
}

/// Whether a field is there and true.
fn is_set(fields: &Map<String, Value>, key: &str) -> bool {
    fields.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Lengths among the fields.
fn lengths(fields: &Map<String, Value>, key: &str) -> Option<Vec<usize>> {
    let all = fields.get(key)?.as_array()?.iter();
    all.map(|length| length.as_u64()?.try_into().ok()).collect()
}

/// Texts among the fields.
fn texts(fields: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
    fields.get(key)?.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Codes that can end at some lengths, with so many characters at each place.
#[derive(Debug)]
struct Code {
    ends: Vec<usize>,
    alphabet: fn(usize) -> f64,
}

impl Code {
    fn under(&self, length: usize) -> f64 {
        let of_end = |&end: &usize| (length..end).map(self.alphabet).product::<f64>();
        self.ends.iter().filter(|end| **end >= length).map(of_end).sum()
    }

    /// Levels cut to the lengths, from that of the whole code down; what is shorter stays.
    fn places(&self, length: usize, lengths: &[usize]) -> Vec<Place> {
        let cuts = lengths.iter().enumerate();
        cuts.filter_map(|(level, &cut)| self.place(length, level, cut)).collect()
    }

    fn place(&self, length: usize, level: usize, cut: usize) -> Option<Place> {
        let whole = self.ends.contains(&length) && (length < cut || level == 0);
        let leaves = if whole { 1. } else { self.under(length) };
        (whole || length == cut).then_some((level, leaves))
    }
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::KINDS;

    use super::*;

    /// The places of a label in a definition, for the tests of each kind.
    pub(super) fn of(json: &str, label: &str) -> Vec<Place> {
        labels(&serde_json::from_str(json).unwrap()).unwrap().places(label)
    }

    /// The leaves of a definition and the level of `*`, for the tests of each kind.
    pub(super) fn extent(json: &str) -> (f64, usize) {
        let labels = labels(&serde_json::from_str(json).unwrap()).unwrap();
        (labels.leaves(), labels.top())
    }

    #[test]
    fn every_kind_has_a_check_and_every_check_a_kind() {
        let kinds: Vec<&str> = KINDS.names().collect();
        let checks: Vec<&str> = KIND_CHECKS.names().collect();
        assert_eq!(checks, kinds, "KIND_CHECKS has the names of KINDS, in their order");
    }

    #[test]
    fn other_hierarchies_are_of_no_kind() {
        assert!(labels(&Definition::Flat { domain: 3 }).is_none());
    }
}
