//! What models see: a class, and the sensitive attribute in the whole table.

use velamen_core::hierarchy::Hierarchy;

use super::{Population, people};

/// What a model sees of an equivalence class.
#[derive(Debug, Clone, Copy)]
pub struct Class<'a> {
    /// |E|, counterfeits included where there are any: records, and people where the table says whose the records
    /// are. 0 for a class that only the population has.
    pub size: u64,
    /// How many records of the population have the class's values; 0 where none is given.
    pub population: u64,
    /// (sensitive code, count), ascending by code, counts at least 1; empty where the model looks
    /// at no attribute. Where people are counted: how many of them have the value.
    pub sensitive: &'a [(u32, u64)],
    /// (person, sensitive code), ascending and distinct, where people are counted who can have several values; empty
    /// where each record is another person's.
    pub pairs: &'a [(u32, u32)],
}

impl<'a> Class<'a> {
    /// A class of records each of another person, without a population.
    #[must_use]
    pub fn new(size: u64, sensitive: &'a [(u32, u64)]) -> Self {
        Self { size, population: 0, sensitive, pairs: &[] }
    }

    /// The most different values that as many different persons have, as far as `enough`.
    pub(super) fn distinct(&self, enough: u64) -> u64 {
        match self.pairs {
            [] => self.sensitive.len() as u64,
            pairs => people::distinct(pairs, enough),
        }
    }

    /// Whether a value is that of everybody in the class.
    pub(super) fn is_certain(&self) -> bool {
        self.sensitive.iter().any(|&(_, had)| had >= self.size)
    }

    /// (sensitive code, share), ascending by code: the shares sum to 1. Each person counts as one, and is shared
    /// among her values.
    pub(super) fn spread(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        // Of one record each nothing has to be put together.
        let (records, people) = match self.pairs {
            [] => (self.sensitive, Vec::new()),
            pairs => (&[][..], people::spread(pairs)),
        };
        let size = self.size as f64;
        records.iter().map(move |&(value, count)| (value, count as f64 / size)).chain(people)
    }
}

/// The sensitive attribute in the whole table, suppressed records included, and the table's size.
#[derive(Debug, Clone, Copy, Default)]
pub struct Distribution<'a> {
    /// n: the number of records, and of people where the table says whose they are.
    pub records: u64,
    /// The population, if one is given.
    pub population: Option<Population>,
    /// The values, by code.
    pub values: &'a [String],
    /// How many records, or people, have each value; 0 for values of the domain that do not occur.
    pub counts: &'a [u64],
    /// The share of each value where people can have several, each counted as one; empty where nobody has.
    pub spread: &'a [f64],
    /// The attribute's hierarchy over the values, if it has one.
    pub hierarchy: Option<&'a Hierarchy>,
}

impl Distribution<'_> {
    /// p: the share of the records that have each value, or of the people, who can have several.
    #[must_use]
    pub fn shares(&self) -> Vec<f64> {
        let total = if self.spread.is_empty() { self.counts.iter().sum() } else { self.records };
        self.counts.iter().map(|&count| count as f64 / total.max(1) as f64).collect()
    }

    /// As [`Self::shares`], each person shared among her values: these sum to 1.
    #[must_use]
    pub fn spread(&self) -> Vec<f64> {
        if self.spread.is_empty() { self.shares() } else { self.spread.to_vec() }
    }
}
