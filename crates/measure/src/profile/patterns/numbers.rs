//! Numbers of licenses, vehicles and devices.

use super::digits::{gs1, luhn, only};

/// US National Provider Identifier: ten digits that begin with 1 or 2; the Luhn check takes in the prefix
/// 80840 (45 CFR 162.406, CMS's check digit rule).
pub(super) fn is_npi(text: &str) -> bool {
    let Some(digits) = only(text, &[]) else { return false };
    let with_prefix: Vec<u32> = [8, 0, 8, 4, 0].into_iter().chain(digits).collect();
    has_npi_layout(text) && luhn(with_prefix.into_iter())
}

pub(super) fn has_npi_layout(text: &str) -> bool {
    only(text, &[]).is_some_and(|digits| digits.len() == 10 && matches!(digits[0], 1 | 2))
}

/// Two letters (or a letter and 9) and seven digits: first, third and fifth, plus twice the others, end in
/// the seventh.
pub(super) fn is_dea(text: &str) -> bool {
    if !has_dea_layout(text) {
        return false;
    }
    let Some(d) = text.get(2..).and_then(|rest| only(rest, &[])) else { return false };
    (d[0] + d[2] + d[4] + 2 * (d[1] + d[3] + d[5])) % 10 == d[6]
}

pub(super) fn has_dea_layout(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 9
        && bytes[0].is_ascii_uppercase()
        && (bytes[1].is_ascii_uppercase() || bytes[1] == b'9')
        && bytes[2..].iter().all(u8::is_ascii_digit)
}

/// 17 characters of vehicles' numbers, letters among them.
pub(super) fn has_vin_letters(text: &str) -> bool {
    text.len() == 17
        && text.chars().all(|c| vin_value(c).is_some())
        && !text.bytes().all(|b| b.is_ascii_digit())
}

/// 17 characters without I, O and Q; the ninth is the weighed sum modulo 11 (49 CFR 565.15).
pub(super) fn is_vin(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let values: Option<Vec<u32>> = text.chars().map(vin_value).collect();
    let Some(values) =
        values.filter(|values| values.len() == 17 && !text.bytes().all(|b| b.is_ascii_digit()))
    else {
        return false;
    };
    let rest = values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum::<u32>() % 11;
    let check = char::from_digit(rest, 10).unwrap_or('X');
    text.chars().nth(8).is_some_and(|ninth| ninth.eq_ignore_ascii_case(&check))
}

fn vin_value(letter: char) -> Option<u32> {
    match letter.to_ascii_uppercase() {
        digit @ '0'..='9' => digit.to_digit(10),
        letter @ 'A'..='H' => Some(u32::from(letter) - u32::from('A') + 1),
        letter @ 'J'..='N' => Some(u32::from(letter) - u32::from('J') + 1),
        'P' => Some(7),
        'R' => Some(9),
        letter @ 'S'..='Z' => Some(u32::from(letter) - u32::from('S') + 2),
        _ => None,
    }
}

/// A unique device identifier of GS1: (01) and 14 digits with a check digit, maybe more after them.
pub(super) fn is_udi(text: &str) -> bool {
    let rest = text.strip_prefix("(01)").and_then(|rest| rest.get(..14));
    rest.and_then(|number| only(number, &[])).is_some_and(|digits| gs1(&digits))
}

pub(super) fn has_imei_layout(text: &str) -> bool {
    only(text, &[' ', '-']).is_some_and(|digits| digits.len() == 15)
}

/// 15 digits with a Luhn check digit.
pub(super) fn is_imei(text: &str) -> bool {
    only(text, &[' ', '-']).is_some_and(|digits| digits.len() == 15 && luhn(digits.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        assert!(
            is_npi("1234567893") && !is_npi("1234567890") && !is_npi("3234567893") && !is_npi("123456789")
        );
        assert!(is_dea("AB1234563") && !is_dea("AB1234560") && !is_dea("1B1234563") && !is_dea("가나다"));
        assert!(is_vin("1M8GDM9AXKP042788") && is_vin("11111111111111112") == is_vin("21111111111111111"));
        assert!(!is_vin("1M8GDM9A1KP042788") && !is_vin("1M8GDM9AXKP04278O") && !is_vin("11111111111111111"));
        assert!(
            is_udi("(01)00844588003288(17)141120")
                && !is_udi("(01)00844588003289")
                && !is_udi("00844588003288")
        );
        assert!(is_imei("490154203237518") && !is_imei("490154203237519"));
    }
}
