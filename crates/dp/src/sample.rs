//! Exact samplers: every probability is a ratio of integers, and no floating point takes part.

use crate::Stream;

/// A uniformly random number below `bound`, by rejection (Lemire 2019, without its bias).
///
/// # Panics
/// If `bound` is 0.
pub fn below(stream: &mut Stream, bound: u64) -> u64 {
    assert!(bound > 0, "a draw needs at least one outcome");
    let threshold = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(stream.word()) * u128::from(bound);
        if product as u64 >= threshold {
            return (product >> 64) as u64;
        }
    }
}

/// Draws an index with probability proportional to its weight.
///
/// Time: O(m) to build, O(log m) a draw, for m weights.
#[derive(Debug, Clone)]
pub struct Empirical {
    cumulative: Vec<u64>,
}

impl Empirical {
    /// A sampler for these weights; `None` if they sum to 0 or past 2⁶⁴ − 1.
    #[must_use]
    pub fn new(weights: &[u64]) -> Option<Self> {
        let mut total = 0u64;
        let mut cumulative = Vec::with_capacity(weights.len());
        for weight in weights {
            total = total.checked_add(*weight)?;
            cumulative.push(total);
        }
        (total > 0).then_some(Self { cumulative })
    }

    /// The next index.
    pub fn draw(&self, stream: &mut Stream) -> usize {
        let total = *self.cumulative.last().expect("a sampler has at least one weight");
        let point = below(stream, total);
        self.cumulative.partition_point(|&c| c <= point)
    }
}

/// The geometric law on 0 … `most` with ratio ½: P(x) ∝ 2^−x, cut off above `most`.
///
/// Exact: counts the leading successes of fair coins and draws again past `most`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruncatedGeometric {
    /// The largest outcome.
    pub most: u64,
}

impl TruncatedGeometric {
    /// The next outcome, from 0 to `most`.
    pub fn draw(self, stream: &mut Stream) -> u64 {
        loop {
            let heads = Self::heads(stream);
            if heads <= self.most {
                return heads;
            }
        }
    }

    fn heads(stream: &mut Stream) -> u64 {
        let mut heads = 0;
        loop {
            let run = u64::from(stream.word().trailing_ones());
            heads += run;
            if run < 64 {
                return heads;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    /// Pearson's statistic against expected counts.
    fn chi_squared(observed: &[u64], expected: &[f64]) -> f64 {
        observed.iter().zip(expected).map(|(o, e)| (*o as f64 - e).powi(2) / e).sum()
    }

    #[test]
    fn below_is_uniform() {
        let mut stream = Seed::from_number(1).stream(0);
        let mut counts = [0u64; 10];
        for _ in 0..100_000 {
            counts[below(&mut stream, 10) as usize] += 1;
        }
        // 9 degrees of freedom: P(χ² > 33.7) = 1e-4, and the seed is fixed.
        assert!(chi_squared(&counts, &[10_000.0; 10]) < 33.7);
    }

    #[test]
    fn empirical_follows_its_weights() {
        let sampler = Empirical::new(&[1, 0, 3, 6]).unwrap();
        let mut stream = Seed::from_number(2).stream(0);
        let mut counts = [0u64; 4];
        for _ in 0..100_000 {
            counts[sampler.draw(&mut stream)] += 1;
        }
        assert_eq!(counts[1], 0);
        let kept = [counts[0], counts[2], counts[3]];
        // 2 degrees of freedom: P(χ² > 18.4) = 1e-4.
        assert!(chi_squared(&kept, &[10_000.0, 30_000.0, 60_000.0]) < 18.4);
        assert!(Empirical::new(&[0, 0]).is_none());
        assert!(Empirical::new(&[u64::MAX, 1]).is_none());
    }

    #[test]
    fn truncated_geometric_halves_at_each_step() {
        let law = TruncatedGeometric { most: 3 };
        let mut stream = Seed::from_number(3).stream(0);
        let mut counts = [0u64; 4];
        for _ in 0..150_000 {
            counts[law.draw(&mut stream) as usize] += 1;
        }
        // 3 degrees of freedom: P(χ² > 21.1) = 1e-4.
        assert!(chi_squared(&counts, &[80_000.0, 40_000.0, 20_000.0, 10_000.0]) < 21.1);
        assert_eq!(TruncatedGeometric { most: 0 }.draw(&mut stream), 0);
    }
}
