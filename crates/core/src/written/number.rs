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

/// A number as tables with a decimal comma write it, with a decimal point: `-12,5`, `1.085,17`, `5.185` for 5185. `None` for
/// what is none, or is the same with a point. Whether `1,000` is a thousand depends on the recipe.
#[must_use]
pub fn with_point(text: &str) -> Option<String> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once(',').unwrap_or((unsigned, ""));
    let has_comma = whole.len() < unsigned.len();
    let is_fraction = !has_comma || is_digits(fraction);
    let is_number = is_in_thousands(whole) || has_comma && is_digits(whole);
    (is_fraction && is_number).then(|| text.replace('.', "").replacen(',', ".", 1))
}

fn is_digits(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether points part thousands: `1.085`, `12.345.678`.
fn is_in_thousands(whole: &str) -> bool {
    let Some((first, others)) = whole.split_once('.') else { return false };
    let groups = others.split('.');
    // A zero in front has no thousands behind it.
    let begins = is_digits(first) && first.len() <= 3 && !first.starts_with('0');
    begins && groups.into_iter().all(|group| group.len() == 3 && is_digits(group))
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

    #[test]
    fn a_decimal_comma_becomes_a_point() {
        assert_eq!(with_point("-12,5").as_deref(), Some("-12.5"));
        assert!(["12,", "a,5", "1,2,3"].iter().all(|text| with_point(text).is_none()));
    }

    #[test]
    fn points_part_thousands_where_decimals_have_a_comma() {
        assert_eq!(with_point("1.085,17").as_deref(), Some("1085.17"));
        assert_eq!(with_point("-12.345.678,9").as_deref(), Some("-12345678.9"));
        assert_eq!(with_point("5.185").as_deref(), Some("5185"));
        let none = [
            "0.185",
            "5185",
            "1085.17",
            "1.08,5",
            "1234.567,8",
            ".123,4",
            "1..234,5",
            "1.085,1.7",
            "1.2345,6",
        ];
        assert!(none.iter().all(|text| with_point(text).is_none()));
    }
}
