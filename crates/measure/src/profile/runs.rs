//! Rows of one person that stand together in a table that does not number persons.
//!
//! # Definition
//! A pair is two neighbouring records that agree in all quasi-identifiers but those that the table is sorted by. In an order
//! that says nothing of persons, a group of n records in which c have the same values has c (c − 1) / n such pairs on average.
//! Runs are reported where there are at least twice as many pairs as that, at least one for 20 records, and so many only with a
//! probability below 10⁻⁶ (Chernoff's bound of the Poisson distribution: A ln (A / E) − A + E ≥ 13.8).
//!
//! # Complexity
//! Time O(records · columns), and the sorting of each column's values; memory O(records).

use std::cmp::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_core::written::dates::Day;
use velamen_core::written::number;

use super::Cells;
use super::births::format_of;
use super::chance::is_more_than_chance;

/// Where a sorted column has fewer records a value, the others do not follow from it.
const GROUP: usize = 20;

/// Fewer records say nothing.
const ENOUGH: usize = 50;

/// The share of the pairs of one column that agree in the others, too.
const SAME: f64 = 0.8;

/// Longer runs on average are blocks of many people.
const LONGEST: u64 = 10;

/// Changes in order for each that is not.
const SLIPS: usize = 20;

/// Pairs of neighbours for each change that is not in order.
const OF_PAIRS: usize = 100;

/// A column in the order of the records.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// Its different values.
    pub values: &'a [String],
    /// Per record the place of its value.
    pub codes: &'a [u32],
}

/// A table's records in their order, and what they are sorted by.
#[derive(Debug)]
pub struct InOrder<'a> {
    columns: Vec<&'a [u32]>,
    /// Per record the group of equal values of what the table is sorted by.
    groups: Vec<u32>,
    /// Whether the table is sorted by a column.
    sorted: Vec<bool>,
}

/// Neighbours that agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Runs {
    /// Pairs of neighbours that agree.
    pub pairs: u64,
    /// As many as an order that says nothing of persons has on average.
    pub expected: f64,
}

impl<'a> InOrder<'a> {
    /// The order of these columns; `None` where so few records say nothing.
    #[must_use]
    pub fn of(columns: &[Column<'a>]) -> Option<Self> {
        let records = columns.first().map_or(0, |column| column.codes.len());
        if records < ENOUGH {
            return None;
        }
        let (groups, sorted) = sorted_by(columns, records);
        Some(Self { columns: columns.iter().map(|column| column.codes).collect(), groups, sorted })
    }

    /// The runs of the quasi-identifiers, where there are more than chance makes. The other columns only tell what the table is sorted by.
    #[must_use]
    pub fn runs(&self, is_quasi_identifier: &[bool]) -> Option<Runs> {
        self.runs_of(&self.unsorted(is_quasi_identifier))
    }

    /// The runs of those quasi-identifiers in which neighbours agree more often than by chance, where two or more do so in nearly the same
    /// pairs, as what does not change of a person does; and how many these are. What long blocks share, such as a hospital, is none.
    #[must_use]
    pub fn runs_of_some(&self, is_quasi_identifier: &[bool]) -> Option<(Runs, usize)> {
        let records = self.groups.len() as u64;
        let unsorted = self.unsorted(is_quasi_identifier);
        let alone = unsorted.par_iter().filter_map(|codes| Some((*codes, self.runs_of(&[codes])?.pairs)));
        let (sticky, pairs): (Vec<&[u32]>, Vec<u64>) = alone.unzip();
        let fewest = *pairs.iter().min()?;
        let found = self.runs_of(&sticky)?;
        let same = found.pairs as f64 >= SAME * fewest as f64;
        let short = records <= LONGEST * (records - found.pairs);
        (sticky.len() > 1 && same && short).then_some((found, sticky.len()))
    }

    fn unsorted(&self, is_quasi_identifier: &[bool]) -> Vec<&'a [u32]> {
        let judged = is_quasi_identifier.iter().zip(&self.sorted).map(|(judged, sorted)| *judged && !sorted);
        self.columns.iter().zip(judged).filter(|(_, judged)| *judged).map(|(codes, _)| *codes).collect()
    }

