//! Rows of one person that stand together in a table that does not number persons.
//!
//! # Definition
//! A pair is two neighbouring records that agree in all quasi-identifiers but those that the table is sorted by. In an order
//! that says nothing of persons, a group of n records in which c have the same values has c (c − 1) / n such pairs on average.
//! Runs are reported where there are at least twice as many pairs as that, at least one for 20 records, and so many only with a
//! probability below 10⁻⁶ (Chernoff's bound of the Poisson distribution: A ln (A / E) − A + E ≥ 13.8).
//!
//! # Complexity
//! Time O(records · columns · log records), memory O(records).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use velamen_core::written::number;

/// −ln of the probability by which an order that says nothing of persons is taken for one that does: 10⁻⁶.
const UNLIKELY: f64 = 13.8;

/// Where a sorted column has fewer records a value, the others do not follow from it.
const GROUP: usize = 20;

/// Fewer records say nothing.
const ENOUGH: usize = 50;

/// A column in the order of the records.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// Its different values.
    pub values: &'a [String],
    /// Per record the place of its value.
    pub codes: &'a [u32],
    /// Whether it is a quasi-identifier: the others only tell what the table is sorted by.
    pub is_quasi_identifier: bool,
}

/// Neighbours that agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    /// Pairs of neighbours that agree.
    pub pairs: u64,
    /// As many as an order that says nothing of persons has on average.
    pub expected: f64,
}

/// The runs of a table, where there are more than chance makes.
#[must_use]
pub fn runs(columns: &[Column<'_>]) -> Option<Runs> {
    let records = columns.first().map_or(0, |column| column.codes.len());
    if records < ENOUGH {
        return None;
    }
    let (groups, sorted) = sorted_by(columns, records);
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); records];
    for (column, sorted) in columns.iter().zip(sorted) {
        if column.is_quasi_identifier && !sorted {
            rows.iter_mut().zip(column.codes).for_each(|(row, &code)| row.push(code));
        }
    }
    if rows.first().is_none_or(Vec::is_empty) {
        return None;
    }
    let pairs = (1..records).filter(|&at| groups[at] == groups[at - 1] && rows[at] == rows[at - 1]).count();
    let found = Runs { pairs: pairs as u64, expected: expected(&groups, &rows) };
    found.is_more_than_chance(records).then_some(found)
}

impl Runs {
    fn is_more_than_chance(&self, records: usize) -> bool {
        let (pairs, expected) = (self.pairs as f64, self.expected.max(1e-9));
        let bound = pairs * (pairs / expected).ln() - pairs + expected;
        pairs >= 2.0 * expected && 20.0 * pairs >= records as f64 && bound >= UNLIKELY
    }
}

/// The pairs of an order that says nothing of persons, group by group.
fn expected(groups: &[u32], rows: &[Vec<u32>]) -> f64 {
    let mut sizes: BTreeMap<u32, f64> = BTreeMap::new();
    let mut counts: BTreeMap<(u32, &[u32]), f64> = BTreeMap::new();
    for (&group, row) in groups.iter().zip(rows) {
        *sizes.entry(group).or_default() += 1.0;
        *counts.entry((group, row)).or_default() += 1.0;
    }
    counts.iter().map(|((group, _), count)| count * (count - 1.0) / sizes[group]).sum()
}

