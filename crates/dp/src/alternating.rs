//! Coins whose bias is an alternating series, flipped exactly.
//!
//! # Why they are exact
//! A chain of coins is flipped until the first tails. If the first i coins all show heads with probability
//! tᵢ, the number of heads is odd with probability t₁ − t₂ + t₃ − …, and even with 1 less that. So whatever
//! is an alternating sum of falling terms with rational ratios can be flipped with rational coins alone.
//! This is von Neumann's comparison method; [`bernoulli_exp`](crate::bernoulli_exp) is another case of it.
//!
//! # References
//! von Neumann 1951, "Various techniques used in connection with random digits"; Forsythe 1972, "Von
//! Neumann's comparison method for random sampling from the normal and other distributions".

use crate::bernoulli::below_wide;
use crate::{Stream, below};

/// How many coins show heads before the first tails: `first`, `second`, then x/k, x/(k + 1), …
fn heads(stream: &mut Stream, first: (u64, u64), second: (u64, u64), x: u64, k: u64) -> u64 {
    let mut heads = 0;
    for (numerator, denominator) in [first, second] {
        if below(stream, denominator) >= numerator {
            return heads;
        }
        heads += 1;
    }
    while below(stream, k + heads - 2) < x {
        heads += 1;
    }
    heads
}

/// Heads with probability 2/e = 0.7357….
///
/// 2/e = 2(1/2! − 1/3! + 1/4! − …): the terms are 1, 1/3, 1/12, …, each the one before by 1/k.
pub(crate) fn two_over_e(stream: &mut Stream) -> bool {
    heads(stream, (1, 1), (1, 3), 1, 4) % 2 == 1
}

/// Heads with probability 20/e³ = 0.9957….
///
/// 20/e³ = 20 Σ (−3)^k/k!. The terms up to k = 12 add up to [`WHOLE`]; from there on they fall, the next
/// one being [`THIRTEENTH`] of that sum, each other 3/k of the one before.
pub(crate) fn twenty_over_e_cubed(stream: &mut Stream) -> bool {
    heads(stream, WHOLE, THIRTEENTH, 3, 14) % 2 == 1
}

/// 20 Σ (−3)^k/k! for k up to 12.
const WHOLE: (u64, u64) = (23_948_865, 23_950_080);
/// 20·3¹³/13! by [`WHOLE`].
const THIRTEENTH: (u64, u64) = (1_594_323, 311_335_245);

/// Heads with probability (1 − 1/scale)^power, for a power of at most `scale`.
///
/// The binomial series 1 − C(n, 1)/s + C(n, 2)/s² − …: each term is (n − i)/((i + 1)s) of the one before.
pub(crate) fn all_fail(stream: &mut Stream, scale: u128, power: u128) -> bool {
    let mut terms: u64 = 0;
    while below_wide(stream, scale) < power - u128::from(terms) && below(stream, terms + 1) == 0 {
        terms += 1;
    }
    terms.is_multiple_of(2)
}

/// How many coins of bias 1/scale show tails before the first heads, at most 2¹²⁸ − 1.
///
/// The remainder by the scale is drawn by rejection from the uniform law, the quotient by coins of bias
/// (1 − 1/scale)^scale. Time: O(1) expected, whatever the scale.
pub(crate) fn failures(stream: &mut Stream, scale: u128) -> u128 {
    let remainder = loop {
        let candidate = below_wide(stream, scale);
        if all_fail(stream, scale, candidate) {
            break candidate;
        }
    };
    let mut quotient = 0u128;
    while all_fail(stream, scale, scale) {
        quotient += 1;
    }
    quotient.saturating_mul(scale).saturating_add(remainder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    const DRAWS: u32 = 400_000;

    fn deviation(p: f64, mut coin: impl FnMut() -> bool) -> f64 {
        let heads = (0..DRAWS).filter(|_| coin()).count() as f64;
        let draws = f64::from(DRAWS);
        (heads - draws * p).abs() / (draws * p * (1.0 - p)).sqrt()
    }

    #[test]
    fn the_constants_are_the_sums_they_stand_for() {
        // 12!/k! · (−3)^k, in whole numbers.
        let factorial = |n: i64| (1..=n).product::<i64>();
        let sum: i64 = (0..=12).map(|k| factorial(12) / factorial(k) * (-3i64).pow(k as u32)).sum();
        assert_eq!((sum as u64, factorial(12) as u64 / 20), WHOLE);
        assert_eq!((3u64.pow(13), 13 * sum as u64), THIRTEENTH);
        let ratio = |(numerator, denominator): (u64, u64)| numerator as f64 / denominator as f64;
        let (mut sum, mut term) = (ratio(WHOLE), ratio(WHOLE) * ratio(THIRTEENTH));
        for k in 14..40 {
            sum -= term;
            term *= -3.0 / f64::from(k);
        }
        assert!((sum - 20.0 * (-3.0f64).exp()).abs() < 1e-14);
    }

    #[test]
    fn coins_have_their_bias() {
        let mut stream = Seed::from_number(50).stream(0);
        // P(|Z| > 4.5) = 7e-6, here and below, and the seeds are fixed.
        assert!(deviation(2.0 * (-1.0f64).exp(), || two_over_e(&mut stream)) < 4.5);
        assert!(deviation(20.0 * (-3.0f64).exp(), || twenty_over_e_cubed(&mut stream)) < 4.5);
        for (scale, power) in [(1u128, 0u128), (2, 1), (2, 2), (7, 5), (1000, 1000), (1 << 100, 1 << 99)] {
            let p = (power as f64 * (-1.0 / scale as f64).ln_1p()).exp();
            if p < 1.0 {
                assert!(deviation(p, || all_fail(&mut stream, scale, power)) < 4.5, "{scale} {power}");
            }
        }
        assert!((0..1000).all(|_| all_fail(&mut stream, 1, 0) && !all_fail(&mut stream, 1, 1)));
    }

    #[test]
    fn failures_are_geometric() {
        let mut stream = Seed::from_number(51).stream(0);
        for scale in [1u128, 2, 3, 40] {
            let p = 1.0 / scale as f64;
            let mut counts = [0u32; 6];
            for _ in 0..DRAWS {
                counts[failures(&mut stream, scale).min(5) as usize] += 1;
            }
            let expected = |x: i32| if x < 5 { p * (1.0 - p).powi(x) } else { (1.0 - p).powi(5) };
            let statistic: f64 = (0..6)
                .filter(|&x| expected(x) > 0.0)
                .map(|x| f64::from(DRAWS) * expected(x))
                .zip(counts)
                .map(|(e, count)| (f64::from(count) - e).powi(2) / e)
                .sum();
            // At most 5 degrees of freedom: P(χ² > 32) = 6e-6.
            assert!(statistic < 32.0, "{scale}: {statistic}");
        }
        let scale = 1u128 << 100;
        let mean = (0..10_000).map(|_| failures(&mut stream, scale) as f64 / scale as f64).sum::<f64>() / 1e4;
        // An exponential law's mean and standard deviation are 1; P(|Z| > 4.5) = 7e-6.
        assert!((mean - 1.0).abs() < 0.045, "{mean}");
    }
}
