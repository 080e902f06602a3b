//! Counting queries on original and anonymized records.
//!
//! `SELECT COUNT(*) … WHERE sensitive IN wanted GROUP BY attributes`, as a recipient can answer it:
//! - A released cell that covers w leaves of its attribute's domain adds 1/w to each of them,
//!   independently of the record's other cells (the whole public domain, not the values that occur).
//! - *As released*, every record counts 1, counterfeits too. *Corrected by the catalog*, a record of
//!   value s in a group with c counterfeits among its r released records of s counts 1 − c/r: the
//!   number of real records to be expected. Both are the same where there are no counterfeits.
//!
//! A group's relative error is |answer − original| / original; a query's is the mean over the groups
//! with original > 0, each group weighing the same.

use std::collections::BTreeMap;

use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::plan::Plan;

use super::sample::Sample;

/// What is read off an anonymized table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Counterfeits count as records.
    AsReleased,
    /// Counts are of the real records that the catalog lets one expect.
    Corrected,
}

/// The released records of the wanted values in one class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Count {
    pub(super) class: u32,
    /// Records, counterfeits included.
    released: f64,
    /// Real records to be expected by the catalog.
    expected: f64,
}

impl Count {
    pub(super) fn read(&self, reading: Reading) -> f64 {
        match reading {
            Reading::AsReleased => self.released,
            Reading::Corrected => self.expected,
        }
    }
}

/// Released and expected records of the wanted sensitive values, per class that has any.
///
/// Time: O(classes + wanted cells · log).
pub(super) fn counts(plan: &Plan, wanted: &[bool]) -> Vec<Count> {
    let mut cells: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    let is_wanted = |value: u32| wanted.get(value as usize).copied().unwrap_or(false);
    for class in 0..plan.classes.len() {
        for &(value, count) in plan.classes.sensitive(class).iter().filter(|cell| is_wanted(cell.0)) {
            cells.entry((class as u32, value)).or_default().0 += count;
        }
    }
    for counterfeits in &plan.counterfeits {
        for &(value, count) in counterfeits.values.iter().filter(|cell| is_wanted(cell.0)) {
            cells.entry((counterfeits.class, value)).or_default().1 += count;
        }
    }
    let shares = Shares::new(plan, &cells);
    let mut counts: Vec<Count> = Vec::new();
    for (&(class, value), &(real, counterfeit)) in &cells {
        let released = (real + counterfeit) as f64;
        let expected = released * (1.0 - shares.of(class, value));
        match counts.last_mut().filter(|last| last.class == class) {
            Some(last) => {
                last.released += released;
                last.expected += expected;
            }
            None => counts.push(Count { class, released, expected }),
        }
    }
    counts
}

/// Per group and value, the share of counterfeits that the catalog states.
struct Shares {
    /// Per class its group; [`NO_GROUP`] if it has none.
    group_of: Vec<u32>,
    shares: BTreeMap<(u32, u32), f64>,
}

const NO_GROUP: u32 = u32::MAX;

impl Shares {
    /// `cells`: (class, value) → (real, counterfeit).
    fn new(plan: &Plan, cells: &BTreeMap<(u32, u32), (u64, u64)>) -> Self {
        let mut group_of = vec![NO_GROUP; plan.classes.len()];
        for (number, group) in (0..).zip(&plan.groups) {
            group.iter().for_each(|&class| group_of[class as usize] = number);
        }
        let mut sums: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
        for (&(class, value), &(real, counterfeit)) in cells {
            let sum = sums.entry((group_of[class as usize], value)).or_default();
            sum.0 += counterfeit;
            sum.1 += real + counterfeit;
        }
        let shares = sums.into_iter().map(|(key, (c, released))| (key, c as f64 / released as f64)).collect();
        Self { group_of, shares }
    }

    fn of(&self, class: u32, value: u32) -> f64 {
        match self.group_of[class as usize] {
            NO_GROUP => 0.0,
            group => self.shares.get(&(group, value)).copied().unwrap_or(0.0),
        }
    }
}

/// The original answer: leaf codes of the attributes → records, groups with none left out.
pub(super) fn original(
    table: &FrequencyTable,
    wanted: &[bool],
    attributes: &[usize],
) -> BTreeMap<Vec<u32>, f64> {
    let mut groups = BTreeMap::new();
    let values = &table.rest.codes[Sample::SENSITIVE];
    for entry in 0..table.len() {
        if wanted[values[table.rest_index[entry] as usize] as usize] {
            let group = attributes.iter().map(|&q| table.codes[q][entry]).collect();
            *groups.entry(group).or_default() += table.counts[entry] as f64;
        }
    }
    groups
}

