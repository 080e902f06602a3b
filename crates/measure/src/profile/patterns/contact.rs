//! Telephone numbers and postal codes.

use super::digits::{all_alike, only};

/// A telephone number written as one: with a country's code, in groups, or a Korean one with its zero.
pub(super) fn is_written_phone(text: &str) -> bool {
    let shaped = text.chars().all(|c| c.is_ascii_digit() || " ()-.+/".contains(c)) && text.len() <= 24;
    let Some(digits) =
        only(text, &[' ', '(', ')', '-', '.', '+', '/']).filter(|digits| shaped && !all_alike(digits))
    else {
        return false;
    };
    let grouped = text.contains(['-', ' ', '(', '.']);
    match text.strip_prefix('+') {
        // E.164: a country's code and at most 15 digits.
        Some(_) => (8..=15).contains(&digits.len()) && digits[0] != 0,
        None if is_korean(&digits) => {
            grouped && korean_groups(text) || digits.len() == 11 && digits[..3] == [0, 1, 0]
        }
        None => grouped && is_american(&digits) && american_groups(text),
    }
}

/// Ten or eleven digits that could be one, or eight and more that begin with 0.
pub(super) fn is_bare_phone(text: &str) -> bool {
    let Some(digits) = only(text, &[' ', '-', '.', '(', ')', '/', '+']) else { return false };
    let national = (9..=12).contains(&digits.len()) && digits[0] == 0;
    !all_alike(&digits) && (is_american(&digits) || is_korean(&digits) || national)
}

/// North American numbering plan: area and exchange begin with 2 to 9, and neither ends in 11.
fn is_american(digits: &[u32]) -> bool {
    let local = match digits {
        [1, local @ ..] if local.len() == 10 => local,
        local if local.len() == 10 => local,
        _ => return false,
    };
    let plausible = |group: &[u32]| group[0] >= 2 && group[1..] != [1, 1];
    plausible(&local[..3]) && plausible(&local[3..6])
}

/// The groups of an American number, 3-3-4, with or without the 1.
fn american_groups(text: &str) -> bool {
    let lengths: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|l| *l > 0).collect();
    matches!(lengths[..], [3, 3, 4] | [1, 3, 3, 4] | [3, 7] | [6, 4])
}

/// 02, 031 … 064, 010 … 019, 070, 080: nine to eleven digits.
fn is_korean(digits: &[u32]) -> bool {
    let area =
        matches!(digits, [0, 2, ..] | [0, 3..=6, 1..=5, ..] | [0, 1, 0 | 1 | 6..=9, ..] | [0, 7 | 8, 0, ..]);
    area && (9..=11).contains(&digits.len())
}

fn korean_groups(text: &str) -> bool {
    let lengths: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|l| *l > 0).collect();
    matches!(lengths[..], [2 | 3, 3 | 4, 4])
}

pub(super) fn is_zip_plus_4(text: &str) -> bool {
    text.split_once('-').is_some_and(|(zip, more)| is_of_digits(zip, 5) && is_of_digits(more, 4))
}

/// US, Korean, British, Canadian and five-digit European codes.
pub(super) fn is_postal_code(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != ' ').collect();
    let shape: String = plain
        .chars()
        .map(|c| {
            if c.is_ascii_digit() {
                '9'
            } else if c.is_ascii_alphabetic() {
                'A'
            } else {
                c
            }
        })
        .collect();
    const SHAPES: [&str; 13] = [
        "9999",
        "99999",
        "99999-9999",
        "999-999",
        "999999",
        "999",
        "A9A9A9",
        "A99AA",
        "A999AA",
        "AA99AA",
        "AA999AA",
        "A9A9AA",
        "AA9A9AA",
    ];
    SHAPES.contains(&shape.as_str())
}

fn is_of_digits(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn telephone_numbers_are_told_from_other_digits() {
        for text in [
            "(212) 555-2368",
            "212-555-2368",
            "212.555.2368",
            "1-212-555-2368",
            "+82 10-1234-5678",
            "010-1234-5678",
            "01012345678",
            "02-123-4567",
            "031-123-4567",
            "+4930123456",
        ] {
            assert!(is_written_phone(text), "{text}");
        }
        for text in [
            "2125552368",
            "112-555-2368",
            "212-111-2368",
            "2024-01-31",
            "12.50",
            "1234",
            "000-000-0000",
            "10-20-30",
            "123-45-6789",
            "3-1",
            "",
        ] {
            assert!(!is_written_phone(text), "{text}");
        }
        assert!(
            is_bare_phone("2125552368")
                && is_bare_phone("0301234567")
                && !is_bare_phone("12")
                && !is_bare_phone("1125552368")
        );
    }

    #[test]
    fn postal_codes_have_a_shape() {
        for text in ["02139", "02139-1234", "K1A 0B1", "SW1A 1AA", "123-456"] {
            assert!(is_postal_code(text), "{text}");
        }
        assert!(!is_postal_code("12") && !is_postal_code("Berlin") && !is_postal_code("1234567"));
        assert!(is_zip_plus_4("02139-1234") && !is_zip_plus_4("02139") && !is_zip_plus_4("2139-1234"));
    }
}
