//! Spellings of one person's number or name.
//!
//! To take two spellings for one person is on the safe side: people are then fewer, and no class has fewer of them than it is said to have.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Characters that take no place, and those that part a number.
const ASIDE: [char; 10] =
    ['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}', '-', '_'];

/// Decimals that a spreadsheet puts behind whole numbers.
const ZEROS: [&str; 4] = [".0", ",0", ".00", ",00"];

/// A person's number or name without what spellings of it differ in: compatible form (NFKC), small letters, no white space, hyphens and
/// underscores; of whole numbers no leading zeros, and no `.0`, `,0`, `.00` or `,00` behind them.
#[must_use]
pub fn spelled(value: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    if !value.starts_with('0') && value.bytes().all(is_plain) {
        return Cow::Borrowed(value);
    }
    let kept = value.nfkc().filter(|letter| !letter.is_whitespace() && !ASIDE.contains(letter));
    let text: String = kept.flat_map(char::to_lowercase).collect();
    let number = ZEROS.iter().find_map(|zeros| text.strip_suffix(zeros)).unwrap_or(&text);
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Cow::Owned(text);
    }
    let digits = number.trim_start_matches('0');
    Cow::Owned(if digits.is_empty() { "0".to_owned() } else { digits.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_number_are_one() {
        for (one, others) in [
            ("p12", &["P12", " p12 ", "P-12", "ｐ12", "p\u{200b}12"][..]),
            ("12", &["00012", "12.0", " 012", "12,0", "12,00"]),
            ("0", &["00", "0.0"]),
            ("é", &["e\u{301}", "É"]),
            ("", &["", " ", "-"]),
        ] {
            assert!(others.iter().all(|other| spelled(other) == one), "{one}: {others:?}");
        }
        assert_ne!(spelled("12.5"), spelled("125"));
        assert_ne!(spelled("p12"), spelled("p13"));
    }
}
