//! Which sensitive values go with which quasi-identifiers: a multinomial logistic model.

use rayon::prelude::*;

use super::descent::{dot, least};

/// A feature that a class does not have.
pub(super) const NONE: u32 = u32::MAX;

/// Parts that are summed by themselves, and then in their order: the same sums on any number of threads.
const PARTS: usize = 8;
/// What the shares of values are smoothed by.
pub(super) const SMOOTHING: f64 = 0.5;
/// What holds the constants, which need no hold but where a value does not occur.
const LOOSE: f64 = 1e-3;

/// Classes to learn from: their features, and weights of their values.
#[derive(Default)]
pub(super) struct Examples<'a> {
    pub(super) features: Vec<&'a [u32]>,
    pub(super) seen: Vec<Vec<(u32, f64)>>,
}

/// How a model is fitted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fit {
    /// How many features there are.
    pub(super) features: usize,
    /// How many values there are.
    pub(super) values: usize,
    /// What holds the weights near 0, in records.
    pub(super) ridge: f64,
    pub(super) steps: usize,
}

/// Log odds of each value: a constant, and a weight for each feature.
pub(super) struct Model {
    values: usize,
    /// One row a feature; the last has the constants.
    weights: Vec<f64>,
}

impl Fit {
    pub(super) fn model(&self, examples: &Examples<'_>) -> Model {
        let shares = self.shares(examples);
        let mut start = vec![0.0; (self.features + 1) * self.values];
        let constants = self.features * self.values;
        start[constants..].iter_mut().zip(&shares).for_each(|(start, share)| *start = share.ln());
        let curvature = self.curvature(examples, &shares);
        // The slopes of the parts, made once: they are as large as the weights.
        let mut slopes = vec![Vec::new(); PARTS];
        let value = |weights: &[f64]| self.value(examples, weights, &mut slopes);
        Model { values: self.values, weights: least(value, start, &curvature, self.steps) }
    }

    fn shares(&self, examples: &Examples<'_>) -> Vec<f64> {
        let mut shares = vec![SMOOTHING; self.values];
        examples.seen.iter().flatten().for_each(|&(value, weight)| shares[value as usize] += weight);
        let all: f64 = shares.iter().sum();
        shares.iter().map(|share| share / all).collect()
    }

    fn ridge_of(&self, feature: usize) -> f64 {
        if feature == self.features { LOOSE } else { self.ridge }
    }

    /// About the second derivative by each weight: the records with the feature, times p (1 − p).
    fn curvature(&self, examples: &Examples<'_>, shares: &[f64]) -> Vec<f64> {
        let mut records = vec![0.0; self.features + 1];
        for (features, seen) in examples.features.iter().zip(&examples.seen) {
            let weight: f64 = seen.iter().map(|(_, weight)| weight).sum();
            held(features, self.features).for_each(|feature| records[feature] += weight);
        }
        let of = |(feature, records): (usize, &f64)| {
            let ridge = self.ridge_of(feature);
            shares.iter().map(move |share| records * share * (1.0 - share) + ridge).collect::<Vec<_>>()
        };
        records.iter().enumerate().flat_map(of).collect()
    }

    /// The negative log likelihood with its ridge, and its slope.
    fn value(&self, examples: &Examples<'_>, weights: &[f64], slopes: &mut [Vec<f64>]) -> (f64, Vec<f64>) {
        let part = examples.features.len().div_ceil(PARTS).max(1);
        let values: Vec<f64> = examples
            .features
            .par_chunks(part)
            .zip(examples.seen.par_chunks(part))
            .zip(&mut *slopes)
            .map(|((features, seen), slope)| self.part(features, seen, weights, slope))
            .collect();
        let (mut sum, mut slope) = (0.0, vec![0.0; weights.len()]);
        for (value, by) in values.iter().zip(slopes) {
            sum += value;
            slope.iter_mut().zip(by).for_each(|(slope, by)| *slope += *by);
        }
        let shares = weights.chunks(self.values).zip(slope.chunks_mut(self.values)).enumerate();
        for (feature, (weights, slope)) in shares {
            // The constants are free: there the hold is to what they start from, which hardly matters.
            let ridge = self.ridge_of(feature);
            sum += 0.5 * ridge * dot(weights, weights);
            slope.iter_mut().zip(weights).for_each(|(slope, weight)| *slope += ridge * weight);
        }
        (sum, slope)
    }

