//! The discrete Gaussian law on the integers, exactly.
//!
//! # Definition
//! P(x) ∝ exp(−x²/(2σ²)) for whole x. Added to every count of a table that a person changes by at most Δ in the
//! Euclidean norm, it is Δ²/(2σ²)-zero-concentrated differentially private ([`Zcdp`](crate::Zcdp)).
//!
//! # Complexity
//! O(1) expected for any σ: some two draws of a two-sided geometric law.
//!
//! # References
//! Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy", Algorithm 3.
//!
//! # Deviations
//! Numbers are of 128 bits. Where the numerator of γ does not fit, the coin of bias e^−γ shows tails. Such a γ is
//! above 30,000 for every σ that [`Gaussian::new`] takes, so that the law is touched by less than e^−30000.

use crate::bernoulli::exp_minus;
use crate::{Rational, Stream, TwoSided};

/// The largest denominator of a variance.
const FINEST: u64 = 1 << 16;
/// The largest variance that may have a denominator.
const MOST_FINE: u64 = 1 << 32;
/// The largest variance.
const MOST: u64 = 1 << 48;

/// The law with one variance parameter σ².
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gaussian {
    variance: Rational,
    /// t = ⌊σ⌋ + 1.
    scale: u64,
    /// Two-sided geometric of rate 1/t.
    wider: TwoSided,
}

impl Gaussian {
    /// The law for σ² = p/q; `None` if it is 0, above 2⁴⁸, above 2³² and no whole number, or q is above 2¹⁶.
    #[must_use]
    pub fn new(variance: Rational) -> Option<Self> {
        let (p, q) = (variance.numerator(), variance.denominator());
        let whole = p / q;
        let fits = p > 0 && q <= FINEST && (whole < MOST_FINE || (q == 1 && whole <= MOST));
        let scale = whole.isqrt() + 1;
        let wider = TwoSided::new(Rational::new(1, scale).ok()?, 1)?;
        fits.then_some(Self { variance, scale, wider })
    }

    /// σ².
    #[must_use]
    pub fn variance(self) -> Rational {
        self.variance
    }

    /// The next outcome: Algorithm 3.
    pub fn draw(self, stream: &mut Stream) -> i64 {
        loop {
            let candidate = self.wider.draw(stream);
            let kept = self.gamma(candidate.unsigned_abs());
            let accepted =
                kept.is_some_and(|(numerator, denominator)| exp_minus(stream, numerator, denominator));
            if let (true, Ok(outcome)) = (accepted, i64::try_from(candidate)) {
                return outcome;
            }
        }
    }