    fn runs_of(&self, columns: &[&[u32]]) -> Option<Runs> {
        runs_of(columns, &self.groups).filter(|runs| runs.are_no_accident(self.groups.len()))
    }
}

/// Neighbours that agree in all columns, and as many as chance makes.
fn runs_of(columns: &[&[u32]], groups: &[u32]) -> Option<Runs> {
    columns.first()?;
    let rows = columns.iter().fold(groups.to_vec(), |rows, codes| numbered(&rows, codes));
    let pairs = rows.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
    Some(Runs { pairs, expected: expected(groups, &rows) })
}

/// A number for each different pair, counted from 0.
fn numbered(rows: &[u32], codes: &[u32]) -> Vec<u32> {
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let pairs = rows.iter().zip(codes).map(|(&row, &code)| (row, code));
    pairs
        .map(|pair| {
            let next = numbers.len() as u32;
            *numbers.entry(pair).or_insert(next)
        })
        .collect()
}

impl Runs {
    fn are_no_accident(&self, records: usize) -> bool {
        is_more_than_chance(self.pairs as f64, self.expected, records as f64)
    }
}

/// How many records have each number.
fn counted(numbers: &[u32]) -> Vec<f64> {
    let mut counts = vec![0.0; numbers.iter().max().map_or(0, |most| *most as usize + 1)];
    numbers.iter().for_each(|&number| counts[number as usize] += 1.0);
    counts
}

/// The pairs of an order that says nothing of persons, group by group; `rows` numbers what agrees within a group.
fn expected(groups: &[u32], rows: &[u32]) -> f64 {
    let (sizes, counts): (Vec<f64>, Vec<f64>) = (counted(groups), counted(rows));
    // Each of the c records of a row has c − 1 others among the n of its group.
    groups.iter().zip(rows).map(|(&group, &row)| (counts[row as usize] - 1.0) / sizes[group as usize]).sum()
}

