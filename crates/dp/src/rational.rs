//! Non-negative rational numbers: what a privacy parameter is, so that budgets add up exactly and
//! every probability is a ratio of integers.

use std::cmp::Ordering;
use std::fmt;

use serde::{Serialize, Serializer};

/// Significant decimal digits that every `f64` keeps apart: a decimal of so many digits is read back.
const DIGITS: usize = 15;
/// Decimal places kept of a small number.
const PLACES: u32 = 18;

/// A rational number from 0 to 2⁶⁴ − 1 in lowest terms, its denominator below 2⁶³.
///
/// Shown and serialized as `3/10`, or `2` where the denominator is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: u64,
    denominator: u64,
}

/// Why a number is no [`Rational`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RationalError {
    /// Negative, infinite or no number.
    NotANumber,
    /// Above 2⁶⁴ − 1.
    TooLarge,
    /// Above 0 and below 10⁻¹⁸.
    TooSmall,
    /// The denominator is 0 or, in lowest terms, not below 2⁶³.
    Denominator,
}

impl fmt::Display for RationalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "not a finite number of at least 0",
            Self::TooLarge => "not a number below 2^64",
            Self::TooSmall => "neither 0 nor a number of at least 1e-18",
            Self::Denominator => "not a denominator from 1 to 2^63 - 1",
        })
    }
}

impl std::error::Error for RationalError {}

