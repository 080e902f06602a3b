//! Numbers and days as whole units, so that a grid is exact.

use velamen_core::label::Open;
use velamen_core::step::{day_of, shown_day};

/// What units are, and how they are written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Units {
    /// 10^−decimals; `trim` leaves out zeros at the end.
    Numbers { decimals: u32, trim: bool },
    /// Days.
    Days,
}

/// The most decimals that units have.
const MOST_DECIMALS: u32 = 9;

/// The most digits of a number in units.
const MOST_DIGITS: u32 = 15;

impl Units {
    /// The unit that a value lies in; `None` where it is none.
    pub(super) fn read(&self, text: &str) -> Option<i64> {
        match self {
            Self::Days => day_of(text),
            Self::Numbers { decimals, .. } => plain(text, *decimals).or_else(|| {
                let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
                Some((number * 10f64.powi(*decimals as i32)).floor() as i64)
            }),
        }
    }

    /// A unit as a label that begins with it shows it.
    pub(super) fn show(&self, unit: i64) -> String {
        let text = self.show_last(unit);
        match self {
            Self::Numbers { decimals: 1.., trim: true } => {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            _ => text,
        }
    }

    /// A unit as a label that ends with it shows it: with all its decimals, from which the next cell's start can be told.
    pub(super) fn show_last(&self, unit: i64) -> String {
        let Self::Numbers { decimals, .. } = *self else { return shown_day(unit) };
        if decimals == 0 {
            return unit.to_string();
        }
        let scale = 10u64.pow(decimals);
        let (whole, fraction) = (unit.unsigned_abs() / scale, unit.unsigned_abs() % scale);
        let sign = if unit < 0 { "-" } else { "" };
        format!("{sign}{whole}.{fraction:0width$}", width = decimals as usize)
    }
}

/// Sign, digits before and after the point.
fn parts(text: &str) -> Option<(bool, &str, &str)> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = (whole.bytes().chain(fraction.bytes())).all(|byte| byte.is_ascii_digit());
    (plain && whole.len() + fraction.len() > 0).then_some((text.starts_with('-'), whole, fraction))
}

/// The greatest unit that is not above a number without exponent.
fn plain(text: &str, decimals: u32) -> Option<i64> {
    let (negative, whole, fraction) = parts(text)?;
    let kept = fraction.len().min(decimals as usize);
    let padding = std::iter::repeat_n(b'0', decimals as usize - kept);
    let mut unit = 0i64;
    for byte in whole.bytes().chain(fraction.bytes().take(kept)).chain(padding) {
        unit = unit.checked_mul(10)?.checked_add(i64::from(byte - b'0'))?;
    }
    let cut = fraction.bytes().skip(kept).any(|byte| byte != b'0');
    Some(if negative { -unit - i64::from(cut) } else { unit })
}

/// The decimals of units for numbers with so many records each, and whether all numbers are whole units and at least k
/// records have so many decimals: otherwise the last unit of a cell would show how few of them are written.
pub(super) fn decimals_of<'v>(values: impl Iterator<Item = (&'v str, u64)>, k: u64) -> (u32, bool) {
    let (mut most, mut having, mut exact, mut digits) = (0, 0, true, 1);
    for (value, records) in values {
        let value = Open::read(value).map_or(value, |(_, bound)| bound);
        let Some((_, whole, fraction)) = parts(value) else {
            let magnitude = value.parse::<f64>().map_or(0.0, |number| number.abs().max(1.0).log10());
            (most, exact, digits) = (MOST_DECIMALS, false, digits.max(magnitude as u32 + 1));
            continue;
        };
        digits = digits.max(whole.trim_start_matches('0').len() as u32);
        let decimals = fraction.trim_end_matches('0').len() as u32;
        if decimals > most {
            (most, having) = (decimals, 0);
        }
        having += if decimals == most { records } else { 0 };
    }
    let fit = MOST_DECIMALS.min(MOST_DIGITS.saturating_sub(digits));
    (most.min(fit), exact && most <= fit && (most == 0 || having >= k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_exact_and_below_what_they_cannot_hold() {
        let tenths = Units::Numbers { decimals: 1, trim: true };
        let read = ["23.4", "-0.25", "-.3", "7", "8.", "1e1", "+5"].map(|text| tenths.read(text));
        assert_eq!(read, [234, -3, -3, 70, 80, 100, 50].map(Some));
        assert_eq!([234, -3, 70, 0].map(|unit| tenths.show(unit)), ["23.4", "-0.3", "7", "0"]);
        assert_eq!(Units::Numbers { decimals: 2, trim: false }.show(-1250), "-12.50");
        assert_eq!(tenths.read("x"), None);
    }

    #[test]
    fn decimals_that_few_records_have_are_not_shown() {
        let of = |values: &[(&'static str, u64)]| decimals_of(values.iter().copied(), 5);
        assert_eq!(of(&[("1", 9), ("2.50", 9)]), (1, true));
        assert_eq!(of(&[("1", 9), ("2.5", 4)]), (1, false));
        assert_eq!(of(&[("1", 9), ("1e-3", 9)]), (9, false));
        assert_eq!(of(&[("12345678901234", 9), ("0.55555", 9)]), (1, false));
        assert_eq!(of(&[("7", 1)]), (0, true));
    }
}
