//! Cells that a spreadsheet would run as a formula, and how they are kept from it.
//!
//! A cell of delimited text is a formula to a spreadsheet if it begins with `=`, `+`, `-` or `@` (also full
//! width), a tab or a line end. Such a cell gets an apostrophe in front, unless it is a number or that one
//! character alone. A cell that has apostrophes before such a beginning gets one more, so that
//! [`unescape`] is the inverse of [`escape`] for every text.

use std::borrow::Cow;

/// What a formula begins with.
const BEGINNINGS: [char; 11] =
    ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Whether a spreadsheet would run the cell, but for apostrophes in front.
fn is_formula(cell: &str) -> bool {
    let bare = cell.trim_start_matches('\'');
    let mut characters = bare.chars();
    characters.next().is_some_and(|first| BEGINNINGS.contains(&first))
        && characters.next().is_some()
        && bare.parse::<f64>().is_err()
}

/// The cell as it is written.
#[must_use]
pub fn escape(cell: &str) -> Cow<'_, str> {
    if is_formula(cell) { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

/// The cell that was written so.
#[must_use]
pub fn unescape(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| is_formula(rest)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_text_and_numbers_stay() {
        for formula in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\u{ff1d}1", "'=1"] {
            assert_eq!(escape(formula), format!("'{formula}"));
            assert!(escape(formula).starts_with('\''));
        }
        for plain in ["", "-5", "+82", "-1.5e3", "-", "a=b", "'", "'quoted'", "*", "[5-9]"] {
            assert_eq!(escape(plain), plain);
            assert_eq!(unescape(plain), plain);
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_was_there(cell in "['=+@\\-\t a1]{0,6}") {
            let written = escape(&cell);
            prop_assert_eq!(unescape(&written), &cell);
        }
    }
}
