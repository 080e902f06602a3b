//! The class size that makes k-anonymity after sampling differentially private (SafePub).
//!
//! # Summary
//! Records are kept with probability β by themselves, then generalized by a rule that does not
//! depend on the data, and classes of fewer than k records are suppressed. That is (ε, δ)-
//! differentially private; [`least_k`] gives the least such k.
//!
//! # Definition
//! β = 1 − e^−ε, γ = (e^ε − 1 + β)/e^ε, aₙ = P[Bin(n, β) > ⌊nγ⌋], δ(k) = max over n ≥ ⌈k/γ − 1⌉ of
//! aₙ; the least k with δ(k) < δ.
//!
//! With q = e^−ε: β = 1 − q and γ = 1 − q². More than ⌊nγ⌋ of n records kept means fewer than
//! ⌈nq²⌉ dropped, so aₙ = P[Bin(n, q) ≤ ⌈nq²⌉ − 1].
//!
//! # Why k is never too small
//! 1. **One threshold.** If aₙ < δ for all n > L, every k with ⌈k/γ − 1⌉ > L has δ(k) < δ. That is
//!    k > γ(L + 1), so k = ⌊γ(L + 1)⌋ + 1 does. It is the least k if L is the last n with aₙ ≥ δ.
//!    An L too large gives a k too large, never one too small.
//! 2. **Infinitely many n.** Chernoff: aₙ ≤ exp(−n·D(γ‖β)). D(x‖β) has the second derivative
//!    1/(x(1 − x)) ≥ 1/(γ(1 − β)) between β and γ and vanishes with its first derivative at β, so
//!    D(γ‖β) ≥ (γ − β)²/(2γ(1 − β)) = qβ/(2(1 + q)) =: c. With e^−λ < δ no n ≥ λ/c has aₙ ≥ δ:
//!    only n below that are looked at (`Coin::horizon`).
//! 3. **Each aₙ from above.** Going from n to n + 1 the leading term P[Bin(n, q) = m − 1] is
//!    multiplied by a few factors (`Walk::step`); the terms below it follow by ratios. Each is
//!    positive, and each operation is one of IEEE 754's, followed by a step to the next number up:
//!    what results is an upper bound (`Up`). The terms fall by more than half each, since
//!    j < nq² gives j(1 − q)/((n − j + 1)q) < q/(1 + q) ≤ ½: where the sum is broken off, the rest is
//!    below the last term.
//! 4. **⌈nq²⌉ from above.** Where rounding leaves two values possible the larger is taken: aₙ grows
//!    with it.
//! 5. **β and q** come from ε by a series with both bounds (`Coin::new`); no logarithm and no
//!    exponential of a library, whose error nobody states, takes part.
//!
//! # Complexity
//! O(λ/c), that is O(ln(1/δ) · max(1/ε, e^ε)) time, O(1) memory: microseconds for usual ε.
//!
//! # References
//! Bild, Kuhn and Prasser 2018, "SafePub: a truthful data anonymization algorithm with strong
//! privacy guarantees", Theorem 1 and Section 4; Li, Qardaji and Su 2011, "Provably private data
//! anonymization: or, k-anonymity meets differential privacy", Theorem 1.

use thiserror::Error;
use velamen_dp::Rational;

/// The most n that are looked at, some seconds' work.
const MOST_STEPS: f64 = 1e8;
/// Terms after which a sum is broken off; the rest is below one part in 2⁶⁰.
const MOST_TERMS: usize = 60;

/// Why there is no k.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SafePubError {
    /// Nothing is kept without a positive ε, and no k is enough for δ = 0.
    #[error("epsilon is not above 0, or delta is not above 0 and below 1")]
    OutOfRange,
    /// An ε so small or so large that too many class sizes would have to be looked at.
    #[error("epsilon {0} is too small or too large to compute k, as are those below some 1e-6 or above 14")]
    TooFar(Rational),
}

/// The least class size k for (ε, δ) where records are kept with probability β = 1 − e^−ε.
///
/// Proven never to be smaller than the exact one (see the module); equal to it wherever compared.
/// β must be that of [`velamen_dp::thin`] with the same rational ε.
///
/// # Errors
/// [`SafePubError`] where ε or δ is out of range.
pub fn least_k(epsilon: Rational, delta: Rational) -> Result<u64, SafePubError> {
    let one = Rational::new(1, 1).expect("1 is a rational number");
    if epsilon == Rational::ZERO || delta == Rational::ZERO || delta >= one {
        return Err(SafePubError::OutOfRange);
    }
    let coin = Coin::new(epsilon).ok_or(SafePubError::TooFar(epsilon))?;
    let delta = bounds(delta).0;
    let horizon = coin.horizon(delta).ok_or(SafePubError::TooFar(epsilon))?;
    let last = last_above(&coin, delta, horizon);
    let gamma = coin.dropped.1.plus(1.0).times(coin.kept.1.0);
    let least = gamma.times((last + 1) as f64).0.floor() as u64 + 1;
    Ok(least)
}

