//! Which of very many zero counts noise lifts to a threshold, without drawing the noise of each.
//!
//! # Definition
//! Of `cells` cells each is a success by itself with probability p = P(noise ≥ T) = e^−εT/(1 + e^−ε), the
//! noise being two-sided geometric with ε. [`Rare`] gives the successes in ascending order. The set has
//! exactly the law that drawing noise for every cell gives: docs/methods/ipa-private.md, "Empty cells".
//!
//! # How
//! With B = 20^i · 2^j, the candidates are the successes of coins of bias 1/B, whose gaps are drawn at once
//! (geometric, exact). A candidate is a success with probability Bp = (20/e³)^i (2/e)^j e^−r · 1/(1 + e^−ε),
//! where εT = 3i + j + r: a product of exact coins. 1/B · Bp = p.
//!
//! # Complexity
//! Time O(1 + cells/B) expected, where B ≥ 1/(12p) for εT up to 81; nothing is held in memory.
//!
//! # References
//! Cormode, Procopiuc, Srivastava and Tran 2012, "Differentially private summaries for sparse data"; Devroye
//! 1986, "Non-uniform random variate generation", on skipping by gaps.

use crate::alternating::{failures, twenty_over_e_cubed, two_over_e};
use crate::bernoulli::exp_minus;
use crate::{Rational, Stream, below};

/// The most factors 20 of a scale: 20²⁷ · 2² is below 2¹¹⁹.
const MOST_THREES: u128 = 27;
/// The most factors 2 of a scale: with them what is left of εT is below 1, if there are threes enough.
const MOST_ONES: u128 = 2;

/// The law of the successes: ε and the threshold, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rare {
    epsilon: Rational,
    /// B.
    scale: u128,
    threes: u32,
    ones: u32,
    /// r, as a numerator over ε's denominator.
    rest: u128,
}

impl Rare {
    /// The cells most that [`Rare::draw`] can go through.
    pub const MOST_CELLS: u128 = 1 << 120;

    /// For noise of this ε and this threshold.
    #[must_use]
    pub fn new(epsilon: Rational, threshold: u64) -> Self {
        let denominator = u128::from(epsilon.denominator());
        let exponent = u128::from(epsilon.numerator()) * u128::from(threshold);
        let threes = (exponent / (3 * denominator)).min(MOST_THREES);
        let beyond = exponent - 3 * threes * denominator;
        let ones = (beyond / denominator).min(MOST_ONES);
        let scale = 20u128.pow(threes as u32) << ones;
        let rest = beyond - ones * denominator;
        Self { epsilon, scale, threes: threes as u32, ones: ones as u32, rest }
    }

    /// The successes among `cells` cells, ascending.
    ///
    /// # Panics
    /// If there are more than [`Rare::MOST_CELLS`].
    pub fn draw(self, cells: u128, stream: &mut Stream) -> impl Iterator<Item = u128> + '_ {
        assert!(cells <= Self::MOST_CELLS, "positions fit 120 bits");
        let mut next = 0u128;
        std::iter::from_fn(move || {
            while next < cells {
                let candidate = next.saturating_add(failures(stream, self.scale));
                next = candidate.saturating_add(1);
                if candidate < cells && self.succeeds(stream) {
                    return Some(candidate);
                }
            }
            None
        })
    }

    /// Heads with probability Bp.
    fn succeeds(&self, stream: &mut Stream) -> bool {
        not_negative(stream, self.epsilon)
            && exp_minus(stream, self.rest, self.epsilon.denominator().into())
            && (0..self.ones).all(|_| two_over_e(stream))
            && (0..self.threes).all(|_| twenty_over_e_cubed(stream))
    }
}

