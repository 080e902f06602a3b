//! Error bars of noisy counts: how far counts of invented records can be from those of the original.
//!
//! # Theorem
//! Each of n counts has discrete Gaussian noise of σ², whatever the counts are. They are summed to r parts of n/r counts each. For
//! every λ ≥ 0, with probability at least 1 − e^−λ²,
//!
//! ‖sums − true sums‖₁ ≤ σ √(2n (r ln 2 + λ²)).
//!
//! *Proof.* The noise X of one count has E e^(sX) ≤ e^(s²σ²/2) for every s (Canonne, Kamath and Steinke 2020, Fact 18). So that
//! of a sum Z of n/r counts has E e^(sZ) ≤ e^(s²σ²n/(2r)). E e^(s|Z|) ≤ E e^(sZ) + E e^(−sZ) is at most twice that. Parts are
//! independent: E e^(s‖Z‖₁) ≤ 2^r e^(s²σ²n/2). By Markov, ‖Z‖₁ > t has a probability of at most e^(r ln 2 + s²σ²n/2 − st), which the
//! best s makes e^(r ln 2 − t²/(2σ²n)). That is e^−λ² for the t above. Parts of unequal size change nothing but n/r, whose sum is n. ∎
//!
//! With r = 1 it bounds one sum of counts from both sides.
//!
//! # All together
//! A table may be chosen to be measured by the noise of earlier ones: given these, its own noise has its law. So the probability that any
//! bar fails is at most their number times e^−λ². Of d attributes there are d tables of one, and, in methods that measure one more
//! a round, at most 17d further ones of up to two attributes, with three sets of attributes in each: 52d bars.
//!
//! # References
//! Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy". McKenna, Mullins, Sheldon and Miklau 2022 bound
//! distances alike.

/// Bars of tables in one release, which hold all together with probability [`ErrorBars::CONFIDENCE`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorBars {
    /// λ².
    doubt: f64,
}

impl ErrorBars {
    /// The probability that all bars hold.
    pub const CONFIDENCE: f64 = 0.95;
    /// The most bars for each attribute.
    const FOR_EACH: f64 = 52.0;

    /// Of a release of so many attributes.
    #[must_use]
    pub fn of(attributes: usize) -> Self {
        let bars = Self::FOR_EACH * attributes.max(1) as f64;
        Self { doubt: (bars / (1.0 - Self::CONFIDENCE)).ln() }
    }

    /// How far `counts` noisy counts of this variance, summed to `parts`, may be from the true ones: Σ |sum − true sum|, in
    /// records.
    #[must_use]
    pub fn distance(self, variance: f64, counts: usize, parts: usize) -> f64 {
        (2.0 * variance * counts as f64 * (parts as f64 * std::f64::consts::LN_2 + self.doubt)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_dp::{Gaussian, Rational, Seed};

    #[test]
    fn bars_are_as_the_theorem_has_them() {
        let bars = ErrorBars::of(10);
        // λ² = ln(520/0.05).
        assert!((bars.doubt - 9.249_561).abs() < 1e-6, "{bars:?}");
        let single = bars.distance(4.0, 1, 1);
        assert!((single - (8.0f64 * (std::f64::consts::LN_2 + 9.249_561)).sqrt()).abs() < 1e-5, "{single}");
        assert!(bars.distance(4.0, 100, 10) < bars.distance(4.0, 100, 100));
        assert!(ErrorBars::of(0).doubt.is_finite());
    }

    /// Of noise as it is drawn, with λ² = ln 10: at most a tenth of the distances are beyond the bar.
    #[test]
    fn a_bar_holds_as_often_as_it_says() {
        let bars = ErrorBars { doubt: 10.0f64.ln() };
        let mut stream = Seed::from_number(90).stream(0);
        for (variance, counts, parts) in [(1, 6, 6), (9, 6, 2), (4, 1, 1), (4, 12, 1)] {
            let law = Gaussian::new(Rational::new(variance, 1).unwrap()).unwrap();
            let bar = bars.distance(variance as f64, counts, parts);
            let mut sum = || (0..counts / parts).map(|_| law.draw(&mut stream)).sum::<i64>().abs() as f64;
            let distances: Vec<f64> = (0..1000).map(|_| (0..parts).map(|_| sum()).sum()).collect();
            let beyond = |bar: f64| distances.iter().filter(|&&distance| distance > bar).count();
            assert!(beyond(bar) <= 100, "{variance} {counts} {parts}: {}", beyond(bar));
            // And it is no idle bar: a third of it is often exceeded.
            assert!(beyond(bar / 3.0) > 300, "{variance} {counts} {parts}: {}", beyond(bar / 3.0));
        }
    }
}
