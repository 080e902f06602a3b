//! How many records of the population are unique, estimated from a sample of it.
//!
//! # Summary
//! A record that is alone in its class in the sample may have companions in the population. Four
//! estimators of the number of classes of size one in the population, from the class sizes of the
//! sample and the size of the population.
//!
//! # Definition
//! n records in u classes, of which sᵢ have i records, are a simple random sample of N records;
//! π = n/N. Estimated is S₁, the number of classes of one record in the population. See the files
//! for each estimator, and `docs/methods/population-uniqueness.md`.
//!
//! # Parameters
//! The class sizes and N, as [`Sample`].
//!
//! # Returns
//! [`Estimate`]: 0 ≤ S₁ ≤ N, never NaN. Where an estimator has no solution, Zayatz' takes its place,
//! which always has one, and [`Estimate::used`] says so.
//!
//! # Complexity
//! O(d + largest class) time for d different sizes.
//!
//! # References
//! Dankar et al. 2012, "Estimating the re-identification risk of clinical data sets"; Hoshino 2001;
//! Zayatz 1991; Chen and Keller-McNulty 1998.
//!
//! # Deviations
//! The likelihood of Pitman's model is maximized by nested bisection instead of Newton's method,
//! which needs a good start and does not always converge.

mod difference;
mod pitman;
mod snb;
mod zayatz;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Sampling fractions up to this are Pitman's in Dankar's rule.
const SMALL_FRACTION: f64 = 0.1;

/// A way to estimate population uniqueness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// Pitman's sampling formula, its parameters by maximum likelihood (Hoshino 2001).
    Pitman,
    /// The sample's class sizes taken for the population's, then Bayes' rule (Zayatz 1991).
    Zayatz,
    /// Slide negative binomial class sizes (Chen and Keller-McNulty 1998).
    Snb,
    /// Whichever of the three fits the sampling fraction (Dankar et al. 2012).
    Dankar,
}

/// How many records of the population are unique.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Their estimated number, 0 to N.
    pub uniques: f64,
    /// Their share of the population, 0 to 1.
    pub share: f64,
    /// What gave the number: Pitman, Zayatz or SNB. Other than what was asked for if that had no
    /// solution, or if the decision rule was asked for.
    pub used: Estimator,
}

/// Why class sizes and a population size are no sample.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SampleError {
    /// No record at all.
    #[error("a sample without records says nothing of its population")]
    Empty,
    /// More records than the population has, or than can be counted.
    #[error("the population has {0} records, fewer than the sample")]
    PopulationTooSmall(u64),
}

/// The class sizes of a sample and the size of its population.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Size → number of classes, neither of them 0.
    sizes: BTreeMap<u64, u64>,
    records: u64,
    classes: u64,
    population: u64,
}

impl Sample {
    /// From pairs (size, how many classes of that size), in any order, and the population size N.
    ///
    /// # Errors
    /// [`SampleError`] for an empty sample, or one larger than the population.
    pub fn new(sizes: &[(u64, u64)], population: u64) -> Result<Self, SampleError> {
        let mut sample = Self { sizes: BTreeMap::new(), records: 0, classes: 0, population };
        for &(size, classes) in sizes.iter().filter(|(size, classes)| *size > 0 && *classes > 0) {
            let records = size.checked_mul(classes).and_then(|more| sample.records.checked_add(more));
            sample.records = records.ok_or(SampleError::PopulationTooSmall(population))?;
            sample.classes += classes;
            *sample.sizes.entry(size).or_default() += classes;
        }
        match sample.records {
            0 => Err(SampleError::Empty),
            records if records > population => Err(SampleError::PopulationTooSmall(population)),
            _ => Ok(sample),
        }
    }

    /// The sampling fraction π.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        self.records as f64 / self.population as f64
    }

    /// sᵢ, the number of classes of that size.
    fn of_size(&self, size: u64) -> u64 {
        self.sizes.get(&size).copied().unwrap_or(0)
    }

    /// What is certain: a full sample shows its uniques, and none is taken to follow from none.
    fn trivial(&self) -> Option<f64> {
        let uniques = self.of_size(1);
        (uniques == 0 || self.records == self.population).then_some(uniques as f64)
    }

    fn estimate(&self, uniques: f64, used: Estimator) -> Estimate {
        let population = self.population as f64;
        let uniques = uniques.clamp(0.0, population);
        Estimate { uniques, share: uniques / population, used }
    }
}

/// Estimates the number of uniques in the population.
///
/// Without uniques in the sample the estimate is 0, which is all that these estimators can say and
/// no proof that there are none.
#[must_use]
pub fn estimate(sample: &Sample, by: Estimator) -> Estimate {
    let by = if by == Estimator::Dankar { chosen(sample) } else { by };
    let solution = sample.trivial().or_else(|| match by {
        Estimator::Pitman => pitman::uniques(sample),
        Estimator::Snb => snb::uniques(sample),
        Estimator::Zayatz | Estimator::Dankar => Some(zayatz::uniques(sample)),
    });
    match solution.filter(|uniques| uniques.is_finite()) {
        Some(uniques) => sample.estimate(uniques, by),
        None => sample.estimate(zayatz::uniques(sample), Estimator::Zayatz),
    }
}

/// θ and α of Pitman's model; `None` where its likelihood has no maximum.
pub fn pitman_parameters(sample: &Sample) -> Option<(f64, f64)> {
    pitman::fit(sample).map(|parameters| (parameters.sum - parameters.alpha, parameters.alpha))
}

/// Dankar's decision rule: Pitman up to a tenth, above it the lower of SNB and Zayatz.
fn chosen(sample: &Sample) -> Estimator {
    if sample.fraction() <= SMALL_FRACTION {
        return Estimator::Pitman;
    }
    let lower = |uniques: &f64| *uniques <= zayatz::uniques(sample);
    snb::uniques(sample).filter(lower).map_or(Estimator::Zayatz, |_| Estimator::Snb)
}

#[cfg(test)]
mod tests;
