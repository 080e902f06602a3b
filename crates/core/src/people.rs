//! Classes of people who can have several records, and so several sensitive values.
//!
//! # Definition
//! Let n be the people of a class and n_v those of them who have the value v in any record. A recipient who finds a
//! person's class knows that the person has v with n_v / n, whatever the others have besides: that is the share of v that
//! α, β, δ and θ bound. Where shares have to sum to 1 (entropy, distances between distributions, the rarer values of
//! (c, l)-diversity), each person counts as one and is shared evenly among her values.
//!
//! l different values are those that l different people have: the largest matching between people and values. One
//! patient with nine codes makes nobody else diverse. And whatever a model counts, a value that everybody has is certain.
//!
//! # Complexity
//! O(pairs) for shares; O(enough · pairs) for the matching, by augmenting paths (Kuhn 1955).
//!
//! # References
//! Machanavajjhala et al. 2007, "l-diversity", whose definitions take one record for one person.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::frequency::FrequencyTable;
use crate::hierarchy::NULL;
use crate::recoding::Member;

/// What a column comes to: how many records or people there are, and of them of each value.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Records, or people.
    pub records: u64,
    /// By code of the column, how many have the value.
    pub counts: Vec<u64>,
    /// By code of the column, its share where each person counts as one; empty where records are counted.
    pub spread: Vec<f64>,
}

impl Tally {
    /// Of records.
    #[must_use]
    pub fn of_records(counts: Vec<u64>) -> Self {
        Self { records: counts.iter().sum(), counts, spread: Vec::new() }
    }

    /// Counts so many people more who have one record each, of a value.
    pub fn add(&mut self, value: u32, count: u64) {
        self.counts[value as usize] += count;
        if !self.spread.is_empty() {
            let (before, after) = (self.records as f64, (self.records + count) as f64);
            self.spread.iter_mut().for_each(|share| *share *= before / after);
            self.spread[value as usize] += count as f64 / after;
        }
        self.records += count;
    }

    /// Of people, from their distinct pairs of person and value, ascending; `values` is the number of values.
    #[must_use]
    pub fn of_people(pairs: &[(u32, u32)], values: usize) -> Self {
        let (mut counts, mut shares, mut of_value) = (vec![0; values], vec![0.0; values], Vec::new());
        had(pairs, &mut of_value);
        of_value.into_iter().for_each(|(value, people)| counts[value as usize] = people);
        spread(pairs).into_iter().for_each(|(value, share)| shares[value as usize] = share);
        Self { records: number(pairs), counts, spread: shares }
    }
}

/// How many people a column of pseudonyms tells apart, if somebody has several records: its values, and how many records have
/// each. A missing or suppressed one is nobody's.
#[must_use]
pub fn repeating(values: &[String], records: &[u64]) -> Option<usize> {
    let own = || values.iter().zip(records).filter(|(text, _)| !matches!(text.as_str(), NULL | "*"));
    own().any(|(_, &records)| records > 1).then(|| own().filter(|(_, records)| **records > 0).count())
}

/// Of columns of pseudonyms, each with what [`repeating`] finds, the one that says whose the records are: that of the most
/// people, the first of several.
pub fn telling(columns: impl Iterator<Item = (usize, Option<usize>)>) -> Option<usize> {
    let repeating = columns.filter_map(|(column, people)| Some((column, people?)));
    repeating.min_by_key(|&(_, people)| Reverse(people)).map(|(column, _)| column)
}

