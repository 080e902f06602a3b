//! What the records of a cluster come to in one attribute.

use velamen_core::frequency::FrequencyTable;
use velamen_core::recoding::{Member, merged};

use crate::model::people;

/// Values of an attribute, by code.
pub(super) enum Held {
    /// With their records.
    Records(Vec<(u32, u64)>),
    /// Whose they are: distinct pairs of a person and a value, ascending.
    People(Vec<(u32, u32)>),
}

impl Held {
    /// Those of some members in a quasi-identifier.
    pub(super) fn of(table: &FrequencyTable, q: usize, members: &[Member]) -> Self {
        let code = |entry: u32| table.codes[q][entry as usize];
        let Some(person) = table.rest.person() else {
            return Self::Records(merged(
                members.iter().map(|&(entry, count)| (code(entry), count)).collect(),
            ));
        };
        let who = |entry: u32| table.rest.codes[person][table.rest_index[entry as usize] as usize];
        let mut pairs: Vec<(u32, u32)> =
            members.iter().map(|&(entry, _)| (who(entry), code(entry))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Self::People(pairs)
    }

    /// Each person counts once, at the mean of her values: who has most of a cluster's records does not show in it.
    pub(super) fn mean(&self, numbers: &[f64]) -> f64 {
        match self {
            Self::Records(counts) => mean(counts, numbers),
            Self::People(pairs) => {
                people::spread(pairs).into_iter().map(|(code, share)| numbers[code as usize] * share).sum()
            }
        }
    }

    /// The lower of two; each person counts once, shared among her values.
    pub(super) fn median(&self, numbers: &[f64]) -> u32 {
        const ROUNDING: f64 = 1e-9;
        let pairs = match self {
            Self::Records(counts) => return median(counts.clone(), numbers),
            Self::People(pairs) => pairs,
        };
        let mut shares = people::spread(pairs);
        shares.sort_by(|a, b| numbers[a.0 as usize].total_cmp(&numbers[b.0 as usize]).then(a.0.cmp(&b.0)));
        let mut seen = 0.0;
        let reaches = |&(_, share): &(u32, f64)| {
            seen += share;
            seen >= 0.5 - ROUNDING
        };
        shares.iter().copied().find(reaches).map_or(0, |(code, _)| code)
    }

    /// The value that most records, or people, have; of several the first.
    pub(super) fn mode(&self) -> u32 {
        match self {
            Self::Records(counts) => mode(counts),
            Self::People(pairs) => {
                let mut had = Vec::new();
                people::had(pairs, &mut had);
                mode(&had)
            }
        }
    }
}

pub(super) fn mean(counts: &[(u32, u64)], numbers: &[f64]) -> f64 {
    let total: u64 = counts.iter().map(|c| c.1).sum();
    counts.iter().map(|&(code, count)| numbers[code as usize] * count as f64).sum::<f64>() / total as f64
}

pub(super) fn median(mut counts: Vec<(u32, u64)>, numbers: &[f64]) -> u32 {
    counts.sort_by(|a, b| numbers[a.0 as usize].total_cmp(&numbers[b.0 as usize]).then(a.0.cmp(&b.0)));
    let half = counts.iter().map(|c| c.1).sum::<u64>().div_ceil(2);
    let mut seen = 0;
    let reaches = |&(_, count): &(u32, u64)| {
        seen += count;
        seen >= half
    };
    counts.iter().copied().find(reaches).map_or(0, |(code, _)| code)
}

pub(super) fn mode(counts: &[(u32, u64)]) -> u32 {
    counts.iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |&(code, _)| code)
}
