//! Draws in floating point, as the paper has them: they protect nobody to a proven degree.

use velamen_dp::Stream;

/// 2⁻⁵³: uniform points are its multiples.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// Where the draws of Algorithm 1 come from.
pub(super) trait Noise {
    /// Lap(scale), with mean 0.
    fn laplace(&mut self, scale: f64) -> f64;
    /// A uniform point, from 0 to below 1.
    fn point(&mut self) -> f64;
}

impl Noise for Stream {
    /// A sign by the lowest bit, and −scale · ln u with u in (0, 1] by the 53 highest.
    fn laplace(&mut self, scale: f64) -> f64 {
        let word = self.word();
        let magnitude = -scale * (((word >> 11) + 1) as f64 * UNIT).ln();
        if word & 1 == 0 { magnitude } else { -magnitude }
    }

    fn point(&mut self) -> f64 {
        (self.word() >> 11) as f64 * UNIT
    }
}

/// The exponential mechanism (Theorem 2): each score's probability ∝ exp(ε · score / (2Δ)).
///
/// Time: O(scores).
pub(super) fn probabilities(scores: impl Iterator<Item = f64>, epsilon: f64, sensitivity: f64) -> Vec<f64> {
    let exponents: Vec<f64> = scores.map(|score| epsilon * score / (2.0 * sensitivity)).collect();
    // Without the largest, so that none overflows; it cancels.
    let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = exponents.iter().map(|exponent| (exponent - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The index that a point from 0 to below the sum of the weights falls on.
pub(super) fn pick(weights: impl Iterator<Item = f64>, point: f64) -> usize {
    let mut sum = 0.0;
    let mut last = 0;
    for (index, weight) in weights.enumerate() {
        sum += weight;
        last = index;
        if point < sum {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use velamen_dp::Seed;

    use super::*;

    #[test]
    fn laplace_has_its_tails() {
        let mut stream = Seed::from_number(50).stream(0);
        let scale = 2.5;
        // Bounds between bins of probability 1/8 each: P(|X| > x) = e^(−x/scale).
        let bounds = [0.25f64, 0.5, 0.75].map(|tail| -scale * tail.ln());
        let mut counts = [0u32; 8];
        for _ in 0..80_000 {
            let drawn = stream.laplace(scale);
            let bin = bounds.iter().filter(|bound| drawn.abs() < **bound).count();
            counts[if drawn < 0.0 { bin } else { 7 - bin }] += 1;
        }
        let statistic: f64 = counts.iter().map(|&count| (f64::from(count) - 1e4).powi(2) / 1e4).sum();
        // 7 degrees of freedom: P(χ² > 37.6) = 4e-6.
        assert!(statistic < 37.6, "{counts:?}");
    }

    #[test]
    fn no_noise_where_the_scale_is_nothing() {
        let mut stream = Seed::from_number(51).stream(0);
        assert!((0..100).all(|_| stream.laplace(0.0) == 0.0));
    }

    #[test]
    fn probabilities_follow_equation_12_and_do_not_overflow() {
        let two = probabilities([3.0, 2.0].into_iter(), 0.3, 3.0);
        assert!((two[0] / two[1] - 0.05f64.exp()).abs() < 1e-12 && (two[0] + two[1] - 1.0).abs() < 1e-12);
        assert_eq!(probabilities([1e6, 0.0].into_iter(), 1e6, 1.0), [1.0, 0.0]);
    }

    #[test]
    fn points_pick_the_weight_that_they_fall_on() {
        let picked = |point| pick([0.2, 0.3, 0.5].into_iter(), point);
        assert_eq!([0.0, 0.19, 0.2, 0.49, 0.5, 1.0].map(picked), [0, 0, 1, 1, 2, 2]);
    }
}
