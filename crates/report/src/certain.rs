//! Groups that tell a sensitive value of everybody in them.
//!
//! # Definition
//! A value is certain in a group if all of its records have it; spellings that differ in case or outer blanks alone are one. Else a
//! parent is, if the hierarchy gives one label other than `*` to all values at level 1. Else a range is, if all values are
//! numbers within a twentieth of the column's range, which is that from its 5th to its 95th percentile. In a group with a
//! missing value nothing is.
//!
//! # Complexity
//! O(values · log values + cells).

use std::collections::BTreeMap;

use velamen_core::hierarchy::{NULL, Rule, TOP};

/// The share of a column's range within which numbers say the same.
const NEAR: f64 = 0.05;

/// The records of one group by the code of a column's value.
pub type Group = BTreeMap<u32, u64>;

/// What is certain of everybody in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The value.
    Value,
    /// Its parent in the hierarchy.
    Parent,
    /// A narrow range of numbers.
    Near,
}

/// How many people are in groups that tell their value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Certain {
    /// One value.
    pub value: u64,
    /// Values with one parent.
    pub parent: u64,
    /// Numbers that lie close together.
    pub near: u64,
}

impl Certain {
    /// Counts people, or records, by what is certain of each group. `count` counts those who are in one of some groups: a person
    /// can have records in several.
    #[must_use]
    pub fn of(kinds: &[Option<Kind>], count: impl Fn(&[usize]) -> u64) -> Self {
        let of = |kind: Kind| {
            let groups: Vec<usize> = (0..kinds.len()).filter(|&group| kinds[group] == Some(kind)).collect();
            count(&groups)
        };
        Self { value: of(Kind::Value), parent: of(Kind::Parent), near: of(Kind::Near) }
    }
}

/// What is certain of each group of a column.
#[must_use]
pub fn kinds(values: &[String], hierarchy: Option<&Rule>, groups: &[Group]) -> Vec<Option<Kind>> {
    let column = Column::new(values, hierarchy, groups);
    let kind = |group: &Group| {
        let codes: Vec<usize> = group.keys().map(|&code| code as usize).collect();
        column.kind(&codes).filter(|_| codes.iter().all(|&code| values[code] != NULL))
    };
    groups.iter().map(kind).collect()
}

/// What of a column's values decides.
struct Column {
    spelled: Vec<String>,
    /// None where a value has no parent but `*`.
    parents: Vec<Option<String>>,
    /// None where some value is no number.
    numbers: Option<Vec<f64>>,
    range: f64,
}

impl Column {
    fn new(values: &[String], hierarchy: Option<&Rule>, groups: &[Group]) -> Self {
        let parent = |value: &String| {
            let label = hierarchy?.label_at(value, 1);
            (label != TOP && label != NULL).then_some(label)
        };
        let numbers: Option<Vec<f64>> = values.iter().map(|value| number(value)).collect();
        let range = numbers.as_ref().map_or(0.0, |numbers| range(numbers, groups));
        Self {
            spelled: values.iter().map(|value| spelled(value)).collect(),
            parents: values.iter().map(parent).collect(),
            numbers,
            range,
        }
    }

    /// What is certain of a group with these values.
    fn kind(&self, codes: &[usize]) -> Option<Kind> {
        if is_one(codes.iter().map(|&code| Some(&self.spelled[code]))) {
            return Some(Kind::Value);
        }
        if is_one(codes.iter().map(|&code| self.parents[code].as_ref())) {
            return Some(Kind::Parent);
        }
        (!codes.is_empty() && self.is_near(codes)).then_some(Kind::Near)
    }

    fn is_near(&self, codes: &[usize]) -> bool {
        let Some(numbers) = self.numbers.as_ref().filter(|_| self.range > 0.0) else { return false };
        let of = || codes.iter().map(|&code| numbers[code]);
        let (least, most) = (of().fold(f64::INFINITY, f64::min), of().fold(f64::NEG_INFINITY, f64::max));
        most - least <= NEAR * self.range
    }
}