/// Heads with probability 1/(1 + e^−ε), that of noise to be 0 or more: a fair coin's heads come first,
/// before its tails with heads of a coin of bias e^−ε.
fn not_negative(stream: &mut Stream, epsilon: Rational) -> bool {
    loop {
        if below(stream, 2) == 0 {
            return true;
        }
        if exp_minus(stream, epsilon.numerator().into(), epsilon.denominator().into()) {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Seed, TwoSided};

    fn ratio(numerator: u64, denominator: u64) -> Rational {
        Rational::new(numerator, denominator).unwrap()
    }

    fn chance(epsilon: Rational, threshold: u64) -> f64 {
        let epsilon = epsilon.to_f64();
        (-epsilon * threshold as f64).exp() / (1.0 + (-epsilon).exp())
    }

    /// ε and T that lead to every mixture of factors.
    const LAWS: [(u64, u64, u64); 7] =
        [(1, 10, 1), (1, 2, 1), (1, 1, 1), (1, 1, 2), (7, 10, 4), (1, 1, 5), (3, 2, 5)];

    #[test]
    fn patterns_of_three_cells_are_as_likely_as_with_noise_for_each() {
        for (numerator, denominator, threshold) in LAWS {
            let epsilon = ratio(numerator, denominator);
            let (law, p) = (Rare::new(epsilon, threshold), chance(epsilon, threshold));
            let mut stream = Seed::from_number(60).stream(threshold);
            let mut counts = [0u32; 8];
            const DRAWS: u32 = 300_000;
            for _ in 0..DRAWS {
                let pattern: u128 = law.draw(3, &mut stream).map(|cell| 1 << cell).sum();
                counts[pattern as usize] += 1;
            }
            let expected = |pattern: u32| {
                let heads = pattern.count_ones() as i32;
                f64::from(DRAWS) * p.powi(heads) * (1.0 - p).powi(3 - heads)
            };
            // Rare patterns are put together so that each part is expected 20 times at least.
            let (mut statistic, mut observed, mut hoped) = (0.0, 0.0, 0.0);
            for (pattern, &count) in (0u32..).zip(&counts) {
                observed += f64::from(count);
                hoped += expected(pattern);
                if hoped > 20.0 {
                    statistic += (observed - hoped).powi(2) / hoped;
                    (observed, hoped) = (0.0, 0.0);
                }
            }
            // At most 7 degrees of freedom: P(χ² > 37) = 5e-6, and the seed is fixed.
            assert!(statistic < 37.0, "{epsilon} {threshold}: {statistic} {counts:?}");
        }
    }

    #[test]
    fn as_many_cells_succeed_as_with_noise_for_each() {
        let epsilon = ratio(7, 10);
        let (law, noise) = (Rare::new(epsilon, 6), TwoSided::new(epsilon, 1).unwrap());
        let mut stream = Seed::from_number(61).stream(0);
        let sparse = (0..200).map(|_| law.draw(5000, &mut stream).count()).sum::<usize>() as f64;
        let dense = (0..1_000_000).filter(|_| noise.draw(&mut stream) >= 6).count() as f64;
        // Both are binomial of 10⁶ with p = 0.01: their difference has the variance 2 · 10⁶ p (1 − p);
        // P(|Z| > 4.5) = 7e-6.
        let p = chance(epsilon, 6);
        let deviation = (2e6 * p * (1.0 - p)).sqrt();
        assert!((sparse - dense).abs() < 4.5 * deviation, "{sparse} {dense}");
        assert!((sparse - 1e6 * p).abs() < 4.5 * deviation, "{sparse}");
    }

    #[test]
    fn places_are_uniform_in_domains_past_64_bits() {
        // p = e^−50/(1 + e^−1), so that of 2^80 cells some 170 succeed.
        let law = Rare::new(ratio(1, 1), 50);
        let cells = 1u128 << 80;
        let p = chance(ratio(1, 1), 50);
        let mut stream = Seed::from_number(62).stream(0);
        let found: Vec<u128> =
            (0..20).flat_map(|_| law.draw(cells, &mut stream).collect::<Vec<_>>()).collect();
        let expected = 20.0 * cells as f64 * p;
        assert!((found.len() as f64 - expected).abs() < 4.5 * expected.sqrt(), "{} {expected}", found.len());
        let mean = found.iter().map(|&cell| cell as f64 / cells as f64).sum::<f64>() / found.len() as f64;
        assert!((mean - 0.5).abs() < 4.5 / (12.0 * found.len() as f64).sqrt());
        assert!(found.chunk_by(|a, b| a < b).count() <= 20, "each draw ascends");
    }

    #[test]
    fn extremes_end_and_equal_seeds_agree() {
        let mut stream = Seed::from_number(63).stream(0);
        assert_eq!(Rare::new(ratio(1, 1), 5).draw(0, &mut stream).count(), 0);
        // e^−1000 is beyond the scale: nothing succeeds in the largest domain.
        let never = Rare::new(ratio(1000, 1), u64::MAX);
        assert_eq!(never.draw(Rare::MOST_CELLS, &mut stream).count(), 0);
        let draws = |number| {
            let mut stream = Seed::from_number(64).stream(number);
            Rare::new(ratio(1, 3), 9).draw(1000, &mut stream).collect::<Vec<_>>()
        };
        assert_eq!(draws(0), draws(0));
        assert_ne!(draws(0), draws(1));
    }

    #[test]
    fn a_seed_gives_the_cells_that_it_always_gave() {
        let mut stream = Seed::from_number(65).stream(0);
        let cells: Vec<u128> = Rare::new(ratio(1, 3), 9).draw(200, &mut stream).collect();
        assert_eq!(cells, [17, 29, 77, 156, 167]);
    }

    #[test]
    fn no_cells_take_nothing_from_the_stream() {
        let (mut used, mut fresh) = (Seed::from_number(66).stream(0), Seed::from_number(66).stream(0));
        assert_eq!(Rare::new(ratio(1, 1), 5).draw(0, &mut used).count(), 0);
        assert_eq!(used.word(), fresh.word());
    }
}
