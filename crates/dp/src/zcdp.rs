//! Zero-concentrated differential privacy: how much ρ an (ε, δ) buys, and what each mechanism takes of it.
//!
//! # Definition
//! A mechanism is ρ-zCDP if the Rényi divergence of order α of its outputs on neighbouring tables is at most αρ for all
//! α > 1. Losses of adaptive steps add up. Here ρ is a whole multiple of 2⁻⁶⁰: sums are exact.
//!
//! A ρ-zCDP mechanism is (ε, δ)-differentially private with δ = e^((α − 1)(αρ − ε)) (1 − 1/α)^α/(α − 1), **for any**
//! α > 1. [`Zcdp::bought_by`] gives the largest ρ for which one α was found that proves δ.
//!
//! # Why ρ is never too large
//! α and ρ are taken as exact numbers, and the expression is bounded from above by operations that round outward
//! (`Between`): an α that is not the best one gives a smaller ρ, never a wrong one. (1 − 1/α)^α is
//! exp(−2α·atanh(1/(2α − 1))), whose series has positive terms, so that the rest may be left out.
//!
//! # References
//! Bun and Steinke 2016, "Concentrated differential privacy: simplifications, extensions, and lower bounds"; Canonne,
//! Kamath and Steinke 2020, "The discrete Gaussian for differential privacy", Corollary 13; Cesar and Rogers 2021,
//! "Bounding, concentrating, and truncating: unifying privacy loss composition for data analytics".

use std::fmt;

use serde::{Serialize, Serializer};

use crate::outward::Between;
use crate::{Loss, Rational};

/// Binary places of ρ.
const PLACES: u32 = 60;
/// Binary places of a variance up to 2³².
const VARIANCE_PLACES: u32 = 16;
/// The largest variance with binary places, in units of 2⁻¹⁶.
const MOST_FINE: u128 = 1 << 48;
/// Binary places of the ε of a choice.
const CHOICE_PLACES: u32 = 20;
/// Halvings of the range of α.
const HALVINGS: usize = 48;
/// The least α − 1 that is tried.
const LEAST_BEYOND: f64 = 1e-3;

/// A loss ρ: a whole multiple of 2⁻⁶⁰.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zcdp(u128);

impl Zcdp {
    /// None at all.
    pub const NONE: Self = Self(0);

    /// So many units of 2⁻⁶⁰.
    #[must_use]
    pub const fn units(units: u128) -> Self {
        Self(units)
    }

    /// How many units of 2⁻⁶⁰ it is.
    #[must_use]
    pub const fn as_units(self) -> u128 {
        self.0
    }

