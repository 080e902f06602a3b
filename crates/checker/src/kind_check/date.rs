//! Labels of days: dates, weeks, months, quarters, years and spans of years.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "numbers are read from at most four digits, or count what a definition lists"
)]

use serde_json::{Map, Value};

use super::{Entry, Labels, Place, texts};

pub(super) const ENTRY: Entry = Entry { name: "date", read };

/// A level above the day.
#[derive(Debug, Clone, Copy)]
enum Level {
    Week,
    WeekYear,
    Month,
    Quarter,
    Year,
    FiveYears,
    TenYears,
}

#[derive(Debug)]
struct Dates {
    levels: Vec<Level>,
    min: i64,
    max: i64,
}

fn read(fields: &Map<String, Value>) -> Option<Box<dyn Labels>> {
    let levels = texts(fields, "date")?.iter().map(|name| level(name)).collect::<Option<_>>()?;
    let end = |key: &str| day_number(fields.get(key)?.as_str()?);
    Some(Box::new(Dates { levels, min: end("min")?, max: end("max")? }))
}

fn level(name: &str) -> Option<Level> {
    Some(match name {
        "week" => Level::Week,
        "week-year" => Level::WeekYear,
        "month" => Level::Month,
        "quarter" => Level::Quarter,
        "year" => Level::Year,
        "5-years" => Level::FiveYears,
        "10-years" => Level::TenYears,
        _ => return None,
    })
}

impl Labels for Dates {
    fn places(&self, label: &str) -> Vec<Place> {
        dates(&self.levels, (self.min, self.max), label)
    }

    fn leaves(&self) -> f64 {
        (self.max - self.min + 1) as f64
    }

    fn top(&self) -> usize {
        self.levels.len() + 1
    }

    fn span(&self, label: &str) -> Option<(f64, f64)> {
        let whole = (label == "*").then_some((self.min, self.max));
        let day = || day_number(label).map(|day| (day, day));
        let (first, last) =
            whole.or_else(day).or_else(|| self.levels.iter().find_map(|level| span(*level, label)))?;
        let within = (first.max(self.min), last.min(self.max));
        (within.0 <= within.1).then_some((within.0 as f64, within.1 as f64))
    }
}