/// A missing value is no number, which is known; of a text it is not.
fn number(value: &str) -> Option<f64> {
    match value {
        NULL => Some(f64::NAN),
        text => text.trim().parse::<f64>().ok().filter(|number| number.is_finite()),
    }
}

/// From the 5th to the 95th percentile of the records with a number.
fn range(numbers: &[f64], groups: &[Group]) -> f64 {
    let cells = groups.iter().flatten();
    let mut cells: Vec<(f64, u64)> = cells.map(|(&code, &count)| (numbers[code as usize], count)).collect();
    cells.retain(|(number, _)| !number.is_nan());
    cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    percentile(&cells, 1.0 - NEAR) - percentile(&cells, NEAR)
}

/// The number below which that share of the records lies; `cells` are numbers, ascending, with their records.
fn percentile(cells: &[(f64, u64)], share: f64) -> f64 {
    let all: u64 = cells.iter().map(|(_, count)| count).sum();
    let rank = (share * all as f64).ceil().max(1.0) as u64;
    let mut seen = 0;
    let found = cells.iter().find(|(_, count)| {
        seen += count;
        seen >= rank
    });
    found.map_or(0.0, |(number, _)| *number)
}

/// A value without what spellings of one value differ in.
pub(crate) fn spelled(value: &str) -> String {
    value.trim().to_lowercase()
}

/// Whether all are there and the same.
fn is_one<T: PartialEq>(mut of: impl Iterator<Item = Option<T>>) -> bool {
    of.next().flatten().is_some_and(|first| of.all(|other| other.as_ref() == Some(&first)))
}

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::Definition;

    use super::*;

    fn groups(of: &[&[u32]]) -> Vec<Group> {
        of.iter().map(|codes| codes.iter().map(|&code| (code, 1)).collect()).collect()
    }

    fn certain(values: &[String], hierarchy: Option<&Rule>, groups: &[Group]) -> Certain {
        let count = |of: &[usize]| of.iter().flat_map(|&group| groups[group].values()).sum();
        Certain::of(&kinds(values, hierarchy, groups), count)
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn one_value_is_told_in_any_spelling_and_a_missing_one_never() {
        let values = texts(&["", "F32", "f32 ", "I63"]);
        let found = certain(&values, None, &groups(&[&[1, 2], &[3], &[0], &[0, 1], &[1, 3]]));
        assert_eq!(found, Certain { value: 3, ..Certain::default() });
    }

    #[test]
    fn one_parent_is_told_and_the_top_is_none() {
        let rows =
            [["F32", "F", "*"], ["F33", "F", "*"], ["B20", "B", "*"], ["Z00", "*", "*"], ["Z01", "*", "*"]];
        let rows = rows.map(|row| texts(&row)).to_vec();
        let rule = Rule::try_from(&Definition::Table { rows }).unwrap();
        let values = texts(&["F32", "F33", "B20", "Z00", "Z01"]);
        let found = certain(&values, Some(&rule), &groups(&[&[0, 1], &[0, 2], &[3, 4]]));
        assert_eq!(found, Certain { parent: 2, ..Certain::default() });
        assert_eq!(certain(&values, None, &groups(&[&[0, 1]])), Certain::default());
    }

    /// Of 0, 1, …, 99 the range is 90; an outlier changes nothing.
    #[test]
    fn numbers_are_near_within_a_twentieth_of_the_range_of_most() {
        let mut values: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        values.push("1000000".into());
        let all: Vec<u32> = (0..=100).collect();
        let found = |of: &[u32]| certain(&values, None, &groups(&[&all, of])).near;
        assert_eq!([found(&[10, 14]), found(&[10, 12, 15])], [2, 0]);
        let words = texts(&["10", "11", "x"]);
        assert_eq!(certain(&words, None, &groups(&[&[0, 1], &[2]])).near, 0);
    }
}