    /// A nearby `f64`, for reports only.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / (1u64 << PLACES) as f64
    }

    /// The largest ρ that is proven to be within (ε, δ); `None` if ε or δ is 0, δ is 1 or more, or no ρ above 0 is.
    #[must_use]
    pub fn bought_by(loss: Loss) -> Option<Self> {
        let Loss { epsilon, delta } = loss;
        let open =
            epsilon > Rational::ZERO && delta > Rational::ZERO && delta.numerator() < delta.denominator();
        if !open {
            return None;
        }
        // Past 2ε + 4 no ρ is proven but for a δ near 1, for which less is bought than could be.
        let most = 2 * u128::from(epsilon.numerator() / epsilon.denominator()) + 6;
        let (mut within, mut beyond) = (0, most << PLACES);
        while beyond - within > 1 {
            let middle = within.midpoint(beyond);
            if proves(middle, epsilon, delta) { within = middle } else { beyond = middle }
        }
        (within > 0).then_some(Self(within))
    }

    /// What noise of a discrete Gaussian costs on a table that a person moves by at most Δ in the Euclidean norm:
    /// Δ²/(2σ²), rounded up. `None` if the variance is 0 or the cost is beyond all budgets.
    #[must_use]
    pub fn of_noise(sensitivity: u64, variance: Rational) -> Option<Self> {
        let square = u128::from(sensitivity).checked_mul(sensitivity.into())?;
        let numerator = square.checked_mul(variance.denominator().into())?.checked_mul(1 << (PLACES - 1))?;
        let divisor = u128::from(variance.numerator());
        (divisor > 0).then(|| Self(numerator.div_ceil(divisor)))
    }

    /// The smallest variance whose noise costs no more than this: a multiple of 2⁻¹⁶, or a whole number above 2³². `None` if it
    /// is past 2⁴⁸, which [`Gaussian`](crate::Gaussian) does not take.
    #[must_use]
    pub fn variance(self, sensitivity: u64) -> Option<Rational> {
        let square =
            u128::from(sensitivity).checked_mul(sensitivity.into())?.checked_mul(1 << (PLACES - 1))?;
        let units = (self.0 > 0).then_some(self.0)?;
        let fine = square.checked_mul(1 << VARIANCE_PLACES).map(|square| square.div_ceil(units).max(1));
        if let Some(fine) = fine.filter(|fine| *fine <= MOST_FINE) {
            return Rational::new(fine as u64, 1 << VARIANCE_PLACES).ok();
        }
        let whole = square.div_ceil(units);
        (whole <= MOST_FINE).then_some(Rational::new(whole as u64, 1).ok()?)
    }

    /// What the exponential mechanism costs: ε²/8, rounded up (its range is bounded: Cesar and Rogers 2021). `None` if it is
    /// beyond all budgets.
    #[must_use]
    pub fn of_choice(epsilon: Rational) -> Option<Self> {
        let square = u128::from(epsilon.numerator()).checked_mul(epsilon.numerator().into())?;
        let divisor = u128::from(epsilon.denominator()).checked_mul(epsilon.denominator().into())?;
        // square · 2⁵⁷/divisor: whole part and rest apart, so that what fits is computed.
        let (whole, rest) = (square / divisor, square % divisor);
        let scaled = whole.checked_mul(1 << (PLACES - 3))?;
        Some(Self(scaled.checked_add(shifted_up(rest, divisor, PLACES - 3))?))
    }

    /// The largest ε of a choice, in units of 2⁻²⁰, that costs no more than this. `None` if it does not fit.
    #[must_use]
    pub fn choice(self) -> Option<Rational> {
        // (a/2²⁰)²/8 = a² 2¹⁷ units.
        let units = (self.0 >> (PLACES - 3 - 2 * CHOICE_PLACES)).isqrt();
        Rational::new(u64::try_from(units).ok()?, 1 << CHOICE_PLACES).ok()
    }

    /// The share part/whole of it, rounded down. `None` if `whole` is 0 or a product does not fit.
    #[must_use]
    pub fn share(self, part: u128, whole: u128) -> Option<Self> {
        self.0.checked_mul(part)?.checked_div(whole).map(Self)
    }

    /// The sum; `None` if it does not fit.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference; `None` if it is negative.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }
}

impl fmt::Display for Zcdp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/2^{PLACES}", self.0)
    }
}

impl Serialize for Zcdp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// ⌈rest · 2^places / divisor⌉ for rest < divisor, bit by bit.
fn shifted_up(mut rest: u128, divisor: u128, places: u32) -> u128 {
    let mut quotient = 0u128;
    for _ in 0..places {
        // rest < divisor < 2¹²⁷, so that twice the rest fits.
        rest *= 2;
        quotient *= 2;
        if rest >= divisor {
            rest -= divisor;
            quotient += 1;
        }
    }
    quotient + u128::from(rest > 0)
}

/// Whether some α proves that so many units of ρ are within (ε, δ).
fn proves(units: u128, epsilon: Rational, delta: Rational) -> bool {
    let rho = Between::ratio(units, 1 << PLACES);
    let of = |number: Rational| Between::ratio(number.numerator().into(), number.denominator().into());
    let epsilon = of(epsilon);
    delta_from_above(best_order(rho.high, epsilon.high), rho, epsilon) <= of(delta).low
}

/// An α − 1 near the one with the least δ: where (2α − 1)ρ − ε + ln(1 − 1/α) changes its sign. Any would do.
fn best_order(rho: f64, epsilon: f64) -> f64 {
    let (mut low, mut high) = (LEAST_BEYOND, (epsilon + 1.0) / (2.0 * rho) + 2.0);
    for _ in 0..HALVINGS {
        let beyond = f64::midpoint(low, high);
        let slope = (2.0 * beyond + 1.0) * rho - epsilon - 2.0 * half_log(beyond).atanh_from_below();
        if slope < 0.0 { low = beyond } else { high = beyond }
    }
    low
}