/// Per record the group of equal values of what the table is sorted by, and which columns that is: first one that is in order
/// throughout, then those that are in order within equal values of the ones before. An age that falls as the birth rises is in order, too.
fn sorted_by(columns: &[Column<'_>], records: usize) -> (Vec<u32>, Vec<bool>) {
    let orders: Vec<Vec<Vec<u32>>> = columns.par_iter().map(orders).collect();
    let (mut groups, mut fine, mut sorted) = (vec![0; records], vec![0; records], vec![false; columns.len()]);
    let next = |sorted: &[bool], fine: &[u32], groups: &[u32]| {
        let open = (0..columns.len()).filter(|&column| !sorted[column]);
        let in_order = |ranks: &&Vec<u32>| is_in_order(ranks, fine) || is_in_order(ranks, groups);
        open.filter_map(|column| Some((column, orders[column].iter().find(in_order)?))).next()
    };
    while let Some((column, ranks)) = next(&sorted, &fine, &groups) {
        sorted[column] = true;
        fine = parted(&fine, ranks);
        if fine.last().is_some_and(|last| records >= GROUP * (*last as usize + 1)) {
            groups.clone_from(&fine);
        }
    }
    (groups, sorted)
}

/// Per record the place of its value, in each order that a table may be sorted by: of days, of numbers before texts, of texts.
fn orders(column: &Column<'_>) -> Vec<Vec<u32>> {
    let places: Vec<usize> = (0..column.values.len()).collect();
    let by_text = |a: &usize, b: &usize| column.values[*a].cmp(&column.values[*b]);
    let numbers: Vec<Option<f64>> =
        column.values.iter().map(|value| number::parse(value).map(|number| number.value)).collect();
    let by_number = |a: &usize, b: &usize| before(numbers[*a], numbers[*b]).then_with(|| by_text(a, b));
    let days: Option<Vec<Option<Day>>> = days(column);
    let mut orders = vec![ranked(column, &places, by_text)];
    if numbers.iter().any(Option::is_some) {
        orders.push(ranked(column, &places, by_number));
    }
    orders.extend(days.map(|days| ranked(column, &places, |a, b| days[*a].cmp(&days[*b]))));
    orders
}

/// Numbers by their size, before what is none.
fn before(one: Option<f64>, other: Option<f64>) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => one.total_cmp(&other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

/// The days of a column that holds them.
fn days(column: &Column<'_>) -> Option<Vec<Option<Day>>> {
    let few: Vec<(&str, u64)> = column
        .values
        .iter()
        .filter(|value| !value.is_empty())
        .step_by(column.values.len() / ENOUGH + 1)
        .map(|value| (value.as_str(), 1))
        .collect();
    let format = format_of(Cells(&few))?;
    Some(column.values.iter().map(|value| format.parse(value)).collect())
}

fn ranked(column: &Column<'_>, places: &[usize], by: impl Fn(&usize, &usize) -> Ordering) -> Vec<u32> {
    let mut order = places.to_vec();
    order.sort_by(by);
    let mut rank = vec![0; order.len()];
    for (place, value) in (0..).zip(order) {
        rank[value] = place;
    }
    column.codes.iter().map(|&code| rank[code as usize]).collect()
}

/// Whether a column only rises, or only falls, within each group, and has several values. One change in twenty may be a slip, and one pair
/// of neighbours in a hundred: records that were added at the end, or a few long blocks.
fn is_in_order(ranks: &[u32], groups: &[u32]) -> bool {
    let (mut rises, mut falls, mut pairs) = (0, 0, 0);
    for (groups, ranks) in groups.windows(2).zip(ranks.windows(2)) {
        if groups[0] == groups[1] {
            pairs += 1;
            rises += usize::from(ranks[0] < ranks[1]);
            falls += usize::from(ranks[0] > ranks[1]);
        }
    }
    let (fewer, more) = (rises.min(falls), rises.max(falls));
    more > 0 && (SLIPS * fewer <= more || OF_PAIRS * fewer <= pairs)
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
        judged_by(rows, |order, qis| order.runs(qis))
    }

    fn some_of(rows: &[[u64; 3]]) -> Option<(Runs, usize)> {
        judged_by(rows, |order, qis| order.runs_of_some(qis))
    }

    fn judged_by<T>(rows: &[[u64; 3]], judge: impl Fn(&InOrder<'_>, &[bool]) -> Option<T>) -> Option<T> {
        let values: Vec<String> = (0..2000).map(|value| value.to_string()).collect();
        let codes: Vec<Vec<u32>> = (0..3).map(|c| rows.iter().map(|row| row[c] as u32).collect()).collect();
        let column = |codes| Column { values: &values, codes };
        let columns: Vec<Column<'_>> = codes.iter().map(|codes| column(codes)).collect();
        judge(&InOrder::of(&columns)?, &[true; 3])
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
            assert_eq!(some_of(&people(1000 + seed, 1)), None, "{seed}");
        }
    }

    /// Visits of which one thing changes from row to row.
    #[test]
    fn what_changes_from_visit_to_visit_hides_nothing() {
        let mut draw = draws(5);
        let mut rows = people(300, 4);
        rows.iter_mut().for_each(|row| row[1] = draw(2_000));
        assert_eq!(of(&rows), None);
        assert_eq!(some_of(&rows).map(|(_, columns)| columns), Some(2));
    }

    #[test]
    fn blocks_of_a_hospital_or_a_district_are_none() {
        let mut draw = draws(9);
        let blocks: Vec<[u64; 3]> = (0..60).map(|_| [draw(1_000), 0, draw(1_000)]).collect();
        let rows: Vec<[u64; 3]> =
            blocks.iter().flat_map(|block| (0..40).map(|n| [block[0], n * 7 % 11, block[2]])).collect();
        assert_eq!(some_of(&rows), None);
        let one: Vec<[u64; 3]> = rows.iter().map(|row| [row[0], row[1], draw(90)]).collect();
        assert_eq!(some_of(&one), None);
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
