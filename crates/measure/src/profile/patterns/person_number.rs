//! Numbers that a state gives to persons.

use velamen_core::written::dates::exists;

use super::digits::only;

/// `123-45-6789`, by the rules of the Social Security Administration.
pub(super) fn is_ssn_with_hyphens(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [3, 2, 4] && is_ssn(text)
}

/// No area 000, 666 or 9xx, no group 00, no serial 0000.
pub(super) fn is_ssn(text: &str) -> bool {
    let Some(d) = only(text, &['-', ' ']).filter(|digits| digits.len() == 9) else { return false };
    let area = d[0] * 100 + d[1] * 10 + d[2];
    let serial = d[5..].iter().any(|&digit| digit > 0);
    area != 0 && area != 666 && area < 900 && (d[3], d[4]) != (0, 0) && serial
}

/// `YYMMDD-SNNNNNN` with a birth date and a digit of sex and century. Numbers given since October 2020
/// have no check digit, so it is not asked for.
pub(super) fn is_rrn_with_hyphen(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [6, 7] && only(text, &['-']).is_some_and(|digits| birth_exists(&digits))
}

/// The same thirteen digits without hyphen, with the check digit: weights 2 to 9 and 2 to 5, 11 less the
/// rest by 11, modulo 10.
pub(super) fn is_rrn(text: &str) -> bool {
    let Some(digits) = only(text, &['-', ' ']).filter(|digits| digits.len() == 13) else { return false };
    let weights = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5];
    let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum();
    birth_exists(&digits) && (11 - sum % 11) % 10 == digits[12]
}

/// Thirteen digits with a birth date.
pub(super) fn has_rrn_layout(text: &str) -> bool {
    only(text, &['-', ' ']).is_some_and(|digits| digits.len() == 13 && birth_exists(&digits))
}

fn birth_exists(d: &[u32]) -> bool {
    let century = match d[6] {
        9 | 0 => 1800,
        1 | 2 | 5 | 6 => 1900,
        3 | 4 | 7 | 8 => 2000,
        _ => return false,
    };
    exists((century + d[0] * 10 + d[1], d[2] * 10 + d[3], d[4] * 10 + d[5]))
}

/// Eleven characters `1AN9-AN9-AA99` of digits (9), letters (A) and either (N), without S, L, O, I, B, Z and with no 0 in
/// front (CMS's format).
pub(super) fn is_mbi(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|c| *c != '-').collect();
    let letter = |c: char| c.is_ascii_uppercase() && !"SLOIBZ".contains(c);
    let fits = |(place, &c): (usize, &char)| match place {
        0 => ('1'..='9').contains(&c),
        1 | 4 | 7 | 8 => letter(c),
        2 | 5 => letter(c) || c.is_ascii_digit(),
        _ => c.is_ascii_digit(),
    };
    plain.len() == 11 && plain.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_numbers_are_kept() {
        assert!(is_ssn_with_hyphens("123-45-6789") && is_ssn("123456789"));
        for text in [
            "000-45-6789",
            "666-45-6789",
            "900-45-6789",
            "123-00-6789",
            "123-45-0000",
            "12-345-6789",
            "123-45-678",
        ] {
            assert!(!is_ssn_with_hyphens(text), "{text}");
        }
        // 850101-1…: 8·2 + 5·3 + 0 + 1·5 + 0 + 1·7 + 1·8 + 2·9 + 3·2 + 4·3 + 5·4 + 6·5 = 137; 11 − 137 mod 11 = 6.
        assert!(is_rrn("850101-1234566") && is_rrn("8501011234566") && is_rrn_with_hyphen("850101-1234560"));
        for text in ["8501011234567", "8513011234566", "8502301234566", "850101123456"] {
            assert!(!is_rrn(text), "{text}");
        }
        assert!(!is_rrn_with_hyphen("851301-1234560") && !is_rrn_with_hyphen("8501011-234560"));
        assert!(
            is_mbi("1EG4-TE5-MK73")
                && is_mbi("1EG4TE5MK73")
                && !is_mbi("0EG4TE5MK73")
                && !is_mbi("1SG4TE5MK73")
        );
    }
}
