//! Days as the check of originals reads and changes them.

use chrono::{Datelike, NaiveDate};
use velamen_contract::linked::{FIRST_DAY, Unit};

/// A day; a time of day that follows is left out.
pub(super) fn day(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.get(..10)?, "%Y-%m-%d").ok()
}

/// Whether a day is 1 January of another's year.
pub(super) fn is_year_of(released: NaiveDate, original: NaiveDate) -> bool {
    released.year() == original.year() && released.ordinal() == 1
}

/// By how many days the second is later.
pub(super) fn between(first: NaiveDate, second: NaiveDate) -> i64 {
    (second - first).num_days()
}

/// Whether a released day lies as many whole units after the first released one as the original after `first`.
pub(super) fn is_relative(released: NaiveDate, original: NaiveDate, first: NaiveDate, unit: Unit) -> bool {
    let Some(start) = day(FIRST_DAY) else { return false };
    match unit {
        Unit::Week => between(start, released) == between(first, original).div_euclid(7) * 7,
        Unit::Month => released.day() == 1 && months(start, released) == months(first, original),
        Unit::Quarter => {
            released.day() == 1 && months(start, released) == months(first, original).div_euclid(3) * 3
        }
    }
}

/// The greatest n for which n months after the first day are not later than the second.
fn months(first: NaiveDate, second: NaiveDate) -> i64 {
    let count = |day: NaiveDate| i64::from(day.year()) * 12 + i64::from(day.month0());
    count(second) - count(first) - i64::from(second.day() < first.day())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_whole() {
        let is = |released: &str, original: &str, unit| {
            is_relative(day(released).unwrap(), day(original).unwrap(), day("2014-01-31").unwrap(), unit)
        };
        assert!(
            is("2000-01-01", "2014-02-06", Unit::Week) && is("2000-01-08", "2014-02-07 10:00", Unit::Week)
        );
        assert!(is("2000-01-01", "2014-02-28", Unit::Month) && is("2000-03-01", "2014-03-31", Unit::Month));
        assert!(
            is("2000-01-01", "2014-04-30", Unit::Quarter) && is("2000-04-01", "2014-05-01", Unit::Quarter)
        );
        assert!(!is("2000-01-08", "2014-02-06", Unit::Week) && !is("2000-02-02", "2014-03-01", Unit::Month));
    }
}