/// y = 1/(2α − 1), of which −ln(1 − 1/α) = 2 atanh y.
fn half_log(beyond: f64) -> Between {
    let one = Between::exactly(1.0);
    one.over(Between::exactly(beyond).times(Between::exactly(2.0)).plus(one))
}

/// e^((α − 1)(αρ − ε)) (1 − 1/α)^α/(α − 1) from above, for α = 1 + `beyond`; infinite where nothing is proven.
fn delta_from_above(beyond: f64, rho: Between, epsilon: Between) -> f64 {
    let (more, two) = (Between::exactly(beyond), Between::exactly(2.0));
    let order = more.plus(Between::exactly(1.0));
    let logarithm = Between::exactly(half_log(beyond).atanh_from_below());
    let exponent = more.times(epsilon.minus(order.times(rho))).plus(two.times(order).times(logarithm));
    if exponent.low < 0.0 {
        return f64::INFINITY;
    }
    (exponent.exp_minus_from_above() / beyond).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(value: f64) -> Rational {
        Rational::from_decimal(value).unwrap()
    }

    fn rho(epsilon: f64, delta: f64) -> Option<f64> {
        Zcdp::bought_by(Loss { epsilon: rational(epsilon), delta: rational(delta) }).map(Zcdp::to_f64)
    }

    /// The same in plain floating point: the least δ over α, by thirds.
    fn naive_delta(rho: f64, epsilon: f64) -> f64 {
        let delta = |beyond: f64| {
            let order = 1.0 + beyond;
            beyond * (order * rho - epsilon) + order * (-1.0 / order).ln_1p() - beyond.ln()
        };
        let (mut low, mut high) = (1e-6f64.ln(), 1e12f64.ln());
        for _ in 0..300 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if delta(a.exp()) < delta(b.exp()) { high = b } else { low = a }
        }
        delta(low.exp()).exp()
    }

    #[test]
    fn the_anchors() {
        for (epsilon, delta, expected) in [
            (1.0, 1e-9, 0.014_973_057),
            (0.3, 1e-9, 0.001_476_745),
            (3.0, 1e-9, 0.120_582_428),
            (1.0, 1e-6, 0.024_355_970),
        ] {
            let found = rho(epsilon, delta).unwrap();
            assert!((0.0..1e-9).contains(&(found - expected)), "{epsilon} {delta}: {found}");
        }
    }

    #[test]
    fn rho_is_within_the_budget_and_hardly_more_would_be() {
        for epsilon in [1e-3, 0.3, 1.0, 3.0, 40.0, 1000.0] {
            for delta in [0.3, 1e-3, 1e-9, 1e-15] {
                let found = rho(epsilon, delta).unwrap();
                assert!(naive_delta(found, epsilon) <= delta * (1.0 + 1e-9), "{epsilon} {delta}: {found}");
                assert!(naive_delta(found * (1.0 + 1e-8), epsilon) > delta, "{epsilon} {delta}: {found}");
            }
        }
    }

    #[test]
    fn more_budget_never_buys_less() {
        let bought: Vec<f64> = [0.1, 0.2, 0.5, 1.0, 2.0].map(|epsilon| rho(epsilon, 1e-9).unwrap()).to_vec();
        assert!(bought.is_sorted());
        assert!(rho(1.0, 1e-6) > rho(1.0, 1e-9));
    }

    #[test]
    fn extremes_are_found_or_refused() {
        assert_eq!((rho(0.0, 1e-9), rho(1.0, 0.0), rho(1.0, 1.0)), (None, None, None));
        // Less than 2⁻⁶⁰.
        assert_eq!(rho(1e-9, 1e-15), None);
        let (tiny, huge) = (rho(1e-6, 1e-9).unwrap(), rho(1e6, 1e-9).unwrap());
        assert!(tiny > 1e-14 && tiny < 1e-11, "{tiny}");
        assert!(huge > 9.8e5 && huge < 1e6, "{huge}");
    }

    #[test]
    fn noise_costs_no_more_than_its_share() {
        for units in [1u128, 1000, 1 << 40, (1 << 54) + 12_345, 1 << 60, 1 << 80] {
            for sensitivity in [1, 3, 1000] {
                let budget = Zcdp::units(units);
                let Some(variance) = budget.variance(sensitivity) else { continue };
                let cost = Zcdp::of_noise(sensitivity, variance).unwrap();
                assert!(cost <= budget, "{units} {sensitivity}");
                assert!(crate::Gaussian::new(variance).is_some(), "{units} {sensitivity}");
                // One step less of the variance would cost more.
                let less = Rational::new(variance.numerator() - 1, variance.denominator()).unwrap();
                assert!(
                    less == Rational::ZERO
                        || Zcdp::of_noise(sensitivity, less).unwrap() > budget
                        || variance.denominator() < 1 << 16
                );
            }
        }
        // Δ²/(2σ²) = 9/8.
        assert_eq!(Zcdp::of_noise(3, rational(4.0)), Some(Zcdp::units(9 << 57)));
        assert_eq!(Zcdp::of_noise(1, rational(3.0)), Some(Zcdp::units((1u128 << 59).div_ceil(3))));
        assert_eq!((Zcdp::of_noise(1, Rational::ZERO), Zcdp::NONE.variance(1)), (None, None));
        assert_eq!(Zcdp::units(1).variance(1), None, "a standard deviation of 2^29");
    }

    #[test]
    fn the_variance_is_that_of_the_formula() {
        let variance = |units: u128, sensitivity| Zcdp::units(units).variance(sensitivity);
        let of = |numerator, denominator| Rational::new(numerator, denominator).ok();
        // Δ²/(2ρ), for ρ of 1, 1, 1/8 and 2²⁰.
        assert_eq!((variance(1 << 60, 1), variance(1 << 60, 3)), (of(1, 2), of(9, 2)));
        assert_eq!((variance(1 << 57, 5), variance(1 << 80, 1)), (of(100, 1), of(1, 1 << 16)));
        // Above 2³², and so large that 2¹⁶ times as much does not fit.
        assert_eq!(variance(1 << 20, 1), of(1 << 39, 1));
        assert_eq!(variance((1 << 20) + 1, 1), of((1u64 << 59).div_ceil((1 << 20) + 1), 1));
        assert_eq!(variance(1, u64::MAX), None);
    }

    #[test]
    fn where_the_bound_would_be_above_one_nothing_is_proven() {
        let (much, little) = (Between::exactly(100.0), Between::exactly(1.0));
        assert_eq!(delta_from_above(1.0, much, little), f64::INFINITY);
        assert!(delta_from_above(1.0, Between::exactly(0.1), little) < 1.0);
    }

    #[test]
    fn choices_cost_no_more_than_their_share() {
        for units in [0u128, 1 << 17, (1 << 54) + 999, 1 << 60] {
            let epsilon = Zcdp::units(units).choice().unwrap();
            assert!(Zcdp::of_choice(epsilon).unwrap() <= Zcdp::units(units), "{units}");
            let more = epsilon.checked_add(Rational::new(1, 1 << 20).unwrap()).unwrap();
            assert!(Zcdp::of_choice(more).unwrap() > Zcdp::units(units), "{units}");
        }
        // 2²/8 = ½, and (2/3)²/8 = 1/18.
        assert_eq!(Zcdp::of_choice(rational(2.0)), Some(Zcdp::units(1 << 59)));
        let third = Zcdp::of_choice(Rational::new(2, 3).unwrap());
        assert_eq!(third, Some(Zcdp::units((1u128 << 60).div_ceil(18))));
    }

    #[test]
    fn shares_and_sums_are_whole() {
        let ten = Zcdp::units(10);
        assert_eq!((ten.share(1, 3), ten.share(1, 0)), (Some(Zcdp::units(3)), None));
        assert_eq!((ten.minus(Zcdp::units(11)), ten.plus(ten)), (None, Some(Zcdp::units(20))));
        assert_eq!(serde_json::to_value(ten).unwrap(), "10/2^60");
    }
}