/// The last n ≤ `horizon` whose aₙ may be `delta` or more; 0 if there is none.
fn last_above(coin: &Coin, delta: f64, horizon: u64) -> u64 {
    let mut walk = Walk::new(coin);
    let mut last = 0;
    while walk.n <= horizon {
        if walk.may_reach(delta) {
            last = walk.n;
        }
        walk.step();
    }
    last
}

/// An upper bound of a positive real number: operations round up.
///
/// A product or quotient rounded to nearest is at most half a step below the exact one, so the next
/// number up is not below it; neither is the smallest positive number where it underflows.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Up(f64);

impl Up {
    fn times(self, factor: f64) -> Self {
        Self((self.0 * factor).next_up())
    }

    fn over(self, divisor: f64) -> Self {
        Self((self.0 / divisor).next_up())
    }

    fn plus(self, term: f64) -> Self {
        Self((self.0 + term).next_up())
    }
}

/// Bounds of a positive rational number.
fn bounds(number: Rational) -> (f64, f64) {
    let (numerator, denominator) = (number.numerator() as f64, number.denominator() as f64);
    let below = (numerator.next_down() / denominator.next_up()).next_down();
    (below, (numerator.next_up() / denominator.next_down()).next_up())
}

/// e^−ε between bounds; past ε = 60 the lower one is 0 and the upper one that of 60.
pub fn exp_minus(epsilon: Rational) -> (f64, f64) {
    let most = Rational::new(60, 1).expect("60 is a rational number");
    let coin = Coin::new(epsilon.min(most)).expect("up to 60 it takes seven doublings");
    let below = if epsilon > most { 0.0 } else { coin.dropped.0 };
    (below, coin.dropped.1.0)
}

/// β = 1 − e^−ε and q = e^−ε between bounds, the upper one as [`Up`].
#[derive(Debug, Clone, Copy)]
struct Coin {
    kept: (f64, Up),
    dropped: (f64, Up),
}

impl Coin {
    /// Both for an ε of at most 64: for x = ε/2^s ≤ ½ from the alternating series, then
    /// β(2x) = β(x)(2 − β(x)), which grows with β, and q(2x) = q(x)², s times.
    fn new(epsilon: Rational) -> Option<Self> {
        let (mut below, mut above) = bounds(epsilon);
        let mut doublings = 0;
        while above > 0.5 {
            (below, above) = (below / 2.0, above / 2.0);
            doublings += 1;
        }
        let mut coin = Self::small(below, above);
        for _ in 0..doublings {
            coin = coin.doubled();
        }
        (doublings <= 7).then_some(coin)
    }

    /// β(x) = x·t₂ with tᵢ = 1 − x/i · tᵢ₊₁: the series 1 − x/i + x²/(i(i + 1)) − …, whose terms
    /// fall, so that 0 ≤ t₂₅ ≤ 1.
    fn small(below: f64, above: f64) -> Self {
        let (mut low, mut high) = (0.0, Up(1.0));
        for i in (2..25).rev() {
            let divisor = f64::from(i);
            let most = Up(above).times(high.0).over(divisor).0;
            let least = ((below * low).next_down() / divisor).next_down();
            (low, high) = ((1.0 - most).next_down(), Up((1.0 - least).next_up()));
        }
        let kept = ((below * low).next_down(), Up(above).times(high.0));
        Self { kept, dropped: ((1.0 - kept.1.0).next_down(), Up((1.0 - kept.0).next_up())) }
    }

    fn doubled(self) -> Self {
        let (low, high) = self.kept;
        let below = (low * (2.0 - low).next_down()).next_down();
        let above = Up((2.0 - high.0).next_up()).times(high.0);
        let squared = (self.dropped.0 * self.dropped.0).next_down();
        Self { kept: (below, above), dropped: (squared, self.dropped.1.times(self.dropped.1.0)) }
    }

    /// The last n that must be looked at: a bound of λ/c from above, where e^−λ < `delta`. `None`
    /// past [`MOST_STEPS`].
    fn horizon(&self, delta: f64) -> Option<u64> {
        // A little more than 1/e = 0.36787944117144232…
        const ONE_OVER_E: f64 = 0.367_879_441_171_443;
        let (mut lambda, mut reached) = (0.0, Up(1.0));
        while reached.0 >= delta {
            reached = reached.times(ONE_OVER_E);
            lambda += 1.0;
        }
        let product = (self.dropped.0 * self.kept.0).next_down();
        let rate = (product / self.dropped.1.plus(1.0).times(2.0).0).next_down();
        let horizon = Up(lambda).over(rate).0;
        (rate > 0.0 && horizon <= MOST_STEPS).then_some(horizon.ceil() as u64)
    }
}

