//! Days: how they are read, moved and written.

use chrono::{Datelike, Days, Months, NaiveDate};
use velamen_contract::linked::{Dates, FIRST_DAY, Unit};

/// No day.
pub(crate) const NO_DAY: i32 = i32::MIN;

/// From this year on a day stands for an end that is open.
const OPEN: i32 = 2099;

/// A day of ISO 8601 from the year 0001 on, of which a time may follow, in days of the common era.
pub(crate) fn parse(text: &str) -> Option<i32> {
    let day = text.get(..10)?;
    let rest = text.get(10..)?;
    let is_time = rest.is_empty() || rest.starts_with(['T', ' ']);
    let digits = |range: std::ops::Range<usize>| {
        day.get(range).filter(|text| !text.starts_with('+'))?.parse::<u32>().ok()
    };
    let separated = day.as_bytes()[4] == b'-' && day.as_bytes()[7] == b'-' && day.is_ascii();
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let date = NaiveDate::from_ymd_opt(year as i32, month, day).filter(|_| year > 0)?;
    (is_time && separated).then(|| date.num_days_from_ce())
}

/// Of a year, or a year and a month: the first day that it covers where no more than that is released, else no day.
pub(crate) fn partial(text: &str, dates: Dates) -> Option<i32> {
    let (day, is_shown) = match text.len() {
        4 => (parse(&format!("{text}-01-01"))?, dates == Dates::Year),
        7 => (parse(&format!("{text}-01"))?, matches!(dates, Dates::Year | Dates::Relative(Unit::Month))),
        _ => return None,
    };
    Some(if is_shown { day } else { NO_DAY })
}

/// Whether a day stands for an end that is open: 2099-12-31, 9999-12-31.
pub(crate) fn is_open(day: i32) -> bool {
    year(day) >= OPEN
}

/// The year of a day.
pub(crate) fn year(day: i32) -> i32 {
    date(day).year()
}

/// Whether a day is the first of its month.
pub(crate) fn is_first_of_month(day: i32) -> bool {
    date(day).day() == 1
}

fn date(day: i32) -> NaiveDate {
    NaiveDate::from_num_days_from_ce_opt(day).unwrap_or(NaiveDate::MIN)
}

/// A day as it is written.
pub(crate) fn show(day: i32) -> String {
    let date = date(day);
    match date.year() {
        // As below, and faster.
        year @ 0..=9999 => format!("{year:04}-{:02}-{:02}", date.month(), date.day()),
        _ => date.format("%Y-%m-%d").to_string(),
    }
}

/// How the days of a person are changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// What becomes of dates.
    pub(crate) dates: Dates,
    /// By how many days they move, with a shift.
    pub(crate) shift: i32,
    /// The person's first day, for relative dates.
    pub(crate) first: i32,
}

impl Change {
    /// The day that is released in place of one.
    pub(crate) fn of(&self, day: i32) -> i32 {
        match self.dates {
            Dates::None => NO_DAY,
            Dates::Year => date(day).with_ordinal(1).map_or(day, |date| date.num_days_from_ce()),
            Dates::Shift(_) => day + self.shift,
            Dates::Relative(unit) => relative(day, self.first, unit),
        }
    }
}

/// Whether a relative day is written in a year so many after that of the first.
pub(crate) fn is_years_after(day: i32, first: i32, unit: Unit, years: i32) -> bool {
    let start = parse(FIRST_DAY).map_or(0, year);
    year(relative(day, first, unit)) - start >= years
}

/// Whole units since the first day, written from 2000-01-01 on.
fn relative(day: i32, first: i32, unit: Unit) -> i32 {
    let start = parse(FIRST_DAY).and_then(NaiveDate::from_num_days_from_ce_opt).unwrap_or_default();
    let since = (day - first).max(0) as u32;
    let moved = match unit {
        Unit::Week => start.checked_add_days(Days::new(u64::from(since / 7 * 7))),
        Unit::Month => start.checked_add_months(Months::new(months(first, day))),
        Unit::Quarter => start.checked_add_months(Months::new(months(first, day) / 3 * 3)),
    };
    moved.unwrap_or(start).num_days_from_ce()
}

/// Whole months from one day to a later one.
fn months(first: i32, day: i32) -> u32 {
    let (first, day) = (date(first), date(day));
    let between = (day.year() - first.year()) * 12 + day.month() as i32 - first.month() as i32;
    (between - i32::from(day.day() < first.day())).max(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_with_and_without_a_time() {
        let day = parse("2016-02-29").unwrap();
        for text in ["2016-02-29 00:00:00", "2016-02-29T10:11:12Z"] {
            assert_eq!(parse(text), Some(day), "{text}");
        }
        for text in ["", "2016", "2016-02", "2015-02-29", "29.02.2016", "2016/02/29", "2016-02-29x"] {
            assert_eq!(parse(text), None, "{text}");
        }
        for text in ["0000-01-01", "+201-01-01", "2016-+2-01"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(show(day), "2016-02-29");
    }

    #[test]
    fn dates_change_as_asked() {
        let (first, day) = (parse("2014-01-31").unwrap(), parse("2014-04-30").unwrap());
        let changed = |dates| show(Change { dates, shift: -3, first }.of(day));
        assert_eq!(changed(Dates::Year), "2014-01-01");
        assert_eq!(changed(Dates::Shift(9)), "2014-04-27");
        assert_eq!(changed(Dates::Relative(Unit::Month)), "2000-03-01");
        assert_eq!(changed(Dates::Relative(Unit::Quarter)), "2000-01-01");
        assert_eq!(changed(Dates::Relative(Unit::Week)), "2000-03-25");
        assert_eq!(
            Change { dates: Dates::Relative(Unit::Week), shift: 0, first }.of(first),
            parse(FIRST_DAY).unwrap()
        );
    }

    #[test]
    fn open_ends_are_known() {
        assert!(is_open(parse("9999-12-31").unwrap()) && is_open(parse("2099-12-31").unwrap()));
        assert!(!is_open(parse("2024-12-31").unwrap()));
    }
}
