//! What methods of invented records share: counts of few attributes at a time, rare values put together, and records from a
//! model, as a release.

pub(super) mod asked;
pub(super) mod codes;
pub(super) mod declared;
mod impossible;
pub(super) mod measuring;
pub(super) mod merging;
mod persons;
pub(super) mod stated;
#[cfg(test)]
mod tests;

use velamen_dp::Rational;
use velamen_marginals::Measurement;

use crate::method::{Facts, Records};

pub(super) use self::impossible::Zeros;

/// The most records that are made: their places are numbers of 32 bits.
pub(super) const MOST_RECORDS: f64 = u32::MAX as f64;
/// The most records that noise alone may make, as a standard deviation.
pub(super) const MOST_NOISE: f64 = (1 << 24) as f64;

/// √(2/π): the mean distance of a normal number from 0.
pub(super) const MEAN_DISTANCE: f64 = 0.797_884_560_802_865_4;

/// What holds of releases of invented records.
pub(super) const FACTS: Facts = Facts {
    records: Records::Invented,
    private: true,
    persons: false,
    wildcards: false,
    population: false,
    ..Facts::SEARCH
};

/// A noisy table, as it was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoisyTable {
    /// The attributes, ascending.
    pub(super) set: Vec<usize>,
    /// σ².
    pub(super) variance: Rational,
    /// The noisy counts, the last attribute's values fastest.
    pub(super) counts: Vec<i64>,
}

impl NoisyTable {
    /// As the fit has it, each count with its own variance.
    pub(super) fn measurement(&self) -> Measurement {
        Measurement {
            set: self.set.clone(),
            counts: self.counts.iter().map(|&count| count as f64).collect(),
            variances: vec![self.variance.to_f64(); self.counts.len()],
        }
    }
}
