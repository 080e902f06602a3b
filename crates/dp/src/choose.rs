//! The exponential mechanism over integer scores, exactly.
//!
//! # References
//! McSherry and Talwar 2007, "Mechanism design via differential privacy".

use crate::bernoulli::exp_minus;
use crate::{Rational, Stream, below};

/// Draws an index with P(i) ∝ exp(ε · scoreᵢ / (2Δ)), which is ε-differentially private where one
/// record moves each score by at most the `sensitivity` Δ.
///
/// Exact: draws a candidate uniformly and accepts it with probability exp(−ε(max − scoreᵢ)/(2Δ)),
/// an exact coin. The best candidate is always accepted, so of m candidates at most m are drawn on
/// average, O(1) each: never more than reading the scores costs.
///
/// Every product fits: ε is a ratio of integers below 2⁶⁴ and 2⁶³, the distance of two scores and Δ
/// are below 2⁶⁴, so both sides of the fraction are below 2¹²⁸.
///
/// # Panics
/// If there are no scores, or the sensitivity is 0.
pub fn choose(scores: &[i64], sensitivity: u64, epsilon: Rational, stream: &mut Stream) -> usize {
    assert!(sensitivity > 0, "a sensitivity is at least 1");
    let best = *scores.iter().max().expect("a choice needs at least one candidate");
    let denominator = u128::from(epsilon.denominator()) * 2 * u128::from(sensitivity);
    loop {
        let candidate = below(stream, scores.len() as u64) as usize;
        let distance = best.abs_diff(scores[candidate]);
        if exp_minus(stream, u128::from(epsilon.numerator()) * u128::from(distance), denominator) {
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    const DRAWS: u32 = 100_000;

    fn statistic(scores: &[i64], sensitivity: u64, epsilon: Rational, seed: u64) -> f64 {
        let mut stream = Seed::from_number(seed).stream(0);
        let mut counts = vec![0u32; scores.len()];
        for _ in 0..DRAWS {
            counts[choose(scores, sensitivity, epsilon, &mut stream)] += 1;
        }
        let weight = |score: i64| (epsilon.to_f64() * score as f64 / (2.0 * sensitivity as f64)).exp();
        let total: f64 = scores.iter().map(|&score| weight(score)).sum();
        let expected = scores.iter().map(|&score| f64::from(DRAWS) * weight(score) / total);
        counts.iter().zip(expected).map(|(&count, e)| (f64::from(count) - e).powi(2) / e).sum()
    }

    #[test]
    fn the_law_is_the_exponential_of_the_score() {
        // 4 degrees of freedom: P(χ² > 29.9) = 5e-6.
        let scores = [-3, 0, 1, 1, 2];
        assert!(statistic(&scores, 1, Rational::new(1, 1).unwrap(), 20) < 29.9);
        assert!(statistic(&scores, 3, Rational::new(7, 2).unwrap(), 21) < 29.9);
        // Without a budget, uniformly.
        assert!(statistic(&scores, 1, Rational::ZERO, 22) < 29.9);
    }

    #[test]
    fn extreme_scores_and_parameters_fit() {
        let mut stream = Seed::from_number(23).stream(0);
        let scores = [i64::MIN, i64::MAX, 0];
        let huge = Rational::new(u64::MAX, 1).unwrap();
        assert!((0..100).all(|_| choose(&scores, 1, huge, &mut stream) == 1));
        let tiny = Rational::new(u64::MAX, i64::MAX as u64).unwrap();
        let drawn: Vec<usize> = (0..300).map(|_| choose(&scores, u64::MAX, tiny, &mut stream)).collect();
        // Weights e^−1, 1 and e^−½: each misses 300 draws with a probability below 1e-25.
        assert!((0..3).all(|index| drawn.contains(&index)));
        assert_eq!(choose(&[5], 1, huge, &mut stream), 0);
    }

    #[test]
    fn many_poor_candidates_do_not_hide_the_good_one() {
        let mut scores = vec![-1000; 10_000];
        scores[777] = 0;
        let mut stream = Seed::from_number(24).stream(0);
        // The rest together weighs 10⁴ · e^−500.
        assert_eq!(choose(&scores, 1, Rational::new(1, 1).unwrap(), &mut stream), 777);
    }
}
