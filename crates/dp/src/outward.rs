//! Numbers known between bounds, where every operation rounds outward.

/// A real number, between two floating-point ones.
///
/// IEEE 754 rounds a sum, product or quotient to nearest: the neighbours of what results lie on both sides of the exact
/// value. Nothing but + − · / takes part, so that the bounds are the same on every platform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Between {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Terms of the series of e^−x for x up to ½: the next one is below 2⁻²⁵/25! of the first.
const EXP_TERMS: u32 = 25;

impl Between {
    pub(crate) fn exactly(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// numerator / denominator, each of any size.
    pub(crate) fn ratio(numerator: u128, denominator: u128) -> Self {
        Self::whole(numerator).over(Self::whole(denominator))
    }

    fn whole(number: u128) -> Self {
        let near = number as f64;
        if number < 1 << 53 { Self::exactly(near) } else { Self::around(near, near) }
    }

    fn around(low: f64, high: f64) -> Self {
        Self { low: low.next_down(), high: high.next_up() }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self::around(self.low + other.low, self.high + other.high)
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self::around(self.low - other.high, self.high - other.low)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let least = products.into_iter().fold(f64::INFINITY, f64::min);
        Self::around(least, products.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    /// Divided by a positive number.
    pub(crate) fn over(self, divisor: Self) -> Self {
        let quotients = [
            self.low / divisor.low,
            self.low / divisor.high,
            self.high / divisor.low,
            self.high / divisor.high,
        ];
        let least = quotients.into_iter().fold(f64::INFINITY, f64::min);
        Self::around(least, quotients.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    /// ln((1 + y)/(1 − y))/2 from below, for 0 < y < 1: y + y³/3 + y⁵/5 + …, of whose positive terms any may be left out.
    pub(crate) fn atanh_from_below(self) -> f64 {
        let square = (self.low * self.low).next_down();
        let (mut power, mut sum, mut odd) = (self.low, self.low, 1.0);
        while power > sum * 1e-17 {
            power = (power * square).next_down();
            odd += 2.0;
            sum = (sum + (power / odd).next_down()).next_down();
        }
        sum
    }

    /// An upper bound of e^−x for an x that is at least this one's lower bound, which must not be negative: with x/2ˢ ≤ ½
    /// by the alternating series, then squared s times.
    pub(crate) fn exp_minus_from_above(self) -> f64 {
        let (mut x, mut squarings) = (self.low, 0);
        while x > 0.5 {
            x /= 2.0;
            squarings += 1;
        }
        let x = Self::exactly(x);
        // Horner's rule from a term that lies between 0 and 1.
        let mut sum = Self { low: 0.0, high: 1.0 };
        for i in (1..EXP_TERMS).rev() {
            sum = Self::exactly(1.0).minus(x.times(sum).over(Self::exactly(f64::from(i))));
        }
        (0..squarings).fold(sum.high, |power, _| (power * power).next_up())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_the_truth_and_are_tight() {
        for x in [0.0, 1e-9, 0.3, 0.5, 1.0, 7.7, 20.7, 300.0] {
            let bound = Between::exactly(x).exp_minus_from_above();
            assert!(bound >= (-x).exp() && bound < (-x).exp() * (1.0 + 1e-13 * (1.0 + x)), "{x}");
        }
        for y in [1e-9, 0.01, 0.5, 0.9, 0.99] {
            let bound = Between::exactly(y).atanh_from_below();
            let truth = f64::atanh(y);
            assert!(bound <= truth * (1.0 + 1e-15) && bound > truth * (1.0 - 1e-12), "{y}");
        }
        assert_eq!(Between::whole(7), Between::exactly(7.0));
        // A number that no floating-point number is equal to.
        let odd = Between::whole((1 << 60) + 1);
        assert!(odd.low <= (1u64 << 60) as f64 && odd.high > (1u64 << 60) as f64);
        let third = Between::ratio(1, 3);
        assert!(third.low < third.high && third.low * 3.0 <= 1.0 && third.high * 3.0 >= 1.0);
        let wide = Between::ratio(u128::MAX, 1);
        assert!(wide.low < wide.high);
    }

    #[test]
    fn signs_are_kept_apart() {
        let (a, b) = (Between { low: -2.0, high: 3.0 }, Between { low: -5.0, high: 1.0 });
        let product = a.times(b);
        assert!(product.low <= -15.0 && product.low > -15.1 && product.high >= 10.0 && product.high < 10.1);
        let difference = a.minus(b);
        assert!(difference.low <= -3.0 && difference.high >= 8.0);
        assert!(a.over(Between::exactly(2.0)).low <= -1.0);
    }
}
