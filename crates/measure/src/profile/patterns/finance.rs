//! Cards and bank accounts.

use super::digits::{all_alike, luhn, only};

/// 13 to 19 digits with an issuer's beginning and a Luhn check digit.
pub(super) fn is_card(text: &str) -> bool {
    let Some(digits) = only(text, &[' ', '-']).filter(|digits| !all_alike(digits)) else { return false };
    is_issued(&digits) && luhn(digits.into_iter())
}

fn is_issued(digits: &[u32]) -> bool {
    match digits.get(..2) {
        Some([4, _]) => matches!(digits.len(), 13 | 16 | 19),
        Some([5, 1..=5] | [2, 2..=7] | [3, 5] | [6, 2 | 4 | 5 | 0]) => matches!(digits.len(), 16..=19),
        Some([3, 4 | 7]) => digits.len() == 15,
        Some([3, 0 | 6 | 8]) => digits.len() == 14,
        Some([9, _]) => digits.len() == 16,
        _ => false,
    }
}

/// ISO 13616, by the registry of the countries' layouts in `iban_validate`.
pub(super) fn is_iban(text: &str) -> bool {
    has_iban_layout(text) && plain(text).parse::<iban::Iban>().is_ok()
}

/// Two letters, two digits and 11 to 30 more, in groups of four or without spaces.
pub(super) fn has_iban_layout(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = bytes.len() >= 15
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit);
    let characters = bytes.iter().filter(|byte| **byte != b' ').count();
    starts
        && (15..=34).contains(&characters)
        && bytes.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ')
}

/// A word, or words of four characters, that are an IBAN within a longer text.
pub(super) fn holds_iban(text: &str) -> bool {
    if !text.as_bytes().windows(4).any(begins) {
        return false;
    }
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || ",;:()\"".contains(c)).collect();
    (0..words.len()).filter(|&first| words[first].as_bytes().get(..4).is_some_and(begins)).any(|first| {
        let most = words.len().min(first + 9);
        (first + 1..=most).any(|end| is_iban(words[first..end].concat().trim_end_matches('.')))
    })
}

fn begins(four: &[u8]) -> bool {
    four[..2].iter().all(u8::is_ascii_uppercase) && four[2..].iter().all(u8::is_ascii_digit)
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| *c != ' ').collect()
}

/// An issuer's beginning and its length, without the check digit.
pub(super) fn has_card_layout(text: &str) -> bool {
    only(text, &[' ', '-']).is_some_and(|digits| !all_alike(&digits) && is_issued(&digits))
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
        assert!(
            holds_iban("pays from DE89 3704 0044 0532 0130 00, monthly")
                && holds_iban("(GB82WEST12345698765432).")
        );
        assert!(!holds_iban("pays from DE88 3704 0044 0532 0130 00"));
    }
}
