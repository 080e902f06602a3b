//! How likely noise reaches a threshold, and the least threshold that keeps that unlikely.
//!
//! Only products and quotients of IEEE 754 take part, each followed by a step to the next number up, from an
//! upper bound of e^−ε: what is called a bound is one, and equal on every machine.

use velamen_core::safe_pub::exp_minus;
use velamen_dp::Rational;

/// What noise alone makes of the empty cells of a domain, on average. Public: it follows from ε, the
/// threshold and the size of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Released cells that may have no record.
    pub cells: f64,
    /// The records that they are released with.
    pub records: f64,
}

impl Expected {
    /// Nothing.
    pub const NONE: Self = Self { cells: 0.0, records: 0.0 };
}

/// Upper bounds of P(noise ≥ T) = α^T/(1 + α) for two-sided geometric noise with α = e^−ε.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// α^(2^i).
    powers: Vec<f64>,
    /// 1/(1 + α).
    not_negative: f64,
}

impl Tail {
    /// For an ε above 0.
    #[must_use]
    pub fn new(epsilon: Rational) -> Self {
        let (below, above) = exp_minus(epsilon);
        let mut powers = vec![above];
        for i in 0..63 {
            powers.push((powers[i] * powers[i]).next_up());
        }
        Self { powers, not_negative: (1.0 / (1.0 + below).next_down()).next_up() }
    }

    /// P(noise ≥ `threshold`), from above.
    #[must_use]
    pub fn reaches(&self, threshold: u64) -> f64 {
        let factors = (0..64).filter(|i| threshold >> i & 1 == 1).map(|i| self.powers[i]);
        factors.fold(self.not_negative, |product, factor| (product * factor).next_up())
    }

    /// The least T for which the bound shows P(noise ≥ T) ≤ `most`, which is above 0.
    ///
    /// Bits are tried from the highest: those are kept with which the bound is still above `most`. One more
    /// than what is kept was tried and found not to be.
    #[must_use]
    pub fn least(&self, most: f64) -> u64 {
        let (mut kept, mut bound) = (0u64, self.not_negative);
        if bound <= most {
            return 0;
        }
        for i in (0..63).rev() {
            let tried = (bound * self.powers[i]).next_up();
            if tried > most {
                (kept, bound) = (kept | 1 << i, tried);
            }
        }
        kept + 1
    }

    /// What so many empty cells come to at a threshold.
    #[must_use]
    pub fn expected(&self, cells: u128, threshold: u64) -> Expected {
        let released = self.reaches(threshold) * cells as f64;
        // Above the threshold noise is geometric, with mean α/(1 − α).
        let mean = threshold as f64 + self.powers[0] / (1.0 - self.powers[0]);
        Expected { cells: released, records: released * mean }
    }

    /// The records that so many counts of nothing come to where negative ones count 0: α/(1 − α²) each.
    #[must_use]
    pub fn expected_at_zero(&self, counts: u128) -> f64 {
        counts as f64 * self.powers[0] / (1.0 - self.powers[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(epsilon: f64) -> Tail {
        Tail::new(Rational::from_decimal(epsilon).unwrap())
    }

    fn chance(epsilon: f64, threshold: u64) -> f64 {
        (-epsilon * threshold as f64).exp() / (1.0 + (-epsilon).exp())
    }

    #[test]
    fn bounds_are_tight() {
        for epsilon in [0.001, 0.3, 1.0, 7.0, 59.0] {
            for threshold in [0, 1, 2, 7, 100] {
                let (bound, exact) = (tail(epsilon).reaches(threshold), chance(epsilon, threshold));
                assert!(bound >= exact * (1.0 - 1e-12), "{epsilon} {threshold}");
                assert!(bound <= exact * (1.0 + 1e-11) + 1e-300, "{epsilon} {threshold}: {bound} {exact}");
            }
        }
        assert!(tail(1e6).reaches(1) < 1e-25);
    }

    #[test]
    fn the_least_threshold_is_the_least() {
        for epsilon in [0.001, 0.1, 0.7, 1.0, 3.0, 20.0] {
            for most in [0.6, 0.3, 1e-2, 1e-5, 1e-9, 1e-30] {
                let least = tail(epsilon).least(most);
                assert!(chance(epsilon, least) <= most, "{epsilon} {most}");
                assert!(
                    least == 0 || chance(epsilon, least - 1) > most * (1.0 - 1e-9),
                    "{epsilon} {most}: {least}"
                );
            }
        }
    }

    #[test]
    fn expected_records_are_those_of_the_law() {
        let law = tail(0.5);
        let p = |count: u64| (-0.5 * count as f64).exp() * (1.0 - (-0.5f64).exp()) / (1.0 + (-0.5f64).exp());
        let sum = |from: u64| (from..500).map(|count| count as f64 * p(count)).sum::<f64>();
        let expected = law.expected(1000, 4);
        assert!((expected.records - 1000.0 * sum(4)).abs() < 1e-9 * expected.records);
        assert!((expected.cells - 1000.0 * chance(0.5, 4)).abs() < 1e-9);
        assert!((law.expected_at_zero(1000) - 1000.0 * sum(1)).abs() < 1e-6);
    }
}