/// The distinct (person, value) pairs of some entries of a table, ascending: columns of person and value.
#[must_use]
pub fn pairs(
    table: &FrequencyTable,
    (person, column): (usize, usize),
    entries: impl Iterator<Item = Member>,
) -> Vec<(u32, u32)> {
    let (of_person, of_value) = (&table.rest.codes[person], &table.rest.codes[column]);
    let rest = entries.map(|(entry, _)| table.rest_index[entry as usize] as usize);
    let mut pairs: Vec<(u32, u32)> = rest.map(|rest| (of_person[rest], of_value[rest])).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// By code of a quasi-identifier, how many records have it, or people where the table says whose the records are. Each
/// person counts once, at the value of her first record: sums over values count nobody twice, and are never too high.
#[must_use]
pub fn marginal(table: &FrequencyTable, q: usize) -> Vec<u64> {
    let Some(person) = table.rest.person() else { return table.marginal(q) };
    let (mut counts, mut seen) = (vec![0; table.qis[q].hierarchy.width(0)], FxHashSet::default());
    for (entry, &code) in table.codes[q].iter().enumerate() {
        if seen.insert(table.rest.codes[person][table.rest_index[entry] as usize]) {
            counts[code as usize] += 1;
        }
    }
    counts
}

/// Whether a person's records differ in the quasi-identifiers, so that they can be in several classes.
///
/// Time: O(entries · attributes).
#[must_use]
pub fn are_split(table: &FrequencyTable) -> bool {
    let Some(person) = table.rest.person() else { return false };
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    (0..table.len()).any(|entry| {
        let who = table.rest.codes[person][table.rest_index[entry] as usize];
        let known = *first.entry(who).or_insert(entry);
        table.codes.iter().any(|codes| codes[known] != codes[entry])
    })
}

/// (value, how many people have it), ascending by value.
pub fn had(pairs: &[(u32, u32)], had: &mut Vec<(u32, u64)>) {
    had.clear();
    had.extend(pairs.iter().map(|&(_, value)| (value, 1)));
    had.sort_unstable();
    had.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}

/// The number of people.
#[must_use]
pub fn number(pairs: &[(u32, u32)]) -> u64 {
    pairs.chunk_by(|a, b| a.0 == b.0).count() as u64
}

/// (value, share), ascending by value: each person counts as one, shared evenly among her values.
#[must_use]
pub fn spread(pairs: &[(u32, u32)]) -> Vec<(u32, f64)> {
    let people = number(pairs).max(1) as f64;
    let mut shares: Vec<(u32, f64)> = Vec::with_capacity(pairs.len());
    for own in pairs.chunk_by(|a, b| a.0 == b.0) {
        shares.extend(own.iter().map(|&(_, value)| (value, 1.0 / (own.len() as f64 * people))));
    }
    // By value, then by share: a sum of the same numbers in the same order is the same.
    shares.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    shares.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    shares
}

/// The most different values that as many different people have, as far as `enough`.
#[must_use]
pub fn distinct(pairs: &[(u32, u32)], enough: u64) -> u64 {
    let mut people_of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    pairs.iter().for_each(|&(person, value)| people_of.entry(value).or_default().push(person));
    let mut values: Vec<u32> = people_of.keys().copied().collect();
    // Rare values first: they leave the fewest choices.
    values.sort_unstable_by_key(|value| (people_of[value].len(), *value));
    let (mut value_of, mut matched) = (FxHashMap::default(), 0);
    for value in values {
        if matched >= enough {
            break;
        }
        matched += u64::from(augment(value, &people_of, &mut value_of));
    }
    matched
}

/// Gives a value a person of its own, if others can give way: the shortest augmenting path, breadth first.
fn augment(from: u32, people_of: &FxHashMap<u32, Vec<u32>>, value_of: &mut FxHashMap<u32, u32>) -> bool {
    let mut reached_from: FxHashMap<u32, u32> = FxHashMap::default();
    let mut waiting = std::collections::VecDeque::from([from]);
    while let Some(value) = waiting.pop_front() {
        for &person in &people_of[&value] {
            if reached_from.contains_key(&person) {
                continue;
            }
            reached_from.insert(person, value);
            match value_of.get(&person) {
                Some(&other) => waiting.push_back(other),
                None => {
                    give(person, from, &reached_from, value_of);
                    return true;
                }
            }
        }
    }
    false
}

/// Hands the values along a path to its people, from its free end.
fn give(end: u32, from: u32, reached_from: &FxHashMap<u32, u32>, value_of: &mut FxHashMap<u32, u32>) {
    let mut person = end;
    loop {
        let value = reached_from[&person];
        let before = value_of.iter().find(|(_, own)| **own == value).map(|(&person, _)| person);
        value_of.insert(person, value);
        match before.filter(|_| value != from) {
            Some(next) => person = next,
            None => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pseudonym_of_most_people_says_whose_records_are() {
        let values =
            |texts: &[&str]| -> Vec<String> { texts.iter().map(|text| (*text).to_owned()).collect() };
        let found = repeating(&values(&["", "*", "a", "b", "c"]), &[9, 9, 2, 1, 0]);
        assert_eq!(found, Some(2));
        assert_eq!(repeating(&values(&["", "*", "a", "b"]), &[9, 9, 1, 1]), None);
        assert_eq!(telling([(4, Some(2)), (5, None), (6, Some(3)), (7, Some(3))].into_iter()), Some(6));
        assert_eq!(telling(std::iter::empty()), None);
    }

    /// Four people with F32 only, and one with nine values.
    fn one_with_nine() -> Vec<(u32, u32)> {
        (0..4).map(|person| (person, 0)).chain((0..9).map(|value| (4, value))).collect()
    }

    #[test]
    fn one_patient_with_nine_codes_makes_nobody_diverse() {
        let pairs = one_with_nine();
        assert_eq!((number(&pairs), distinct(&pairs, 9)), (5, 2));
        let mut counts = Vec::new();
        had(&pairs, &mut counts);
        assert_eq!((counts[0], counts[1]), ((0, 5), (1, 1)));
        let shares = spread(&pairs);
        assert!((shares[0].1 - (4.0 + 1.0 / 9.0) / 5.0).abs() < 1e-12);
        assert!((shares.iter().map(|share| share.1).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn people_give_way_to_each_other() {
        // 0 has a and b, 1 has a, 2 has b and c: three values for three people, whoever is asked first.
        let pairs = [(0, 0), (0, 1), (1, 0), (2, 1), (2, 2)];
        assert_eq!(distinct(&pairs, 3), 3);
        // Two people cannot show three values.
        assert_eq!(distinct(&[(0, 0), (0, 1), (1, 1), (1, 2)], 3), 2);
    }

    proptest::proptest! {
        #[test]
        fn a_matching_is_as_large_as_the_best_choice(
            mut pairs in proptest::collection::vec((0u32..5, 0u32..5), 1..14)
        ) {
            pairs.sort_unstable();
            pairs.dedup();
            // Every choice of one value for each person, or none.
            fn best(people: &[u32], pairs: &[(u32, u32)], taken: &mut Vec<u32>) -> usize {
                let Some((&person, others)) = people.split_first() else { return taken.len() };
                let mut most = best(others, pairs, taken);
                for &(_, value) in pairs.iter().filter(|pair| pair.0 == person) {
                    if !taken.contains(&value) {
                        taken.push(value);
                        most = most.max(best(others, pairs, taken));
                        taken.pop();
                    }
                }
                most
            }
            let mut people: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
            people.dedup();
            proptest::prop_assert_eq!(distinct(&pairs, 99), best(&people, &pairs, &mut Vec::new()) as u64);
        }
    }
}
