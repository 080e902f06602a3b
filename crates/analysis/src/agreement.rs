//! How far two estimates of the same thing agree.

use crate::estimate::Estimate;

/// The estimate of a release beside the original's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// The overlap of the confidence intervals, from 0 to 1.
    pub overlap: f64,
    /// The difference in standard errors of the original.
    pub standardized_difference: Option<f64>,
    /// Whether the effect has the same direction.
    pub same_sign: Option<bool>,
    /// Whether both are significant, or neither is.
    pub same_significance: Option<bool>,
}

impl Agreement {
    /// Of two estimates, with intervals of this level and tests at 1 − level.
    #[must_use]
    pub fn new(original: &Estimate, release: &Estimate, level: f64) -> Self {
        let error = original.variance.sqrt();
        let significant = |estimate: &Estimate| estimate.p_value().map(|p| p < 1.0 - level);
        let same = significant(original).zip(significant(release)).map(|(one, other)| one == other);
        Self {
            overlap: overlap(original.compared(level), release.compared(level)),
            standardized_difference: (error > 0.0).then(|| (release.value - original.value) / error),
            same_sign: original.is_effect().then(|| sign(original) == sign(release)),
            same_significance: same,
        }
    }
}

/// Below, at or above "no effect".
fn sign(estimate: &Estimate) -> Option<std::cmp::Ordering> {
    estimate.value.partial_cmp(&0.0)
}

/// The mean of what the common part is of each of two intervals, 0 where they have none in common
/// (Karr et al. 2006).
#[must_use]
pub fn overlap(one: (f64, f64), other: (f64, f64)) -> f64 {
    let common = one.1.min(other.1) - one.0.max(other.0);
    if common < 0.0 {
        return 0.0;
    }
    let share = |(low, high): (f64, f64)| if high > low { common / (high - low) } else { 1.0 };
    f64::midpoint(share(one), share(other))
}
