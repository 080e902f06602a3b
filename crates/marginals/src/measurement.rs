//! Noisy counts over a set of attributes.

use crate::tree::Set;

/// Noisy counts over a set of attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// The attributes, ascending.
    pub set: Set,
    /// The noisy counts, the last attribute's values fastest.
    pub counts: Vec<f64>,
    /// The variance of each, above 0.
    pub variances: Vec<f64>,
}

impl Measurement {
    pub(crate) fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    pub(crate) fn variance(&self) -> f64 {
        self.variances.iter().sum()
    }

    /// The mean with another of the same set, by the inverse of their variances.
    pub(crate) fn average(&mut self, other: &Self) {
        let own = self.counts.iter_mut().zip(&mut self.variances);
        for ((count, variance), (more, other)) in own.zip(other.counts.iter().zip(&other.variances)) {
            *count = (*count * other + more * *variance) / (*variance + other);
            *variance = *variance * other / (*variance + other);
        }
    }
}
