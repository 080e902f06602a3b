//! Zayatz' estimator.
//!
//! # Definition
//! The share of classes of size i in the population is taken from the sample, sᵢ/u. A class of i of
//! the N records has P(1 | i) = i·C(N − i, n − 1)/C(N, n) for just one of them in the sample. By
//! Bayes' rule a unique of the sample is one of the population with probability
//! s₁P(1 | 1)/Σ sᵢP(1 | i), and S₁ = s₁ · that/π.
//!
//! # References
//! Zayatz 1991, "Estimation of the percent of unique population elements on a microdata file using
//! the sample"; Dankar et al. 2012, Appendix A.

use super::Sample;

/// The estimate, from 0 to N.
pub(super) fn uniques(sample: &Sample) -> f64 {
    let uniques = sample.of_size(1) as f64;
    if uniques == 0.0 {
        return 0.0;
    }
    uniques * (uniques / weight(sample)) / sample.fraction()
}

/// Σ sᵢ P(1 | i)/P(1 | 1), where the ratio is i · Π (N − n − l)/(N − 1 − l) for l = 0 … i − 2.
fn weight(sample: &Sample) -> f64 {
    let outside = (sample.population - sample.records) as f64;
    let (mut ratio, mut factors, mut sum) = (1.0, 0u64, 0.0);
    for (&size, &classes) in &sample.sizes {
        while factors + 1 < size && ratio > 0.0 {
            let left_out = (outside - factors as f64).max(0.0);
            ratio *= left_out / ((sample.population - 1) as f64 - factors as f64);
            factors += 1;
        }
        sum += classes as f64 * size as f64 * ratio;
    }
    sum
}
