//! Vehicles: plates, and numbers without a check digit.

/// German, British and American plates. Single codes can look so, columns do not.
pub(super) fn is_plate(text: &str) -> bool {
    german(text) || british(text) || spaced(text) || italian(text)
}

/// `M-AB 1234`, `HH-X 12E`: a place, a hyphen, letters, a space, digits.
fn german(text: &str) -> bool {
    let Some((place, rest)) = text.split_once('-') else { return false };
    let Some((letters, number)) = rest.split_once([' ', '-']) else { return false };
    let number = number.strip_suffix(['E', 'H']).unwrap_or(number);
    letters_of(place, 1..=3)
        && letters_of(letters, 1..=2)
        && digits_of(number, 1..=4)
        && !number.starts_with('0')
}

/// `AB12 CDE`.
fn british(text: &str) -> bool {
    let Some((first, last)) = text.split_once(' ') else { return false };
    let area = first.len() == 4
        && first.is_ascii()
        && letters_of(&first[..2], 2..=2)
        && digits_of(&first[2..], 2..=2);
    area && letters_of(last, 3..=3)
}

/// `ABC 1234` and `ABC-1234` of American states, `7ABC123` of California.
fn spaced(text: &str) -> bool {
    if let Some((letters, number)) = text.split_once([' ', '-']) {
        return letters_of(letters, 3..=3) && digits_of(number, 3..=4);
    }
    text.len() == 7
        && text.is_ascii()
        && digits_of(&text[..1], 1..=1)
        && letters_of(&text[1..4], 3..=3)
        && digits_of(&text[4..], 3..=3)
}

/// `AB-123-CD` and `AB 123 CD` of France and Italy.
fn italian(text: &str) -> bool {
    let parts: Vec<&str> = text.split([' ', '-']).collect();
    matches!(parts[..], [first, number, last] if letters_of(first, 2..=2) && digits_of(number, 3..=3) && letters_of(last, 2..=2))
}

fn letters_of(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    let count = text.chars().count();
    lengths.contains(&count) && text.chars().all(|c| c.is_ascii_uppercase() || "ÄÖÜ".contains(c))
}

fn digits_of(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// 17 characters without I, O and Q, letters and digits mixed, the last four digits: European numbers have no
/// check digit.
pub(super) fn has_vin_layout(text: &str) -> bool {
    let bytes = text.as_bytes();
    let allowed = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() && !b"IOQ".contains(byte);
    bytes.len() == 17
        && bytes.iter().all(allowed)
        && bytes[13..].iter().all(u8::is_ascii_digit)
        && bytes[..13].iter().filter(|byte| byte.is_ascii_uppercase()).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plates_and_vehicles_have_a_layout() {
        for text in ["M-AB 1234", "HH-X 12E", "TÜ-K 7", "AB12 CDE", "ABC-1234", "7ABC123", "AB-123-CD"] {
            assert!(is_plate(text), "{text}");
        }
        for text in ["A10BA02", "I63.9", "SW1A 1AA", "1234 AB", "H-12", "m-ab 12", "J18", "2024-01-31", ""] {
            assert!(!is_plate(text), "{text}");
        }
        assert!(has_vin_layout("WVWZZZ1JZXW000001") && !has_vin_layout("WVWZZZ1JZXW00000A"));
        assert!(!has_vin_layout("12345678901234567"));
    }
}
