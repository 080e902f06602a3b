//! Numbers as tables write them.

/// A number as text: how many digits stand before and after the point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// What it is.
    pub value: f64,
    /// Digits after the point, without zeros at the end.
    pub decimals: u32,
}

/// Reads `12`, `-0.50`, `+.5`; no exponents, no signs between digits, no zeros in front but before the
/// point, so that codes such as `007` stay codes.
#[must_use]
pub fn parse(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let only_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let padded = whole.len() > 1 && whole.starts_with('0');
    if whole.len() + fraction.len() == 0 || padded || !only_digits(whole) || !only_digits(fraction) {
        return None;
    }
    let decimals = fraction.trim_end_matches('0').len() as u32;
    Some(Number { value: text.parse().ok()?, decimals })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_codes_are_not() {
        let of = |text| parse(text).map(|number| (number.value, number.decimals));
        assert_eq!(of("63.0"), Some((63.0, 0)));
        assert_eq!(of("-0.250"), Some((-0.25, 2)));
        assert_eq!((of("0"), of(".5")), (Some((0.0, 0)), Some((0.5, 1))));
        for code in ["007", "1e5", "", "-", ".", "1,5", "12a", "١٢", "1.2.3", "--1"] {
            assert_eq!(of(code), None, "{code}");
        }
    }
}
