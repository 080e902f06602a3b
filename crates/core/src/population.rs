//! Brings a table and the population that it is a sample of to the same codes.

use std::collections::HashMap;

use crate::frequency::{FrequencyTable, PopulationTable};
use crate::hierarchy::{Hierarchy, Rule};

/// The table with its population. Both have the same quasi-identifiers, those of the population in
/// any order; `rules[q]` is the hierarchy of the table's attribute `q`.
///
/// Time: O(entries of both · attributes).
///
/// # Panics
/// If the population lacks a quasi-identifier.
#[must_use]
pub fn with_population(
    table: FrequencyTable,
    mut population: FrequencyTable,
    rules: &[&Rule],
) -> FrequencyTable {
    for (q, qi) in table.qis.iter().enumerate() {
        let at = population.qis.iter().position(|other| other.name == qi.name);
        let at = at.expect("the population has every quasi-identifier");
        population.qis.swap(q, at);
        population.codes.swap(q, at);
    }
    let hierarchies = table.qis.iter().zip(&population.qis).zip(rules);
    let joined: Vec<Joined> =
        hierarchies.map(|((own, other), rule)| Joined::new(rule, &own.hierarchy, &other.hierarchy)).collect();
    let codes = population.codes.iter().zip(&joined);
    let codes = codes.map(|(column, to)| column.iter().map(|&c| to.other[c as usize]).collect()).collect();
    let (hierarchies, places): (Vec<_>, Vec<_>) =
        joined.into_iter().map(|joined| (joined.hierarchy, joined.own)).unzip();
    let mut table = table.over(hierarchies, &places);
    table.population = Some(PopulationTable { codes, counts: population.counts });
    table
}

/// One hierarchy over the values of two, and where each one's codes are in it.
struct Joined {
    hierarchy: Hierarchy,
    own: Vec<u32>,
    other: Vec<u32>,
}

impl Joined {
    fn new(rule: &Rule, own: &Hierarchy, other: &Hierarchy) -> Self {
        let mut values: Vec<String> = own.labels(0).iter().chain(other.labels(0)).cloned().collect();
        values.sort_unstable();
        values.dedup();
        let (values, hierarchy) = rule.over(values, false);
        let place: HashMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
        let places = |of: &Hierarchy| of.labels(0).iter().map(|label| place[label.as_str()]).collect();
        Self { own: places(own), other: places(other), hierarchy }
    }
}

/// How many records of a table its population does not have: 0 where the table is a sample of it.
///
/// Time: O(entries of both · attributes).
#[must_use]
pub fn not_in_population(table: &FrequencyTable) -> u64 {
    let Some(population) = &table.population else { return 0 };
    let mut counts: HashMap<Vec<u32>, u64> = HashMap::new();
    for (entry, count) in population.counts.iter().enumerate() {
        *counts.entry(codes(&population.codes, entry)).or_default() += count;
    }
    let entries: Vec<usize> = (0..table.len()).collect();
    let same = |a: &usize, b: &usize| codes(&table.codes, *a) == codes(&table.codes, *b);
    let missing = entries.chunk_by(same).map(|run| {
        let sample: u64 = run.iter().map(|&entry| table.counts[entry]).sum();
        sample.saturating_sub(counts.get(&codes(&table.codes, run[0])).copied().unwrap_or(0))
    });
    missing.sum()
}

fn codes(columns: &[Vec<u32>], entry: usize) -> Vec<u32> {
    columns.iter().map(|column| column[entry]).collect()
}
