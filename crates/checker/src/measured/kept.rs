//! Which values of an attribute are kept apart, and what it means for their noise that they were picked by it.

use velamen_dp::Rational;

/// Standard deviations that a noisy count is above 0 if its value is kept apart.
const DEVIATIONS: i128 = 3;
/// Standard deviations that no noise reaches, but for a probability of 10⁻¹⁵.
const NEVER: i128 = 8;

/// Whether a count is at least 3σ, in whole numbers.
pub(super) fn is_above(count: i64, variance: Rational) -> bool {
    is_beyond(count, variance, DEVIATIONS)
}

/// Whether a count is at least so many σ.
fn is_beyond(count: i64, variance: Rational, deviations: i128) -> bool {
    let (p, q) = (i128::from(variance.numerator()), i128::from(variance.denominator()));
    let square = i128::from(count).saturating_mul(count.into());
    count > 0 && square.saturating_mul(q) >= p.saturating_mul(deviations.saturating_mul(deviations))
}

/// ln of how many ways noise had to pick the values that are kept, weighted so that the weights' sum is 1.
///
/// A value kept at 3σ that has no record has a noise of 3σ: it was kept because of that. So the noise of the kept is not normal,
/// but that of each set of values which does not depend on noise is. A value of 11σ is kept whatever its noise, and one below that
/// shows less than 19σ. So r merged values were picked among the a values that show less: one of C(a, r) sets. With 1/((r +
/// 1)(r + 2)) for each r, the probabilities of all sets add up to that of one.
pub(super) fn log_ways(counts: impl Iterator<Item = (i64, bool)>, variance: Rational) -> f64 {
    let (mut open, mut merged) = (0u32, 0u32);
    for (count, is_tied) in counts {
        let is_open = !is_tied && !is_beyond(count, variance, DEVIATIONS.saturating_add(2 * NEVER));
        open = open.saturating_add(u32::from(is_open));
        merged = merged.saturating_add(u32::from(is_open && !is_above(count, variance)));
    }
    let (all, of) = (f64::from(open), f64::from(merged));
    let sets: f64 = (0..merged).map(f64::from).map(|i| ((all - i) / (of - i)).ln()).sum();
    if open == 0 { 0.0 } else { sets + ((of + 1.0) * (of + 2.0)).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_those_of_picking_the_merged() {
        let four = Rational::new(4, 1).unwrap();
        let of = |counts: &[i64]| log_ways(counts.iter().map(|&count| (count, false)), four);
        assert_eq!((of(&[38, 100]), of(&[])), (0.0, 0.0), "no noise could merge these");
        // Two of five, of which one more is far away: C(5, 2) · 3 · 4.
        assert!((of(&[6, 7, 37, 5, -9, 38]) - 120f64.ln()).abs() < 1e-12);
        let tied = log_ways([(5, true), (7, false), (5, false)].into_iter(), four);
        assert!((tied - 12f64.ln()).abs() < 1e-12, "C(2, 1) · 2 · 3");
    }

    #[test]
    fn three_deviations_are_above() {
        let four = Rational::new(4, 1).unwrap();
        assert_eq!([5, 6, -6].map(|count| is_above(count, four)), [false, true, false]);
        assert_eq!([0, 1].map(|count| is_above(count, Rational::ZERO)), [false, true], "0 is above nothing");
    }
}