/// A walk over n with the leading term P[Bin(n, q) = m − 1] of aₙ, where m = ⌈nq²⌉.
#[derive(Debug, Clone)]
struct Walk<'a> {
    coin: &'a Coin,
    /// q².
    square: Up,
    n: u64,
    /// m − 1.
    most_dropped: u64,
    leading: Up,
}

impl<'a> Walk<'a> {
    /// At n = 1, where m = 1 and the term is β.
    fn new(coin: &'a Coin) -> Self {
        let square = coin.dropped.1.times(coin.dropped.1.0);
        Self { coin, square, n: 1, most_dropped: 0, leading: coin.kept.1 }
    }

    /// To n + 1. There m is the same, and the term is multiplied by β(n + 1)/(n + 1 − j) for j
    /// dropped; or it is one more, and the term is multiplied by q(n + 1)/(j + 1).
    ///
    /// It is never two more: up to the horizon 1 − q² is above 4/10⁸ and n at most 10⁸, so that
    /// the step of nq² and its rounding stay below 1.
    fn step(&mut self) {
        self.n += 1;
        let n = self.n as f64;
        let least = self.square.times(n).0.ceil() as u64;
        debug_assert!(least <= self.most_dropped + 2, "m grows by one at most");
        let (factor, divisor) = if least > self.most_dropped + 1 {
            self.most_dropped += 1;
            (self.coin.dropped.1, self.most_dropped)
        } else {
            (self.coin.kept.1, self.n - self.most_dropped)
        };
        self.leading = self.leading.times(n).over(divisor as f64).times(factor.0);
    }

    /// Whether the upper bound of aₙ is `delta` or more. The whole sum is below twice its leading
    /// term, so that most n need no sum.
    fn may_reach(&self, delta: f64) -> bool {
        2.0 * self.leading.0 >= delta && (self.leading.0 >= delta || self.sum().0 >= delta)
    }