/// Per record the group of equal values of what the table is sorted by, and which columns that is: first one that is in order
/// throughout, then those that are in order within equal values of the ones before.
fn sorted_by(columns: &[Column<'_>], records: usize) -> (Vec<u32>, Vec<bool>) {
    let ranks: Vec<Vec<u32>> = columns.iter().map(ranks).collect();
    let (mut groups, mut fine, mut sorted) = (vec![0; records], vec![0; records], vec![false; columns.len()]);
    while let Some(next) = (0..columns.len()).find(|&c| !sorted[c] && is_in_order(&ranks[c], &fine)) {
        sorted[next] = true;
        fine = parted(&fine, &ranks[next]);
        if fine.last().is_some_and(|last| records >= GROUP * (*last as usize + 1)) {
            groups.clone_from(&fine);
        }
    }
    (groups, sorted)
}

/// Per record the place of its value in the order of numbers, or of texts.
fn ranks(column: &Column<'_>) -> Vec<u32> {
    let numbers: Vec<Option<f64>> =
        column.values.iter().map(|value| number::parse(value).map(|number| number.value)).collect();
    let mut order: Vec<usize> = (0..column.values.len()).collect();
    order.sort_by(|&a, &b| match (numbers[a], numbers[b]) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => column.values[a].cmp(&column.values[b]),
    });
    let mut rank = vec![0; order.len()];
    for (place, value) in (0..).zip(order) {
        rank[value] = place;
    }
    column.codes.iter().map(|&code| rank[code as usize]).collect()
}

/// Whether a column only rises, or only falls, within each group, and has several values.
fn is_in_order(ranks: &[u32], groups: &[u32]) -> bool {
    let steps = || {
        let neighbours = groups.windows(2).zip(ranks.windows(2));
        neighbours.filter(|(groups, _)| groups[0] == groups[1]).map(|(_, ranks)| ranks[0].cmp(&ranks[1]))
    };
    let (rises, falls) = (steps().any(Ordering::is_lt), steps().any(Ordering::is_gt));
    rises != falls
}

/// Groups, parted where neighbours differ in a column.
fn parted(groups: &[u32], ranks: &[u32]) -> Vec<u32> {
    let begins = |at: usize| at > 0 && (groups[at] != groups[at - 1] || ranks[at] != ranks[at - 1]);
    let mut number = 0;
    let next = |at: usize| {
        number += u32::from(begins(at));
        number
    };
    (0..groups.len()).map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of our own.
    fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// The runs of rows of year, sex and area.
    fn of(rows: &[[u64; 3]]) -> Option<Runs> {
        let values: Vec<String> = (0..2000).map(|value| value.to_string()).collect();
        let codes: Vec<Vec<u32>> = (0..3).map(|c| rows.iter().map(|row| row[c] as u32).collect()).collect();
        let column = |codes| Column { values: &values, codes, is_quasi_identifier: true };
        runs(&codes.iter().map(|codes| column(codes)).collect::<Vec<_>>())
    }

    fn people(number: usize, visits: usize) -> Vec<[u64; 3]> {
        let mut draw = draws(number as u64);
        let one = |_| [1900 + draw(80), draw(2), draw(40)];
        let people: Vec<[u64; 3]> = (0..number).map(one).collect();
        people.into_iter().flat_map(|person| vec![person; visits]).collect()
    }

    #[test]
    fn visits_that_stand_together_are_seen() {
        assert_eq!(of(&people(300, 8)).map(|runs| runs.pairs >= 2100), Some(true));
        assert!(of(&people(400, 2)).is_some());
    }

    #[test]
    fn tables_of_one_record_a_person_are_not() {
        for seed in 1..200 {
            assert_eq!(of(&people(1000 + seed, 1)), None, "{seed}");
        }
    }

    #[test]
    fn sorted_tables_are_not() {
        let mut rows = people(3000, 1);
        rows.sort_unstable();
        assert_eq!(of(&rows), None);
        rows.sort_by_key(|row| (row[2], row[1]));
        assert_eq!(of(&rows), None);
        let mut draw = draws(7);
        let few: Vec<[u64; 3]> = (0..3000).map(|_| [1900 + draw(3), draw(2), draw(2)]).collect();
        assert_eq!(of(&few), None);
    }

    #[test]
    fn visits_sorted_by_sex_are_seen() {
        let mut rows = people(300, 8);
        rows.sort_by_key(|row| row[1]);
        assert!(of(&rows).is_some());
    }
}