/// The answer of an anonymized table: codes of the attributes at the node → records per leaf
/// combination that such a combination of cells covers.
pub(super) fn answer(
    table: &FrequencyTable,
    plan: &Plan,
    counts: &[Count],
    reading: Reading,
    attributes: &[usize],
) -> BTreeMap<Vec<u32>, f64> {
    let mut groups: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
    for count in counts {
        let codes = plan.classes.codes(count.class as usize);
        let group = attributes.iter().map(|&q| codes[q]).collect();
        *groups.entry(group).or_default() += count.read(reading);
    }
    for (group, records) in &mut groups {
        let leaves = |(&q, &code): (&usize, &u32)| table.qis[q].hierarchy.leaves(plan.node.0[q], code) as f64;
        *records /= attributes.iter().zip(group).map(leaves).product::<f64>();
    }
    groups
}

/// How far an answer is from the original.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct QueryError {
    /// The mean over groups of |answer − original| / original.
    pub(super) mean: f64,
    /// The same without the group of fewest original records, of several the first.
    pub(super) but_rarest: f64,
    /// Σ |answer − original| / Σ original over the same groups.
    pub(super) total: f64,
}

/// The error of an [`answer`] over the groups of an [`original`].
pub(super) fn error(
    table: &FrequencyTable,
    node: &Node,
    attributes: &[usize],
    original: &BTreeMap<Vec<u32>, f64>,
    answer: &BTreeMap<Vec<u32>, f64>,
) -> QueryError {
    let (mut relative, mut absolute, mut records) = (0.0, 0.0, 0.0);
    let (mut fewest, mut of_rarest) = (f64::INFINITY, 0.0);
    for (leaves, &count) in original {
        let raise = |(&q, &leaf): (&usize, &u32)| table.qis[q].hierarchy.code(node.0[q], leaf);
        let group: Vec<u32> = attributes.iter().zip(leaves).map(raise).collect();
        let off = (answer.get(&group).copied().unwrap_or(0.0) - count).abs();
        relative += off / count;
        if count < fewest {
            (fewest, of_rarest) = (count, off / count);
        }
        absolute += off;
        records += count;
    }
    let groups = original.len() as f64;
    QueryError {
        mean: relative / groups,
        but_rarest: (relative - of_rarest) / (groups - 1.0),
        total: absolute / records,
    }
}

#[cfg(test)]
mod tests {
    use velamen_core::classes::{ClassTable, Space};
    use velamen_core::frequency::{QuasiIdentifier, Rest, RestColumn, Role};
    use velamen_core::hierarchy::{Rule, TableRule};
    use velamen_core::plan::{Counterfeits, Fate};

    use super::*;

    fn attribute(name: &str, rows: &str) -> QuasiIdentifier {
        let rows: Vec<Vec<String>> =
            rows.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
        let leaves = rows.iter().map(|row| row[0].clone()).collect();
        let (_, hierarchy) = Rule::Table(TableRule::new(rows).unwrap()).over(leaves, true);
        QuasiIdentifier { name: name.into(), hierarchy }
    }

    /// (age, sex, diagnosis) of seven records.
    const RECORDS: [(u32, u32, u32); 7] =
        [(0, 0, 0), (0, 1, 1), (1, 0, 1), (2, 0, 0), (2, 1, 0), (3, 1, 1), (3, 1, 1)];

    fn table() -> FrequencyTable {
        let values = ["flu", "stroke"].map(String::from).to_vec();
        let columns = vec![RestColumn { name: "diagnosis".into(), role: Role::Sensitive, values }];
        FrequencyTable {
            qis: vec![
                attribute("age", "20;young;*\n30;young;*\n40;old;*\n50;old;*\n60;old;*"),
                attribute("sex", "F;*\nM;*"),
            ],
            rest: Rest { columns, codes: vec![vec![0, 1]], len: 2 },
            codes: vec![RECORDS.map(|r| r.0).to_vec(), RECORDS.map(|r| r.1).to_vec()],
            rest_index: RECORDS.map(|r| r.2).to_vec(),
            counts: vec![1; RECORDS.len()],
            population: None,
            strays: velamen_core::frequency::Strays::default(),
        }
    }

