//! Dates of birth, by the dates themselves.
//!
//! # Definition
//! A column of days holds births if 9 in 10 of its records lie within 20 years or more, and none is later than the year 2100: ages of a
//! population differ by more, and the days on which something was recorded by less.
//!
//! # Complexity
//! O(values · formats).

use super::Cells;
use super::kind::{self, Kind};
use velamen_core::written::dates::DateFormat;

/// 9 in 10 births lie at least so many years apart.
const YEARS: i64 = 20;

/// The share of records that is left out at either end.
const TAIL: f64 = 0.05;

/// Whether values are dates of birth, whatever their column is called.
#[must_use]
pub fn are_births(cells: Cells<'_>) -> bool {
    let Kind::Date { format: pattern, time: false, .. } = kind::of(cells).0 else { return false };
    let Some(format) = DateFormat::all().find(|format| format.pattern() == pattern && !format.time) else {
        return false;
    };
    let year = |&(value, count): &(&str, u64)| Some((i64::from(format.parse(value)?.0), count));
    let mut years: Vec<(i64, u64)> = cells.0.iter().filter_map(year).collect();
    years.sort_unstable();
    let all: u64 = years.iter().map(|(_, count)| count).sum();
    let at = |share: f64| {
        let rank = (share * all as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = years.iter().find(|(_, count)| {
            seen += count;
            seen >= rank
        });
        found.map_or(0, |(year, _)| *year)
    };
    at(1.0 - TAIL) - at(TAIL) >= YEARS && at(1.0) <= 2100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are(dates: impl Iterator<Item = String>) -> bool {
        let dates: Vec<String> = dates.collect();
        let counted: Vec<(&str, u64)> = dates.iter().map(|date| (date.as_str(), 1)).collect();
        are_births(Cells(&counted))
    }

    #[test]
    fn births_lie_far_apart_and_stays_do_not() {
        let german = |year: u32| format!("{:02}.{:02}.{year}", 1 + year % 28, 1 + year % 12);
        assert!(are((1930..2004).map(|year| format!("{year}-03-07"))));
        assert!(are((1930..2004).map(german)));
        assert!(
            !are((2012..2025).flat_map(|year| (1..13).map(move |month| format!("{year}-{month:02}-07"))))
        );
        // Two slips of the pen make no births of stays.
        let slips = ["1912-01-01".to_owned(), "1900-01-01".to_owned()];
        assert!(!are((1..28).flat_map(|d| (1..13).map(move |m| format!("2024-{m:02}-{d:02}"))).chain(slips)));
        assert!(!are((1930..2004).map(|year| year.to_string())) && !are(std::iter::empty()));
    }
}
