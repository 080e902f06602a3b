//! Coins of exact bias: rational, and e^−γ for rational γ.
//!
//! # References
//! Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy", Algorithm 1.

use crate::{Rational, Stream, below};

/// Heads with probability `p`; always heads where `p` is 1 or more.
pub fn bernoulli(stream: &mut Stream, p: Rational) -> bool {
    below(stream, p.denominator()) < p.numerator()
}

/// Heads with probability e^−γ, exactly.
///
/// Time: O(1) expected for any γ, at most some ten words.
pub fn bernoulli_exp(stream: &mut Stream, gamma: Rational) -> bool {
    exp_minus(stream, gamma.numerator().into(), gamma.denominator().into())
}

/// How many of `count` records are kept, each by itself with probability β = 1 − e^−ε.
///
/// Time: O(count).
pub fn thin(count: u64, epsilon: Rational, stream: &mut Stream) -> u64 {
    (0..count).map(|_| u64::from(!bernoulli_exp(stream, epsilon))).sum()
}

/// Heads with probability e^−(numerator/denominator): Algorithm 1, lines 10–17, with the whole
/// part of γ first. A large γ costs nothing: the first tails ends it.
pub(crate) fn exp_minus(stream: &mut Stream, numerator: u128, denominator: u128) -> bool {
    (0..numerator / denominator).all(|_| exp_minus_fraction(stream, 1, 1))
        && exp_minus_fraction(stream, numerator % denominator, denominator)
}

/// The same for γ ≤ 1: Algorithm 1, lines 1–9. The first k for which a coin of bias γ/k shows tails
/// is odd with probability Σ (−γ)^i / i! = e^−γ. A coin of bias γ/k is one of γ and one of 1/k.
fn exp_minus_fraction(stream: &mut Stream, numerator: u128, denominator: u128) -> bool {
    let mut k = 1;
    while below_wide(stream, denominator) < numerator && below(stream, k) == 0 {
        k += 1;
    }
    k % 2 == 1
}

/// A uniformly random number below `bound`: as many bits as the bound has, again until they fit.
pub(crate) fn below_wide(stream: &mut Stream, bound: u128) -> u128 {
    if let Ok(narrow) = u64::try_from(bound) {
        return below(stream, narrow).into();
    }
    let mask = u128::MAX >> bound.leading_zeros();
    loop {
        let word = (u128::from(stream.word()) << 64 | u128::from(stream.word())) & mask;
        if word < bound {
            return word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    const DRAWS: u32 = 200_000;

    /// How far the share of heads is from `p`, in standard deviations.
    fn deviation(p: f64, mut coin: impl FnMut() -> bool) -> f64 {
        let heads = (0..DRAWS).filter(|_| coin()).count() as f64;
        let draws = f64::from(DRAWS);
        (heads - draws * p).abs() / (draws * p * (1.0 - p)).sqrt()
    }

    #[test]
    fn coins_have_their_bias() {
        let mut stream = Seed::from_number(10).stream(0);
        let p = Rational::new(2, 7).unwrap();
        // P(|Z| > 4.5) = 7e-6, here and below, and the seeds are fixed.
        assert!(deviation(2.0 / 7.0, || bernoulli(&mut stream, p)) < 4.5);
        for (numerator, denominator) in [(1, 1000), (1, 3), (1, 1), (7, 5), (4, 1)] {
            let gamma = Rational::new(numerator, denominator).unwrap();
            let p = (-gamma.to_f64()).exp();
            assert!(deviation(p, || bernoulli_exp(&mut stream, gamma)) < 4.5, "{gamma}");
        }
    }

    #[test]
    fn denominators_past_64_bits_work() {
        let mut stream = Seed::from_number(11).stream(0);
        let third = u128::MAX / 3;
        let p = (-1.0f64 / 3.0).exp();
        assert!(deviation(p, || exp_minus(&mut stream, third, u128::MAX)) < 4.5);
        assert!((0..1000).all(|_| below_wide(&mut stream, (1 << 64) + 1) <= 1 << 64));
    }

    #[test]
    fn the_ends_are_certain() {
        let mut stream = Seed::from_number(12).stream(0);
        assert!((0..1000).all(|_| bernoulli_exp(&mut stream, Rational::ZERO)));
        assert!((0..1000).all(|_| !bernoulli(&mut stream, Rational::ZERO)));
        let one = Rational::new(3, 2).unwrap();
        assert!((0..1000).all(|_| bernoulli(&mut stream, one)));
        let huge = Rational::new(u64::MAX, 1).unwrap();
        assert_eq!(thin(1000, huge, &mut stream), 1000);
        assert_eq!(thin(1000, Rational::from_decimal(1e-18).unwrap(), &mut stream), 0);
        assert_eq!(thin(0, huge, &mut stream), 0);
    }

    #[test]
    fn thinning_keeps_one_less_e_to_the_minus_epsilon() {
        let mut stream = Seed::from_number(13).stream(0);
        let kept = thin(1_000_000, Rational::new(1, 1).unwrap(), &mut stream) as f64;
        let beta = 1.0 - (-1.0f64).exp();
        assert!((kept - 1e6 * beta).abs() < 4.5 * (1e6 * beta * (1.0 - beta)).sqrt());
    }

    #[test]
    fn equal_seeds_keep_equally_many() {
        let kept = |number| {
            let mut stream = Seed::from_number(14).stream(number);
            [100, 1000, 10_000].map(|count| thin(count, Rational::new(1, 2).unwrap(), &mut stream))
        };
        assert_eq!(kept(0), kept(0));
        assert_ne!(kept(0), kept(1));
    }
}
