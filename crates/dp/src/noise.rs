//! Integer noise of exact law: the geometric and the two-sided geometric (discrete Laplace).
//!
//! Integers, because noise of floating point shows what it hides by its low bits (Mironov 2012).
//!
//! # References
//! Ghosh, Roughgarden and Sundararajan 2009, "Universally utility-maximizing privacy mechanisms";
//! Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy", Algorithm 2.

use crate::bernoulli::exp_minus;
use crate::{Rational, Stream, below};

/// The geometric law on 0, 1, 2, …: P(x) ∝ exp(−x·ε/Δ).
///
/// It is also what two-sided noise leaves above a threshold: given that the noise is at least T, it
/// is T and geometric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometric {
    /// ε/Δ as `rate / scale`.
    rate: u64,
    scale: u64,
}

impl Geometric {
    /// The law for ε and the sensitivity Δ; `None` if ε or Δ is 0 or Δ/ε has a numerator past 2⁶³.
    #[must_use]
    pub fn new(epsilon: Rational, sensitivity: u64) -> Option<Self> {
        let step = Rational::new(epsilon.numerator(), sensitivity).ok()?;
        let scale = epsilon.denominator().checked_mul(step.denominator())?;
        let fits = step.numerator() > 0 && i64::try_from(scale).is_ok();
        fits.then_some(Self { rate: step.numerator(), scale })
    }

    /// The next outcome: Algorithm 2, lines 1–9. Time: O(1) expected, whatever ε and Δ.
    ///
    /// A number X with P(X) ∝ e^(−X/scale) is drawn as remainder and quotient by the scale; its
    /// quotient by the rate has the law. At most (2⁶³ − 1)·2⁶⁴, so nothing overflows.
    pub fn draw(self, stream: &mut Stream) -> u128 {
        let remainder = loop {
            let candidate = below(stream, self.scale);
            if exp_minus(stream, candidate.into(), self.scale.into()) {
                break candidate;
            }
        };
        let mut quotient = 0u64;
        while exp_minus(stream, 1, 1) {
            quotient += 1;
        }
        (u128::from(remainder) + u128::from(self.scale) * u128::from(quotient)) / u128::from(self.rate)
    }
}

/// The two-sided geometric law on the integers: P(x) ∝ exp(−|x|·ε/Δ).
///
/// Added to a count that one record moves by at most Δ, it makes the count ε-differentially private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TwoSided(Geometric);

impl TwoSided {
    /// The law for ε and the sensitivity Δ; `None` under the conditions of [`Geometric::new`].
    #[must_use]
    pub fn new(epsilon: Rational, sensitivity: u64) -> Option<Self> {
        Geometric::new(epsilon, sensitivity).map(Self)
    }

    /// The next outcome: Algorithm 2, lines 10–14. A sign and a magnitude; 0 counts once, so minus
    /// 0 is drawn again.
    pub fn draw(self, stream: &mut Stream) -> i128 {
        loop {
            let negative = below(stream, 2) == 1;
            let magnitude = i128::try_from(self.0.draw(stream)).expect("a magnitude is below 2^127");
            if !negative {
                return magnitude;
            }
            if magnitude > 0 {
                return -magnitude;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn ratio(numerator: u64, denominator: u64) -> Rational {
        Rational::new(numerator, denominator).unwrap()
    }

    /// Pearson's statistic of 100 000 draws over −reach … reach and both tails beyond.
    fn statistic(epsilon: Rational, sensitivity: u64, reach: i128, seed: u64) -> f64 {
        let law = TwoSided::new(epsilon, sensitivity).unwrap();
        let mut stream = Seed::from_number(seed).stream(0);
        let mut counts = vec![0u32; 2 * reach as usize + 3];
        for _ in 0..100_000 {
            let drawn = law.draw(&mut stream).clamp(-reach - 1, reach + 1);
            counts[(drawn + reach + 1) as usize] += 1;
        }
        let p = (-epsilon.to_f64() / sensitivity as f64).exp();
        let mut sum = 0.0;
        for (place, &count) in counts.iter().enumerate() {
            let distance = (place as i128 - reach - 1).abs();
            let tail = if distance > reach { 1.0 } else { 1.0 - p };
            let expected = 1e5 * tail / (1.0 + p) * p.powi(distance as i32);
            sum += (f64::from(count) - expected).powi(2) / expected;
        }
        sum
    }

    #[test]
    fn noise_falls_by_e_to_the_epsilon_at_each_step() {
        // 8 degrees of freedom: P(χ² > 39.7) = 4e-6.
        assert!(statistic(ratio(1, 1), 1, 3, 30) < 39.7);
        assert!(statistic(ratio(3, 10), 1, 3, 31) < 39.7);
        assert!(statistic(ratio(7, 3), 2, 3, 32) < 39.7);
        assert!(statistic(ratio(1, 2), 6, 3, 33) < 39.7);
    }

    #[test]
    fn geometric_has_its_mean() {
        let law = Geometric::new(ratio(1, 1000), 1).unwrap();
        let mut stream = Seed::from_number(34).stream(0);
        let mean = (0..100_000).map(|_| law.draw(&mut stream) as f64).sum::<f64>() / 1e5;
        // Mean and standard deviation p/(1 − p) and √p/(1 − p); P(|Z| > 4.5) = 7e-6.
        let p = (-0.001f64).exp();
        assert!((mean - p / (1.0 - p)).abs() < 4.5 * p.sqrt() / (1.0 - p) / 1e5f64.sqrt());
    }

    #[test]
    fn extreme_parameters_fit_or_are_refused() {
        let mut stream = Seed::from_number(35).stream(0);
        let none = TwoSided::new(ratio(u64::MAX, 1), 1).unwrap();
        assert!((0..100).all(|_| none.draw(&mut stream) == 0));
        let wide = TwoSided::new(Rational::from_decimal(1e-18).unwrap(), 1).unwrap();
        // |x| < 10⁹ has a probability of 1e-9.
        assert!(wide.draw(&mut stream).abs() > 1_000_000_000);
        assert_eq!(TwoSided::new(Rational::ZERO, 1), None);
        assert_eq!(TwoSided::new(ratio(1, 1), 0), None);
        assert_eq!(TwoSided::new(ratio(1, 1 << 40), 1 << 40), None);
        assert!(TwoSided::new(ratio(1 << 40, 3), 1 << 40).is_some());
    }

    #[test]
    fn equal_seeds_give_equal_noise() {
        let law = TwoSided::new(ratio(1, 100), 1).unwrap();
        let draws = |seed| {
            let mut stream = Seed::from_number(seed).stream(0);
            [(); 8].map(|()| law.draw(&mut stream))
        };
        assert_eq!(draws(36), draws(36));
        assert_ne!(draws(36), draws(37));
    }

    /// Other signs would have the same law, and a release could no longer be made again from its seed.
    #[test]
    fn a_seed_gives_the_noise_that_it_always_gave() {
        let law = TwoSided::new(ratio(1, 100), 1).unwrap();
        let mut stream = Seed::from_number(36).stream(0);
        let noise = [(); 8].map(|()| law.draw(&mut stream));
        assert_eq!(noise, [-26, -107, 100, -170, 25, -88, 2, 15]);
    }
}
