//! Which of many distances reach a threshold: the sparse vector technique.
//!
//! # References
//! Lyu, Su and Li 2017, "Understanding the sparse vector technique for differential privacy", Algorithm 1.

use crate::{Rational, TwoSided};

/// Noise on the distances and on their threshold, for at most so many distances that reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchLaw {
    pub(crate) epsilon: Rational,
    pub(crate) threshold: TwoSided,
    pub(crate) distance: TwoSided,
    most: u64,
}

impl WatchLaw {
    /// For a loss of ε, half of it for the threshold; `most` is how many distances may be found to reach it, from 1. One record more or less
    /// moves a distance by 1 at most. `None` if ε is 0 or has too many digits.
    #[must_use]
    pub fn new(epsilon: Rational, most: u64) -> Option<Self> {
        let half = Rational::new(1, 2).ok().and_then(|half| epsilon.checked_mul(half))?;
        let twice = most.checked_mul(2)?;
        let (threshold, distance) = (TwoSided::new(half, 1)?, TwoSided::new(half, twice)?);
        Some(Self { epsilon, threshold, distance, most })
    }

    /// The scale of the distances' noise, for reports.
    #[must_use]
    pub fn scale(&self) -> f64 {
        4.0 * self.most as f64 / self.epsilon.to_f64()
    }

    pub(crate) fn most(&self) -> u64 {
        self.most
    }
}

/// A watch that was paid for: the noise of its threshold, and how many distances may still reach it. Neither shows.
pub struct Watched {
    pub(crate) law: WatchLaw,
    pub(crate) shift: i128,
    pub(crate) left: u64,
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watched(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_loss_is_for_the_threshold() {
        let law = WatchLaw::new(Rational::new(1, 2).unwrap(), 3).unwrap();
        let noise = |epsilon: (u64, u64), sensitivity| {
            TwoSided::new(Rational::new(epsilon.0, epsilon.1).unwrap(), sensitivity)
        };
        assert_eq!((Some(law.threshold), Some(law.distance)), (noise((1, 4), 1), noise((1, 4), 6)));
        // 2 · 3/(¼).
        assert_eq!((law.most(), law.scale()), (3, 24.0));
        assert_eq!(
            (WatchLaw::new(Rational::ZERO, 3), WatchLaw::new(Rational::new(1, 2).unwrap(), u64::MAX)),
            (None, None)
        );
        assert_eq!(format!("{:?}", Watched { law, shift: 17, left: 3 }), "Watched(…)");
    }
}