    /// γ = (|Y|tq − p)²/(2pqt²), with which a candidate is kept with probability e^−γ: line 6 with σ² = p/q. `None`
    /// where it does not fit.
    fn gamma(self, distance: u128) -> Option<(u128, u128)> {
        let (p, q) = (u128::from(self.variance.numerator()), u128::from(self.variance.denominator()));
        let t = u128::from(self.scale);
        let difference = distance.checked_mul(t * q)?.abs_diff(p);
        // p ≤ 2⁴⁸ and qt² ≤ 2⁴⁹: below 2⁹⁸.
        Some((difference.checked_mul(difference)?, 2 * p * q * t * t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn ratio(numerator: u64, denominator: u64) -> Rational {
        Rational::new(numerator, denominator).unwrap()
    }

    /// P(x) for |x| up to `reach`, by the sum itself.
    fn law(variance: f64, reach: i64) -> Vec<f64> {
        let weight = |x: i64| (-(x * x) as f64 / (2.0 * variance)).exp();
        let all: f64 = (-400..=400).map(weight).sum();
        (-reach..=reach).map(|x| weight(x) / all).collect()
    }

    fn statistic(variance: Rational, reach: i64, seed: u64) -> f64 {
        statistic_of(variance, variance, reach, seed)
    }

    /// Pearson's statistic of draws of one variance against the law of another, over −reach … reach; what lies beyond is one
    /// more part. At night of ten times as many.
    fn statistic_of(variance: Rational, paid_for: Rational, reach: i64, seed: u64) -> f64 {
        let draws = if std::env::var_os("VELAMEN_NIGHTLY").is_some() { 1_000_000 } else { 100_000 };
        let gaussian = Gaussian::new(variance).unwrap();
        let mut stream = Seed::from_number(seed).stream(0);
        let mut counts = vec![0u32; 2 * reach as usize + 2];
        for _ in 0..draws {
            let drawn = gaussian.draw(&mut stream);
            let place = if drawn.abs() > reach { 2 * reach + 1 } else { drawn + reach };
            counts[place as usize] += 1;
        }
        let mut expected = law(paid_for.to_f64(), reach);
        expected.push(1.0 - expected.iter().sum::<f64>());
        let parts = expected.iter().zip(&counts);
        parts
            .map(|(p, &count)| {
                let expected = p * f64::from(draws);
                (f64::from(count) - expected).powi(2) / expected
            })
            .sum()
    }

    #[test]
    fn the_law_is_the_discrete_gaussian() {
        // σ² = ½: 5 + 1 parts; P(χ² > 33) with 5 degrees of freedom is 4e-6, and the seeds are fixed.
        assert!(statistic(ratio(1, 2), 2, 70) < 33.0);
        // Each with 2·reach + 1 degrees of freedom: P < 1e-5.
        assert!(statistic(ratio(1, 1), 3, 71) < 37.0);
        assert!(statistic(ratio(5, 3), 4, 72) < 41.0);
        assert!(statistic(ratio(9, 1), 8, 73) < 56.0);
        assert!(statistic(ratio(100, 1), 30, 74) < 121.0);
    }

    #[test]
    fn a_deviation_in_place_of_the_variance_is_seen() {
        assert!(statistic_of(ratio(3, 1), ratio(9, 1), 8, 73) > 56.0);
        // Nor may what is asked for be nearly right: 3 % more deviation than is paid for.
        assert!(statistic_of(ratio(9 * 10_609, 10_000), ratio(9, 1), 8, 73) > 56.0);
    }

    #[test]
    fn small_variances_have_their_exact_law() {
        // σ² = 1/16: P(0) = 1/(1 + 2e^−8 + 2e^−32 + …), and ±1 are equally likely.
        let gaussian = Gaussian::new(ratio(1, 16)).unwrap();
        let mut stream = Seed::from_number(75).stream(0);
        let (mut above, mut below) = (0u32, 0u32);
        for _ in 0..200_000 {
            match gaussian.draw(&mut stream) {
                1 => above += 1,
                -1 => below += 1,
                other => assert_eq!(other, 0),
            }
        }
        // 67 each, with a standard deviation of 8.2: P(|Z| > 4.5) = 7e-6.
        let expected = 2e5 * (-8.0f64).exp() / (1.0 + 2.0 * (-8.0f64).exp());
        for count in [above, below] {
            assert!((f64::from(count) - expected).abs() < 4.5 * expected.sqrt(), "{above} {below}");
        }
    }

    #[test]
    fn wide_laws_have_their_variance() {
        for (variance, seed) in
            [(ratio((1 << 48) - 1, 1 << 16), 76), (ratio(1 << 48, 1), 77), (ratio(1 << 33, 1), 78)]
        {
            let gaussian = Gaussian::new(variance).unwrap();
            let mut stream = Seed::from_number(seed).stream(0);
            let square = |x: i64| x as f64 * x as f64 / variance.to_f64();
            let mean = (0..20_000).map(|_| square(gaussian.draw(&mut stream))).sum::<f64>() / 2e4;
            // The square of a normal number has the mean 1 and the variance 2: P(|Z| > 4.5) = 7e-6.
            assert!((mean - 1.0).abs() < 4.5 * (2.0f64 / 2e4).sqrt(), "{variance}: {mean}");
        }
    }

    #[test]
    fn what_does_not_fit_is_tails_far_out_only() {
        for variance in [ratio(1, 1 << 16), ratio((1 << 48) - 1, 1 << 16), ratio(1 << 48, 1)] {
            let gaussian = Gaussian::new(variance).unwrap();
            // The nearest distance whose γ does not fit.
            let (mut fits, mut not) = (0u128, 1u128 << 100);
            while not - fits > 1 {
                let middle = fits.midpoint(not);
                if gaussian.gamma(middle).is_some() { fits = middle } else { not = middle }
            }
            let (numerator, denominator) = gaussian.gamma(fits).unwrap();
            assert!(numerator / denominator > 30_000, "{variance}");
        }
    }

    #[test]
    fn variances_out_of_range_are_refused() {
        assert_eq!(Gaussian::new(Rational::ZERO), None);
        assert_eq!(Gaussian::new(ratio(1, (1 << 16) + 1)), None);
        assert_eq!(Gaussian::new(ratio((1 << 48) + 1, 1)), None);
        assert_eq!(Gaussian::new(ratio((1 << 48) + 1, 1 << 15)), None);
        assert!(Gaussian::new(ratio((1 << 47) - 1, 1 << 15)).is_some());
    }

    #[test]
    fn a_seed_gives_the_noise_that_it_always_gave() {
        let gaussian = Gaussian::new(ratio(100, 1)).unwrap();
        let mut stream = Seed::from_number(79).stream(0);
        let noise = [(); 8].map(|()| gaussian.draw(&mut stream));
        assert_eq!(noise, [-9, 7, 1, 16, -10, 8, 5, -2]);
    }
}
