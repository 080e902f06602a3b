//! Cards and bank accounts.

use super::digits::{all_alike, luhn, only};

/// 13 to 19 digits with an issuer's beginning and a Luhn check digit.
pub(super) fn is_card(text: &str) -> bool {
    let Some(digits) = only(text, &[' ', '-']).filter(|digits| !all_alike(digits)) else { return false };
    let issuer = match digits.get(..2) {
        Some([4, _]) => matches!(digits.len(), 13 | 16 | 19),
        Some([5, 1..=5] | [2, 2..=7] | [3, 5] | [6, 2 | 4 | 5 | 0]) => matches!(digits.len(), 16..=19),
        Some([3, 4 | 7]) => digits.len() == 15,
        Some([3, 0 | 6 | 8]) => digits.len() == 14,
        Some([9, _]) => digits.len() == 16,
        _ => false,
    };
    issuer && luhn(digits.into_iter())
}

/// ISO 13616: the first four characters moved to the end, letters as numbers, modulo 97 is 1.
pub(super) fn is_iban(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    let shaped = (15..=34).contains(&plain.len())
        && plain[..2].iter().all(char::is_ascii_uppercase)
        && plain[2..4].iter().all(char::is_ascii_digit)
        && plain[4..].iter().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase());
    let rest = |rest: u32, c: &char| {
        let value = c.to_digit(36).unwrap_or(0);
        (if value > 9 { rest * 100 + value } else { rest * 10 + value }) % 97
    };
    shaped && plain[4..].iter().chain(&plain[..4]).fold(0, rest) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        for text in ["4111 1111 1111 1111", "5555555555554444", "378282246310005"] {
            assert!(is_card(text), "{text}");
        }
        for text in ["4111111111111112", "1234567812345670", "0000000000000000", "4111", ""] {
            assert!(!is_card(text), "{text}");
        }
        assert!(is_iban("DE89 3704 0044 0532 0130 00") && is_iban("GB82WEST12345698765432"));
        assert!(!is_iban("DE88 3704 0044 0532 0130 00") && !is_iban("DE89"));
    }
}