    /// Two classes, young and old, sex hidden; one counterfeit stroke among the young.
    fn plan(table: &FrequencyTable) -> Plan {
        let node = Node(vec![1, 1]);
        let coding = velamen_core::classes::Coding::new(table, &[0]);
        let classes = ClassTable::at(&Space::<1>::new(table, coding.as_ref()), &node);
        let counterfeits = vec![Counterfeits { class: 0, values: vec![(1, 1)] }];
        Plan { node, classes, fates: vec![Fate::Keep; 2], counterfeits, groups: vec![vec![0, 1]] }
    }

    /// The released records one by one: age code at level 1, value, chance to be real.
    fn released() -> Vec<(u32, u32, f64)> {
        let age = |leaf| u32::from(leaf > 1);
        let mut rows: Vec<(u32, u32, f64)> = RECORDS.iter().map(|&(a, _, s)| (age(a), s, 1.0)).collect();
        rows.push((0, 1, 1.0));
        // One of the five released strokes of the only group is a counterfeit.
        rows.iter_mut().filter(|row| row.1 == 1).for_each(|row| row.2 = 1.0 - 1.0 / 5.0);
        rows
    }

    fn naive(leaf: (u32, u32), by: &[usize], corrected: bool) -> f64 {
        let mut sum = 0.0;
        for (age, value, real) in released() {
            let mut weight = if corrected { real } else { 1.0 };
            if value != 1 {
                continue;
            }
            if by.contains(&0) {
                weight *= match (age, leaf.0) {
                    (0, 0 | 1) => 1.0 / 2.0,
                    (1, 2..) => 1.0 / 3.0,
                    _ => 0.0,
                };
            }
            sum += if by.contains(&1) { weight / 2.0 } else { weight };
        }
        sum
    }

    fn naive_error(by: &[usize], corrected: bool) -> f64 {
        let (mut errors, mut groups) = (0.0, 0.0);
        for age in 0..if by.contains(&0) { 5 } else { 1 } {
            for sex in 0..if by.contains(&1) { 2 } else { 1 } {
                let inside = |r: &&(u32, u32, u32)| {
                    r.2 == 1 && (!by.contains(&0) || r.0 == age) && (!by.contains(&1) || r.1 == sex)
                };
                let count = RECORDS.iter().filter(inside).count() as f64;
                if count > 0.0 {
                    errors += (naive((age, sex), by, corrected) - count).abs() / count;
                    groups += 1.0;
                }
            }
        }
        errors / groups
    }

    #[test]
    fn errors_are_those_of_a_row_by_row_evaluation() {
        let table = table();
        let plan = plan(&table);
        let wanted = [false, true];
        let counts = counts(&plan, &wanted);
        for (reading, corrected) in [(Reading::AsReleased, false), (Reading::Corrected, true)] {
            for by in [vec![0], vec![1], vec![0, 1]] {
                let original = original(&table, &wanted, &by);
                let answer = answer(&table, &plan, &counts, reading, &by);
                let error = error(&table, &plan.node, &by, &original, &answer).mean;
                assert!((error - naive_error(&by, corrected)).abs() < 1e-12, "{by:?} {corrected}");
            }
        }
    }

    #[test]
    fn the_rarest_group_can_be_left_out() {
        let table = table();
        let node = Node(vec![0, 0]);
        let of = |counts: [f64; 3]| (0u32..).zip(counts).map(|(leaf, count)| (vec![leaf], count)).collect();
        let (original, answer) = (of([4.0, 1.0, 10.0]), of([5.0, 9.0, 5.0]));
        let error = error(&table, &node, &[0], &original, &answer);
        assert_eq!((error.mean, error.but_rarest), ((0.25 + 8.0 + 0.5) / 3.0, 0.375));
        assert_eq!(error.total, 14.0 / 15.0);
    }

    #[test]
    fn the_untouched_table_has_no_error() {
        let table = table();
        let node = Node(vec![0, 0]);
        let classes = ClassTable::at(
            &Space::<1>::new(&table, velamen_core::classes::Coding::new(&table, &[0]).as_ref()),
            &node,
        );
        let plan = Plan { fates: vec![Fate::Keep; classes.len()], node, classes, ..Plan::default() };
        let wanted = [true, false];
        let original = original(&table, &wanted, &[0, 1]);
        let answer = answer(&table, &plan, &counts(&plan, &wanted), Reading::Corrected, &[0, 1]);
        assert_eq!(
            error(&table, &plan.node, &[0, 1], &original, &answer),
            QueryError { mean: 0.0, but_rarest: 0.0, total: 0.0 }
        );
    }
}
