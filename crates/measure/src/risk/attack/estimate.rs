//! Means over persons, with confidence intervals.

use std::f64::consts::E;

use crate::risk::audit::Tally;

/// The mean of shares between 0 and 1, which may be known as bounds only.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Mean {
    low: f64,
    high: f64,
    people: u64,
    /// Whether some share was neither 0 nor 1.
    fractional: bool,
}

/// A share, or its bounds where a release does not tell more.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Share {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Share {
    pub(crate) fn exactly(share: f64) -> Self {
        Self { low: share, high: share }
    }

    pub(crate) fn of(yes: bool) -> Self {
        Self::exactly(f64::from(u8::from(yes)))
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

impl Mean {
    /// Adds the share of some alike persons.
    pub(crate) fn add(&mut self, share: Share, people: u64) {
        let number = people as f64;
        self.low += share.low * number;
        self.high += share.high * number;
        self.people += people;
        self.fractional |= [share.low, share.high].iter().any(|share| *share > 0.0 && *share < 1.0);
    }

    /// The upper bound of the mean.
    pub(crate) fn rate(&self) -> f64 {
        self.share(self.high)
    }

    /// Its lower bound, where that is another.
    pub(crate) fn at_least(&self) -> Option<f64> {
        (self.high - self.low > 1e-9 * self.high).then(|| self.share(self.low))
    }

    fn share(&self, sum: f64) -> f64 {
        if self.people == 0 { 0.0 } else { (sum / self.people as f64).clamp(0.0, 1.0) }
    }

    /// An interval that has the mean over all persons with the given confidence, if these were drawn
    /// independently; the bounds themselves if these are all persons.
    ///
    /// For shares that are 0 or 1 it is Clopper and Pearson's. For others Bentkus 2004 gives
    /// P[sum ≥ x] ≤ e · P[binomial ≥ x] at whole x, so that a level e times smaller serves.
    pub(crate) fn interval(&self, all: bool, confidence: f64) -> [f64; 2] {
        if all || self.people == 0 {
            return [self.share(self.low), self.share(self.high)];
        }
        let level = (1.0 - confidence) / if self.fractional { 2.0 * E } else { 2.0 };
        let tally = |hits: f64| Tally { hits: (hits as u64).min(self.people), runs: self.people };
        // Sums of fractions miss whole numbers by their rounding.
        let (low, high) = ((self.low + 1e-9).floor(), (self.high - 1e-9).ceil());
        [tally(low.max(0.0)).lower(level), tally(high.max(0.0)).upper(level)]
    }
}

#[cfg(test)]
mod tests {
    use velamen_dp::{Seed, below};

    use super::*;

    fn mean(shares: impl IntoIterator<Item = f64>) -> Mean {
        let mut mean = Mean::default();
        shares.into_iter().for_each(|share| mean.add(Share::exactly(share), 1));
        mean
    }

    #[test]
    fn whole_shares_have_the_exact_interval() {
        let found = mean([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let [low, high] = found.interval(false, 0.95);
        assert!((low - 0.0025).abs() < 5e-5 && (high - 0.4450).abs() < 5e-5, "{low} {high}");
        assert_eq!(found.interval(true, 0.95), [0.1, 0.1]);
        assert_eq!((found.rate(), found.at_least()), (0.1, None));
    }

    #[test]
    fn bounds_stay_apart() {
        let mut found = Mean::default();
        found.add(Share { low: 0.0, high: 0.5 }, 4);
        assert_eq!((found.rate(), found.at_least()), (0.5, Some(0.0)));
        let [low, high] = found.interval(false, 0.95);
        assert!(low.abs() < 1e-12 && high > 0.5);
        assert_eq!(Mean::default().interval(false, 0.95), [0.0, 0.0]);
    }

    #[test]
    fn intervals_miss_the_mean_as_seldom_as_stated() {
        // Shares of 0, ¼, ½, ¾, 1 alike often; the mean is ½. A right interval misses in 5 % of all.
        let mut stream = Seed::from_number(5).stream(0);
        let missed = (0..400).filter(|_| {
            let shares: Vec<f64> = (0..60).map(|_| below(&mut stream, 5) as f64 / 4.0).collect();
            let [low, high] = mean(shares).interval(false, 0.95);
            low > 0.5 || high < 0.5
        });
        // P[Bin(400, 0.05) > 42] < 10⁻⁵.
        assert!(missed.count() <= 42);
    }
}