    /// A part's share of the value; its slope is filled in.
    fn part(
        &self,
        features: &[&[u32]],
        seen: &[Vec<(u32, f64)>],
        weights: &[f64],
        slope: &mut Vec<f64>,
    ) -> f64 {
        slope.clear();
        slope.resize(weights.len(), 0.0);
        let mut sum = 0.0;
        let mut odds = vec![0.0; self.values];
        for (features, seen) in features.iter().zip(seen) {
            let all: f64 = seen.iter().map(|(_, weight)| weight).sum();
            if all <= 0.0 {
                continue;
            }
            fill_log_odds(weights, self.values, features, &mut odds);
            sum -= seen.iter().map(|&(value, weight)| weight * odds[value as usize]).sum::<f64>();
            sum += all * exponentials(&mut odds, all);
            seen.iter().for_each(|&(value, weight)| odds[value as usize] -= weight);
            for feature in held(features, self.features) {
                let slope = &mut slope[feature * self.values..][..self.values];
                slope.iter_mut().zip(&odds).for_each(|(slope, by)| *slope += by);
            }
        }
        sum
    }
}

impl Model {
    /// The log probabilities of some values of a class.
    pub(super) fn log_shares(&self, features: &[u32], values: impl Iterator<Item = u32>) -> Vec<f64> {
        let mut odds = vec![0.0; self.values];
        let whole = log_odds(&self.weights, self.values, features, &mut odds);
        values.map(|value| odds[value as usize] - whole).collect()
    }
}

/// The features that a class has, and the constant.
fn held(features: &[u32], constant: usize) -> impl Iterator<Item = usize> + '_ {
    features.iter().filter(|feature| **feature != NONE).map(|feature| *feature as usize).chain([constant])
}

/// Fills in the log odds of all values, and gives the log of the sum of the odds.
fn log_odds(weights: &[f64], values: usize, features: &[u32], odds: &mut [f64]) -> f64 {
    fill_log_odds(weights, values, features, odds);
    let most = largest(odds);
    most + odds.iter().map(|odds| (odds - most).exp()).sum::<f64>().ln()
}

fn fill_log_odds(weights: &[f64], values: usize, features: &[u32], odds: &mut [f64]) {
    let row = |feature: usize| &weights[feature * values..][..values];
    // Each class has the constants, which come last.
    odds.copy_from_slice(row(weights.len() / values - 1));
    for feature in features.iter().filter(|feature| **feature != NONE) {
        odds.iter_mut().zip(row(*feature as usize)).for_each(|(odds, weight)| *odds += weight);
    }
}

/// Makes log odds probabilities times a weight, and gives the log of the sum of the odds. Each is raised once: `exp` is
/// what a fit spends its time in.
fn exponentials(odds: &mut [f64], weight: f64) -> f64 {
    let most = largest(odds);
    odds.iter_mut().for_each(|odds| *odds = (*odds - most).exp());
    let sum: f64 = odds.iter().sum();
    odds.iter_mut().for_each(|odds| *odds *= weight / sum);
    most + sum.ln()
}

fn largest(odds: &[f64]) -> f64 {
    odds.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_together_is_learnt() {
        // Feature 0: nine in ten have value 0; feature 1: nine in ten value 1; feature 2 tells nothing.
        let classes: [([u32; 2], [f64; 2]); 4] = [
            ([0, 2], [900.0, 100.0]),
            ([1, 2], [100.0, 900.0]),
            ([0, NONE], [90.0, 10.0]),
            ([1, NONE], [10.0, 90.0]),
        ];
        let examples = Examples {
            features: classes.iter().map(|class| &class.0[..]).collect(),
            seen: classes.iter().map(|class| vec![(0, class.1[0]), (1, class.1[1])]).collect(),
        };
        let model = Fit { features: 3, values: 2, ridge: 1.0, steps: 50 }.model(&examples);
        let shares = |features: &[u32]| model.log_shares(features, 0..2).into_iter().map(f64::exp).collect();
        let known: Vec<f64> = shares(&[0, 2]);
        assert!((known[0] - 0.9).abs() < 0.01 && (known[0] + known[1] - 1.0).abs() < 1e-9, "{known:?}");
        let unknown: Vec<f64> = shares(&[NONE, NONE]);
        assert!((unknown[0] - 0.5).abs() < 0.02, "{unknown:?}");
    }
}