impl Rational {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator` / `denominator`.
    ///
    /// # Errors
    /// [`RationalError::Denominator`] if the denominator does not fit.
    pub fn new(numerator: u64, denominator: u64) -> Result<Self, RationalError> {
        Self::reduced(u128::from(numerator), u128::from(denominator)).ok_or(RationalError::Denominator)
    }

    /// The decimal number that a user wrote and that was read as `value`, **never above it**.
    ///
    /// A decimal of up to 15 significant digits is the shortest one that reads back as its `f64`,
    /// so it is taken exactly: 0.3 becomes 3/10, though the `f64` is a little less. Where the
    /// shortest decimal has more digits, it is cut after the fifteenth. The cut is not above any
    /// decimal that is read as `value`: if it were, it would lie between that and the shortest,
    /// would be read as `value` too, and would be shorter. Digits past the 18th decimal place are
    /// cut as well.
    ///
    /// One thing cannot be seen from an `f64`. A text of more than 15 digits can be read as the
    /// same number as a shorter decimal (0.29999999999999999, read as 0.3). It is taken for the
    /// shorter, which exceeds it by less than one part in 2⁵³.
    ///
    /// # Errors
    /// For what is negative, no number, past 2⁶⁴ − 1, or positive and below 10⁻¹⁸.
    pub fn from_decimal(value: f64) -> Result<Self, RationalError> {
        if !value.is_finite() || value < 0.0 {
            return Err(RationalError::NotANumber);
        }
        let (digits, power) = leading_digits(value);
        if let Ok(power) = u32::try_from(power) {
            let scaled = 10u64.checked_pow(power).and_then(|factor| digits.checked_mul(factor));
            return Self::new(scaled.ok_or(RationalError::TooLarge)?, 1);
        }
        let places = power.unsigned_abs();
        let beyond = places.saturating_sub(PLACES);
        let kept = 10u64.checked_pow(beyond).map_or(0, |divisor| digits / divisor);
        // It is not 0, which has no place after the point.
        if kept == 0 {
            return Err(RationalError::TooSmall);
        }
        Self::new(kept, 10u64.pow(places.min(PLACES)))
    }

    /// The number that [`Display`](fmt::Display) wrote, as `3/10` or `2`; `None` where the text is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        Self::new(numerator.parse().ok()?, denominator.parse().ok()?).ok()
    }

    fn reduced(numerator: u128, denominator: u128) -> Option<Self> {
        let divisor = greatest_common_divisor(numerator, denominator);
        let numerator = u64::try_from(numerator.checked_div(divisor)?).ok()?;
        let denominator = i64::try_from(denominator / divisor).ok()?.unsigned_abs();
        (denominator > 0).then_some(Self { numerator, denominator })
    }

    /// The numerator in lowest terms.
    #[must_use]
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// The denominator in lowest terms, from 1 to 2⁶³ − 1.
    #[must_use]
    pub fn denominator(self) -> u64 {
        self.denominator
    }

    /// A nearby `f64`, for reports only.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The exact sum; `None` if it does not fit.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let (left, right) = (self.crossed(other), other.crossed(self));
        Self::reduced(left.checked_add(right)?, self.common(other))
    }

    /// The exact difference; `None` if it is negative or does not fit.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let (left, right) = (self.crossed(other), other.crossed(self));
        Self::reduced(left.checked_sub(right)?, self.common(other))
    }

    /// The exact product; `None` if it does not fit.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let numerator = u128::from(self.numerator) * u128::from(other.numerator);
        Self::reduced(numerator, self.common(other))
    }

    /// The numerator over the product of both denominators; below 2¹²⁷.
    fn crossed(self, other: Self) -> u128 {
        u128::from(self.numerator) * u128::from(other.denominator)
    }

    fn common(self, other: Self) -> u128 {
        u128::from(self.denominator) * u128::from(other.denominator)
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        self.crossed(*other).cmp(&other.crossed(*self))
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.numerator)?;
        if self.denominator > 1 {
            write!(f, "/{}", self.denominator)?;
        }
        Ok(())
    }
}

impl Serialize for Rational {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The first 15 digits of the shortest decimal that reads back as `value`, and the power of ten of
/// the last of them.
fn leading_digits(value: f64) -> (u64, i32) {
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').expect("this format always has an exponent");
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).take(DIGITS).collect();
    let exponent: i32 = exponent.parse().expect("the exponent of an f64 is a small integer");
    let after_point = digits.len() as i32 - 1;
    (digits.parse().expect("15 digits fit"), exponent - after_point)
}

fn greatest_common_divisor(mut a: u128, mut b: u128) -> u128 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (numerator, denominator) in [(3, 10), (2, 1), (0, 1), (1 << 40, 3)] {
            let number = Rational::new(numerator, denominator).unwrap();
            assert_eq!(Rational::read(&number.to_string()), Some(number));
        }
        assert_eq!(
            (Rational::read("3/0"), Rational::read("half"), Rational::read("1/2/3")),
            (None, None, None)
        );
    }

    fn ratio(numerator: u64, denominator: u64) -> Rational {
        Rational::new(numerator, denominator).unwrap()
    }

    #[test]
    fn what_the_user_wrote_is_taken_exactly() {
        for (value, numerator, denominator) in [
            (0.0, 0, 1),
            (0.1, 1, 10),
            (0.3, 3, 10),
            (1.0, 1, 1),
            (2.5, 5, 2),
            (1e-5, 1, 100_000),
            (1e-18, 1, 1_000_000_000_000_000_000),
            (1e19, 10_000_000_000_000_000_000, 1),
            (123_456_789.012_345, 24_691_357_802_469, 200_000),
        ] {
            assert_eq!(Rational::from_decimal(value), Ok(ratio(numerator, denominator)), "{value}");
        }
    }

    #[test]
    fn longer_decimals_are_cut_never_raised() {
        // ln 2 is written 0.6931471805599453: sixteen digits.
        assert_eq!(
            Rational::from_decimal(std::f64::consts::LN_2),
            Ok(ratio(693_147_180_559_945, 1_000_000_000_000_000))
        );
        assert_eq!(Rational::from_decimal(1.99e-18), Ok(ratio(1, 1_000_000_000_000_000_000)));
        assert_eq!(Rational::from_decimal(0.1f64.next_up()), Ok(ratio(1, 10)));
        assert_eq!(
            Rational::from_decimal(0.1f64.next_down()),
            Ok(ratio(999_999_999_999_999, 10_000_000_000_000_000))
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for value in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Rational::from_decimal(value), Err(RationalError::NotANumber));
        }
        assert_eq!(Rational::from_decimal(1e20), Err(RationalError::TooLarge));
        assert_eq!(Rational::from_decimal(f64::MAX), Err(RationalError::TooLarge));
        assert_eq!(Rational::from_decimal(9e-19), Err(RationalError::TooSmall));
        assert_eq!(Rational::from_decimal(f64::MIN_POSITIVE), Err(RationalError::TooSmall));
        assert_eq!(Rational::new(1, 0), Err(RationalError::Denominator));
        assert_eq!(Rational::new(0, 0), Err(RationalError::Denominator));
        assert_eq!(Rational::new(1, 1 << 63), Err(RationalError::Denominator));
        assert_eq!(Rational::new(2, 1 << 63), Ok(ratio(1, 1 << 62)));
    }

    #[test]
    fn zero_is_zero_with_either_sign() {
        assert_eq!([0.0, -0.0].map(Rational::from_decimal), [Ok(Rational::ZERO); 2]);
    }

    #[test]
    fn an_error_says_what_was_expected() {
        let of = |value| Rational::from_decimal(value).unwrap_err().to_string();
        assert_eq!(of(-1.0), "not a finite number of at least 0");
        assert_eq!(of(1e20), "not a number below 2^64");
        assert_eq!(of(1e-19), "neither 0 nor a number of at least 1e-18");
        let error = Rational::new(1, 0).unwrap_err().to_string();
        assert_eq!(error, "not a denominator from 1 to 2^63 - 1");
    }

    #[test]
    fn sums_and_differences_are_exact() {
        let tenth = ratio(1, 10);
        let three = tenth.checked_add(tenth).and_then(|sum| sum.checked_add(tenth)).unwrap();
        assert_eq!(three, ratio(3, 10));
        assert_eq!(three.checked_sub(tenth), Some(ratio(1, 5)));
        assert_eq!(tenth.checked_sub(three), None);
        assert_eq!(three.checked_mul(ratio(5, 2)), Some(ratio(3, 4)));
        assert_eq!(ratio(1, 1 << 40).checked_mul(ratio(1, 1 << 40)), None);
        assert_eq!(ratio(u64::MAX, 1).checked_add(tenth), None);
        assert!(ratio(1, 3) < ratio(334, 1000) && ratio(2, 6) == ratio(1, 3));
        assert_eq!((three.to_string(), ratio(2, 1).to_string()), ("3/10".into(), "2".into()));
    }
}