/// Days since 1 March of the year 0, of a date `YYYY-MM-DD`; `None` if the calendar has no such day.
fn day_number(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) =
        (number(parts.next()?, 4)?, number(parts.next()?, 2)?, number(parts.next()?, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if leap { 29 } else { 28 };
    let length = match month {
        2 => february,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let known = parts.next().is_none() && (1..=12).contains(&month);
    (known && day >= 1 && day <= length).then(|| days_before(year, month) + day)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    let formed = text.len() == digits && text.chars().all(|c| c.is_ascii_digit());
    text.parse().ok().filter(|_| formed)
}

/// The day before the first of a month; the year begins in March, so that leap days are its last.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5
}

/// The Monday of the first week of a year: the week of 4 January. 3 January 2000 is a Monday.
fn first_monday(year: i64) -> i64 {
    let monday = days_before(2000, 1) + 3;
    let fourth = days_before(year, 1) + 4;
    fourth - (fourth - monday).rem_euclid(7)
}

/// First and last day of the span that a label of a level names.
fn span(level: Level, label: &str) -> Option<(i64, i64)> {
    match level {
        Level::Week => {
            let (year, week) = label.split_once("-W")?;
            let (year, week) = (number(year, 4)?, number(week, 2)?);
            let first = first_monday(year) + 7 * (week - 1);
            (week >= 1 && first < first_monday(year + 1)).then_some((first, first + 6))
        }
        Level::WeekYear => {
            let year = number(label.strip_suffix("-W**")?, 4)?;
            Some((first_monday(year), first_monday(year + 1) - 1))
        }
        Level::Month => {
            let (year, month) = label.split_once('-')?;
            let month = number(month, 2).filter(|month| (1..=12).contains(month))?;
            Some(months(number(year, 4)?, month, 1))
        }
        Level::Quarter => {
            let (year, quarter) = label.split_once("-Q")?;
            let quarter = number(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
            Some(months(number(year, 4)?, 3 * quarter - 2, 3))
        }
        Level::Year => Some(months(number(label, 4)?, 1, 12)),
        Level::FiveYears => years(label, 5),
        Level::TenYears => years(label, 10),
    }
}

/// So many months. A year's month 13 is the next year's first: the year that is counted by begins in March.
fn months(year: i64, month: i64, length: i64) -> (i64, i64) {
    (days_before(year, month) + 1, days_before(year, month + length))
}

/// So many years, from a multiple of that number.
fn years(label: &str, length: i64) -> Option<(i64, i64)> {
    let (first, last) = label.split_once('-')?;
    let (first, last) = (number(first, 4)?, number(last, 4)?);
    (first % length == 0 && last == first + length - 1)
        .then(|| (days_before(first, 1) + 1, days_before(last + 1, 1)))
}

fn dates(levels: &[Level], (min, max): (i64, i64), label: &str) -> Vec<Place> {
    if let Some(day) = day_number(label) {
        return if (min..=max).contains(&day) { vec![(0, 1.)] } else { Vec::new() };
    }
    let at = |(level, kind): (usize, &Level)| days_within(*kind, label, (min, max)).map(|days| (level, days));
    (1..).zip(levels).filter_map(at).collect()
}

/// The days of the domain in the span that a label of a level names; `None` where there are none.
fn days_within(level: Level, label: &str, (min, max): (i64, i64)) -> Option<f64> {
    let (first, last) = span(level, label)?;
    let days = last.min(max) - first.max(min) + 1;
    (days > 0).then_some(days as f64)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::super::tests::{extent, of};
    use super::*;

    #[test]
    fn the_calendar_is_counted() {
        let date = r#"{"date":["month","quarter","year","5-years"],"min":"2018-06-15","max":"2024-12-31"}"#;
        assert_eq!(of(date, "2020-02"), [(1, 29.)]);
        assert_eq!(of(date, "2018-06"), [(1, 16.)]);
        assert_eq!([of(date, "2020-Q1"), of(date, "2020")], [[(2, 91.)], [(3, 366.)]]);
        assert_eq!(of(date, "2020-2024"), [(4, 1827.)]);
        for foreign in ["2021-02-29", "2021-13", "2021-Q5", "2017", "2021-2025", "2021-W01", "21-02"] {
            assert_eq!(of(date, foreign), [], "{foreign}");
        }
        // 2020, 2024 and 2028 are leap years.
        let tens = r#"{"date":["10-years"],"min":"2001-01-01","max":"2040-12-31"}"#;
        assert_eq!([of(tens, "2020-2029"), of(tens, "2001-2010")], [vec![(1, 3653.)], vec![]]);
        let weeks = r#"{"date":["week","week-year"],"min":"2018-01-01","max":"2024-12-31"}"#;
        assert_eq!(of(weeks, "2020-W53"), [(1, 7.)]);
        assert_eq!([of(weeks, "2021-W53"), of(weeks, "2020-W00")], [[], []]);
        assert_eq!(of(weeks, "2020-W**"), [(2, 371.)]);
        assert_eq!(day_number("2000-03-01").unwrap() - day_number("1900-02-28").unwrap(), 36_526);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in ["2020-02-29", "2000-02-29", "1900-02-28", "2021-04-30", "2021-12-31", "2021-01-01"] {
            assert!(day_number(day).is_some(), "{day}");
        }
        for month in [1, 3, 5, 7, 8, 10, 12] {
            assert!(day_number(&format!("2021-{month:02}-31")).is_some(), "{month}");
        }
        for month in [4, 6, 9, 11] {
            assert_eq!(day_number(&format!("2021-{month:02}-31")), None, "{month}");
        }
        for none in [
            "2021-02-29",
            "1900-02-29",
            "2100-02-29",
            "2000-02-30",
            "2021-13-01",
            "2021-00-01",
            "2021-01-00",
            "2021-01-32",
            "2021-01-01-01",
            "2021-01",
            "+202-01-01",
            "02021-01-01",
            "2021-1-01",
        ] {
            assert_eq!(day_number(none), None, "{none}");
        }
        // Each day is one after the day before, over a century that is no leap year and one that is.
        let days = (1896..2004).flat_map(|year| (1..=12).map(move |month| (year, month)));
        let days =
            days.flat_map(|(year, month)| (1..=31).map(move |day| format!("{year}-{month:02}-{day:02}")));
        let numbers: Vec<i64> = days.filter_map(|day| day_number(&day)).collect();
        assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1));
        assert_eq!(numbers.len(), 108 * 365 + 26);
    }

    #[test]
    fn a_span_has_a_day_of_the_domain() {
        let date = r#"{"date":["month","quarter"],"min":"2018-06-01","max":"2024-12-31"}"#;
        assert_eq!([of(date, "2018-05"), of(date, "2025-01"), of(date, "2018-Q1")], [[], [], []]);
        assert_eq!([of(date, "2018-06"), of(date, "2024-12")], [[(1, 30.)], [(1, 31.)]]);
        assert_eq!([of(date, "2018-Q2"), of(date, "2024-Q4")], [[(2, 30.)], [(2, 92.)]]);
        assert_eq!([of(date, "2018-06-01"), of(date, "2024-12-31")], [[(0, 1.)], [(0, 1.)]]);
        assert_eq!([of(date, "2018-05-31"), of(date, "2025-01-01")], [[], []]);
    }

    #[test]
    fn a_domain_has_as_many_leaves_as_its_days() {
        // 2020 has 366 days.
        assert_eq!(extent(r#"{"date":["month","year"],"min":"2020-01-01","max":"2020-12-31"}"#), (366., 3));
        assert_eq!(extent(r#"{"date":[],"min":"2020-01-01","max":"2020-01-01"}"#), (1., 1));
    }
}
