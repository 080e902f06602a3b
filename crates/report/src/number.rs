//! Numbers as readers of the spoken language write them.
//!
//! German has points where English has commas, and commas where English has points: what is meant as three thousand must
//! not be read as three.

use velamen_core::number as english;

use crate::language::{Language, mark, spoken, t};

/// What stands in the place of a number that there is not.
const NONE: &str = mark("not available");

/// So many digits in a message are hard to read without groups; fewer can be a year.
const LONG: usize = 5;

/// A whole number in groups of three digits.
#[must_use]
pub fn count(value: u64) -> String {
    written(&english::count(value))
}

/// A number with as many digits as it takes to read it back.
#[must_use]
pub fn exact(value: f64) -> String {
    written(&english::exact(value))
}

/// A number with about three significant digits.
#[must_use]
pub fn number(value: f64) -> String {
    written(&english::number(value))
}

/// A number with exactly this many decimals.
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    written(&english::fixed(value, decimals))
}

/// A share as per cent.
#[must_use]
pub fn percent(share: f64) -> String {
    written(&english::percent(share))
}

/// An upper bound that is a share, as per cent: rounded up, so that it still holds.
#[must_use]
pub fn percent_at_most(share: f64) -> String {
    percent(rounded_up(share))
}

/// A share rounded up to what [`percent`] shows of it: tenths of a per cent, of little ones thousandths.
#[must_use]
pub fn rounded_up(share: f64) -> f64 {
    let parts = if share < 5e-4 { 1e5 } else { 1e3 };
    // What floating point adds to a whole number of parts is none.
    (share * parts - 1e-9).ceil() / parts
}

/// A value in the words of the caller; what is a plain number in it gets its groups.
#[must_use]
pub fn grouped_text(text: &str) -> String {
    let words =
        text.split(' ').zip(english::grouped_text(text).split(' ').map(str::to_owned).collect::<Vec<_>>());
    words
        .map(|(word, grouped)| if word == grouped { grouped } else { written(&grouped) })
        .collect::<Vec<_>>()
        .join(" ")
}

/// A message in which every long number has its groups. What stands between backticks is code or a name, and stays.
#[must_use]
pub fn grouped_message(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let grouped = parts
        .map(|(place, part)| if place.is_multiple_of(2) { grouped_words(part) } else { part.to_owned() });
    grouped.collect::<Vec<_>>().join("`")
}

fn grouped_words(text: &str) -> String {
    text.split(' ').map(grouped_word).collect::<Vec<_>>().join(" ")
}

/// A word that is a number of five digits or more, with its groups; signs around it stay.
fn grouped_word(word: &str) -> String {
    let digits = word.trim_start_matches('(').trim_end_matches(['.', ',', ';', ':', ')']);
    let is_long = digits.len() >= LONG && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_long { word.replace(digits, &grouped_text(digits)) } else { word.to_owned() }
}

/// A number that was written in English, or the words in its place.
#[must_use]
pub fn written(number: &str) -> String {
    match spoken() {
        Language::English => number.to_owned(),
        Language::German if number == NONE => t(NONE).to_owned(),
        Language::German => number.chars().map(turned).collect(),
    }
}

fn turned(sign: char) -> char {
    match sign {
        ',' => '.',
        '.' => ',',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::speaking;

    #[test]
    fn long_numbers_of_messages_have_groups() {
        let said = grouped_message("of 30162 records (12345), line 9876: `a 30162`, 0123456 and data-12345");
        assert_eq!(said, "of 30,162 records (12,345), line 9876: `a 30162`, 0123456 and data-12345");
        let german = speaking(Language::German, || grouped_message("30162 Datensätze"));
        assert_eq!(german, "30.162 Datensätze");
    }

    #[test]
    fn points_and_commas_are_those_of_the_language() {
        let all = || (count(1_234_567), number(2.5), percent(0.1234), grouped_text("in 12345, or 2.5"));
        assert_eq!(all().0, "1,234,567");
        let (count, number, percent, text) = speaking(Language::German, all);
        assert_eq!(
            (count.as_str(), number.as_str(), text.as_str()),
            ("1.234.567", "2,5", "in 12345, or 2.5")
        );
        assert!(percent.starts_with("12,3"), "{percent}");
        assert_eq!(speaking(Language::German, || grouped_text("about 12345 rows")), "about 12.345 rows");
        assert_eq!(speaking(Language::German, || super::number(f64::NAN)), "nicht verfügbar");
    }
}