    /// aₙ from above: P[Bin(n, q) = j] for j from m − 1 downwards.
    fn sum(&self) -> Up {
        let (mut term, mut sum) = (self.leading, self.leading);
        for dropped in (1..=self.most_dropped).rev().take(MOST_TERMS) {
            let divisor = ((self.n - dropped + 1) as f64 * self.coin.dropped.0).next_down();
            term = term.times(dropped as f64).times(self.coin.kept.1.0).over(divisor);
            sum = sum.plus(term.0);
        }
        let broken_off = self.most_dropped > MOST_TERMS as u64;
        if broken_off { sum.plus(term.0) } else { sum }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(value: f64) -> Rational {
        Rational::from_decimal(value).unwrap()
    }

    fn k(epsilon: f64, delta: f64) -> u64 {
        least_k(rational(epsilon), rational(delta)).unwrap()
    }

    #[test]
    fn usual_parameters() {
        assert_eq!(k(1.0, 1e-5), 61);
        // A table in use elsewhere has 114, 81 and 109: one more than the definition asks.
        assert_eq!(k(2.0, 1e-5), 113);
        assert_eq!(k(std::f64::consts::LN_2, 1e-7), 80);
        assert_eq!(k(3f64.ln(), 1e-8), 108);
    }

    /// Least k for δ = 1e-3, 1e-5, 1e-7, 1e-9, 1e-8, computed once in mpmath with 60 digits by the
    /// definition: aₙ from the logarithm of the gamma function, n downwards from λ/c.
    const EXACT: [(f64, [u64; 5]); 11] = [
        (0.01, [26, 49, 72, 95, 83]),
        (0.1, [26, 49, 72, 95, 83]),
        (0.5, [27, 51, 75, 101, 87]),
        (std::f64::consts::LN_2, [31, 55, 80, 106, 94]),
        (1.0, [34, 61, 91, 118, 104]),
        (1.0986122886681, [35, 65, 92, 123, 108]),
        (1.5, [44, 80, 117, 154, 136]),
        (2.0, [64, 113, 164, 200, 182]),
        (3.0, [136, 226, 316, 469, 422]),
        (5.0, [1022, 1703, 2385, 3066, 2725]),
        (8.0, [20_589, 34_314, 48_040, 61_765, 54_903]),
    ];

    #[test]
    fn the_bound_is_the_exact_least_k() {
        for (epsilon, expected) in EXACT {
            let found = [1e-3, 1e-5, 1e-7, 1e-9, 1e-8].map(|delta| k(epsilon, delta));
            assert_eq!(found, expected, "epsilon {epsilon}");
        }
    }

    /// The exact k jumps from 65 to 62 at ln 3, where 9 | n makes nq² whole. This ε is above it by
    /// 3 · 10⁻¹⁶, which cannot be told within the rounding: the larger k is given.
    #[test]
    fn where_rounding_cannot_decide_k_is_the_larger() {
        assert_eq!(k(1.09861228866811, 1e-5), 65);
        assert_eq!(k(1.09861228867, 1e-5), 62);
    }

    /// For q = ½ all is in whole numbers: aₙ·2ⁿ is a sum of binomial coefficients. Here for an ε a
    /// little below ln 2, so that nq² is a little above n/4 and its ceiling ⌊n/4⌋ + 1.
    #[test]
    fn epsilon_ln_2_in_whole_numbers() {
        let mut row = vec![1u128];
        let mut last = 0;
        for n in 1..=126usize {
            let next = |j: usize| row.get(j).unwrap_or(&0) + j.checked_sub(1).map_or(0, |i| row[i]);
            row = (0..=n).map(next).collect();
            let few: u128 = row[..n / 4 + 1].iter().sum();
            // aₙ ≥ 10⁻⁷.
            if few * 10_000_000 >= 1 << n {
                last = n;
            }
        }
        // Past 126 the bound e^(−n·D(¾‖½)) with D = 0.1308… is below 10⁻⁷.
        assert!((-127.0 * (0.75 * 1.5f64.ln() + 0.25 * 0.5f64.ln())).exp() < 1e-7);
        assert_eq!(3 * (last as u64 + 1) / 4 + 1, k(std::f64::consts::LN_2, 1e-7));
    }

    /// δ(k) written out: both sums and the maximum over many n, in plain floating point.
    fn naive_delta(k: u64, epsilon: f64) -> f64 {
        let beta = 1.0 - (-epsilon).exp();
        let gamma = (epsilon.exp() - 1.0 + beta) / epsilon.exp();
        let first = (k as f64 / gamma - 1.0).ceil() as usize;
        let mut logarithms = vec![0.0];
        (1..1000).for_each(|i| logarithms.push(logarithms[i - 1] + (i as f64).ln()));
        let term = |n: usize, j: usize| {
            let choices = logarithms[n] - logarithms[j] - logarithms[n - j];
            (choices + j as f64 * beta.ln() - (n - j) as f64 * epsilon).exp()
        };
        let a = |n: usize| ((n as f64 * gamma).floor() as usize + 1..=n).map(|j| term(n, j)).sum::<f64>();
        (first..1000).map(a).fold(0.0, f64::max)
    }

    #[test]
    fn the_definition_written_out_agrees() {
        for epsilon in [0.3, 0.8, 1.0, 1.7, 2.2] {
            for delta in [0.5, 0.03, 1e-4, 1e-6] {
                let k = k(epsilon, delta);
                assert!(naive_delta(k, epsilon) < delta, "({epsilon}, {delta}): {k} is too small");
                assert!(k == 1 || naive_delta(k - 1, epsilon) >= delta, "({epsilon}, {delta}): {k}");
            }
        }
    }

    #[test]
    fn bounds_of_the_coin_are_tight_and_hold_the_truth() {
        for epsilon in [1e-6, 0.01, 0.5, 1.0, 3.0, 14.0] {
            let coin = Coin::new(rational(epsilon)).unwrap();
            let (kept, dropped) = (-(-epsilon).exp_m1(), (-epsilon).exp());
            assert!(coin.kept.0 <= kept && kept <= coin.kept.1.0, "{epsilon}");
            assert!(coin.dropped.0 <= dropped && dropped <= coin.dropped.1.0, "{epsilon}");
            assert!(coin.kept.1.0 - coin.kept.0 < 1e-13 * kept, "{epsilon}");
            assert!(coin.dropped.1.0 - coin.dropped.0 < 1e-12 * dropped, "{epsilon}");
        }
    }

    #[test]
    fn more_privacy_never_needs_a_smaller_class() {
        let mut before = 0;
        for exponent in 1..=17 {
            let now = k(1.0, 10f64.powi(-exponent));
            assert!(now >= before);
            before = now;
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        // For ε towards 0 the law of what is kept tends to Poisson's, and k with it.
        assert_eq!(k(1e-4, 1e-5), 49);
        assert!(k(10.0, 1e-5) > 200_000);
        let delta = rational(1e-5);
        for epsilon in [1e-9, 20.0, 1e18] {
            assert!(matches!(least_k(rational(epsilon), delta), Err(SafePubError::TooFar(_))));
        }
        let one = rational(1.0);
        for (epsilon, delta) in [(Rational::ZERO, delta), (one, Rational::ZERO), (one, one)] {
            assert_eq!(least_k(epsilon, delta), Err(SafePubError::OutOfRange));
        }
    }
}
