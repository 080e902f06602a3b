//! Dates: day → week, or month → quarter → year → 5 years → 10 years → `*`.
//!
//! # Summary
//! Days of a public span of time, in the levels that are asked for.
//!
//! # Definition
//! Level 0 is the day, `2021-03-04`. Months, quarters, years, spans of 5 years (`2020-2024`) and of 10
//! (`2020-2029`) nest in each other, so that any of them, ascending, are levels. Weeks (ISO 8601, `2021-W09`)
//! do not nest in months or years, as a week can lie in two; they nest in the years that consist of them
//! (`2021-W**`), which begin on a Monday. A label covers the days of its span that lie in the domain.
//!
//! # Parameters
//! The levels, the first and the last day, and the format in the input, ISO where none is given.
//!
//! # Errors
//! Levels that do not nest or ascend, days out of order, a format without year, month and day.
//!
//! # Complexity
//! A label in O(1).
//!
//! # References
//! [@iso8601]
//!
//! # Deviations
//! Dates are released as in ISO 8601 whatever their format in the input. A time of day after the date is dropped.

use chrono::{Datelike, NaiveDate, Weekday};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::structure::Structure;
use super::{Facts, Form, Kind};
use crate::derived::day;
use crate::error::Problem;
use crate::hierarchy::bound::Bound;
use crate::hierarchy::{Ancestor, HierarchyError};

/// A level above the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum DateLevel {
    /// From Monday to Sunday.
    Week,
    /// The weeks of a year, which begin and end with one.
    WeekYear,
    Month,
    Quarter,
    Year,
    #[serde(rename = "5-years")]
    FiveYears,
    #[serde(rename = "10-years")]
    TenYears,
}

/// Days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Written")]
#[schemars(deny_unknown_fields, !try_from)]
pub struct Dates {
    /// The levels above the day, ascending.
    pub date: Vec<DateLevel>,
    /// The first day of the domain.
    pub min: String,
    /// The last day of the domain.
    pub max: String,
    /// How the input writes dates, such as `%d.%m.%Y`; left out: as ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// The same as recipes can write it: with dates of TOML.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    date: Vec<DateLevel>,
    min: Option<Bound>,
    max: Option<Bound>,
    format: Option<String>,
}

impl TryFrom<Written> for Dates {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { date, min, max, format } = written;
        Ok(Self { date, min: Bound::day(min, "min")?, max: Bound::day(max, "max")?, format })
    }
}

pub(super) const KIND: Kind =
    Kind::of::<Dates>(&["min", "max", "format"], Facts { listed: false, days: true });

impl Form for Dates {
    const NAME: &'static str = "date";
    type Structure = Days;

    fn structure(&self) -> Result<Days, HierarchyError> {
        Days::new(self.date.clone(), &self.min, &self.max, self.format.as_deref())
    }
}

const ISO: &str = "%Y-%m-%d";

/// Days between two, in levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Days {
    levels: Vec<DateLevel>,
    min: NaiveDate,
    max: NaiveDate,
    format: String,
}

impl DateLevel {
    fn shown(self) -> &'static str {
        match self {
            Self::Week => "the week",
            Self::WeekYear => "the year, in whole weeks",
            Self::Month => "the month",
            Self::Quarter => "the quarter",
            Self::Year => "the year",
            Self::FiveYears => "spans of 5 years",
            Self::TenYears => "spans of 10 years",
        }
    }
}

fn refuse<T>(keys: &[&str], text: String) -> Result<T, HierarchyError> {
    Err(HierarchyError::Parameters(Problem::of(keys, text)))
}

/// A day of ISO 8601, of a year of four digits.
fn iso(text: &str) -> Option<NaiveDate> {
    let shaped = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    NaiveDate::parse_from_str(text, ISO).ok().filter(|_| shaped)
}

fn check_levels(levels: &[DateLevel]) -> Result<(), HierarchyError> {
    use DateLevel::{Week, WeekYear};
    if levels.windows(2).any(|pair| pair[0] >= pair[1]) {
        return refuse(
            &["date"],
            "the levels of `date` ascend: \"week\", \"week-year\", or \"month\", \"quarter\", \"year\", \"5-years\", \
             \"10-years\""
                .into(),
        );
    }
    let of_weeks = levels.iter().filter(|level| matches!(level, Week | WeekYear)).count();
    if of_weeks > 0 && of_weeks < levels.len() {
        let problem = "weeks do not nest in months, quarters or years: a week can lie in two, so that it would have two parents";
        let mend = "choose date = [\"week\", \"week-year\"], date = [\"week\"], or levels from \"month\" up";
        return Err(HierarchyError::Parameters(Problem::of(&["date"], problem).mend(mend)));
    }
    Ok(())
}

impl Days {
    /// The days from `min` to `max` (ISO), written in `format`.
    fn new(
        levels: Vec<DateLevel>,
        min: &str,
        max: &str,
        format: Option<&str>,
    ) -> Result<Self, HierarchyError> {
        check_levels(&levels)?;
        let (Some(min), Some(max)) = (iso(min), iso(max)) else {
            return refuse(
                &["min", "max", "date"],
                "`min` and `max` of `date` are days such as \"2021-03-04\"".into(),
            );
        };
        if min >= max {
            return refuse(&["date", "min", "max"], "a date hierarchy needs min < max".into());
        }
        let rule = Self { levels, min, max, format: format.unwrap_or(ISO).into() };
        if format.is_some_and(|format| !names_a_day(format)) {
            return refuse(
                &["format", "date"],
                "`format` of `date` has a year, a month and a day, such as \"%d.%m.%Y\", \"%m/%d/%Y\" or \"%Y%m%d\"".into(),
            );
        }
        Ok(rule)
    }

    /// First and last day of the span around a day at a level.
    fn span(day: NaiveDate, level: DateLevel) -> Option<(NaiveDate, NaiveDate)> {
        match level {
            DateLevel::Week => {
                let week = day.week(Weekday::Mon);
                Some((week.checked_first_day()?, week.checked_last_day()?))
            }
            DateLevel::WeekYear => {
                let first = |year| NaiveDate::from_isoywd_opt(year, 1, Weekday::Mon);
                let year = day.iso_week().year();
                Some((first(year)?, first(year + 1)?.pred_opt()?))
            }
            DateLevel::Month => months(day, 1),
            DateLevel::Quarter => months(day, 3),
            DateLevel::Year => years(day, 1),
            DateLevel::FiveYears => years(day, 5),
            DateLevel::TenYears => years(day, 10),
        }
    }

    /// First and last day, ISO 8601, of what a label covers of the domain, at whatever level it stands.
    #[must_use]
    pub fn days_of(&self, label: &str) -> Option<(String, String)> {
        let day = iso(label).or_else(|| first_day(label))?;
        let at = |level: &DateLevel| Self::label(day, *level) == label;
        let (first, last) = match iso(label) {
            Some(day) => (day, day),
            None => Self::span(day, *self.levels.iter().find(|level| at(level))?)?,
        };
        let (first, last) = (first.max(self.min), last.min(self.max));
        (first <= last).then(|| (show(first), show(last)))
    }

    fn label(day: NaiveDate, level: DateLevel) -> String {
        match level {
            DateLevel::Week => format!("{:04}-W{:02}", day.iso_week().year(), day.iso_week().week()),
            DateLevel::WeekYear => format!("{:04}-W**", day.iso_week().year()),
            DateLevel::Month => format!("{:04}-{:02}", day.year(), day.month()),
            DateLevel::Quarter => format!("{:04}-Q{}", day.year(), day.month0() / 3 + 1),
            DateLevel::Year => format!("{:04}", day.year()),
            DateLevel::FiveYears => years_label(day, 5),
            DateLevel::TenYears => years_label(day, 10),
        }
    }
}

/// Whether a format shows the day: two days that differ only in one part are read as two.
#[must_use]
pub fn names_a_day(format: &str) -> bool {
    let fields = ["%Y", "%y", "%F", "%D", "%x"];
    let year = fields.iter().any(|field| format.contains(field));
    let month = ["%m", "%b", "%B", "%h", "%F", "%D", "%x"].iter().any(|field| format.contains(field));
    let day = ["%d", "%e", "%F", "%D", "%x"].iter().any(|field| format.contains(field));
    let errors = |item| matches!(item, chrono::format::Item::Error);
    year && month && day && !chrono::format::StrftimeItems::new(format).any(errors)
}

fn show(day: NaiveDate) -> String {
    format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day())
}

impl Structure for Days {
    fn top(&self) -> u8 {
        self.levels.len() as u8 + 1
    }

    fn domain(&self) -> u64 {
        days(self.min, self.max)
    }

    fn read(&self, value: &str) -> Option<String> {
        let day = day(value, &self.format)?;
        (self.min..=self.max).contains(&day).then(|| show(day))
    }

    fn ancestor(&self, leaf: &str, level: u8) -> Option<Ancestor> {
        let (day, level) = (iso(leaf)?, *self.levels.get(usize::from(level) - 1)?);
        let (first, last) = Self::span(day, level)?;
        let leaves = days(first.max(self.min), last.min(self.max));
        Some(Ancestor { label: Self::label(day, level), leaves })
    }

    fn shown(&self, level: u8) -> Option<String> {
        let level = self.levels.get(usize::from(level.checked_sub(1)?))?;
        Some(level.shown().to_owned())
    }

    /// The year.
    fn safe_harbor(&self) -> u8 {
        let coarse = self.levels.iter().position(|level| *level >= DateLevel::Year);
        coarse.unwrap_or(self.levels.len()) as u8 + 1
    }

    fn expectation(&self) -> String {
        let form = if self.format == ISO { "such as 2021-03-04" } else { &self.format };
        format!("a date ({form}) from {} to {}", show(self.min), show(self.max))
    }

    fn leaves(&self) -> Option<Vec<String>> {
        let day = |number| self.min.checked_add_days(chrono::Days::new(number)).map(show);
        (0..self.domain()).map(day).collect()
    }
}

/// A day of the span that a label above the day names.
fn first_day(label: &str) -> Option<NaiveDate> {
    let year = label.get(..4)?.parse().ok()?;
    let rest = label.get(4..)?;
    let month = |month: u32| NaiveDate::from_ymd_opt(year, month, 1);
    match rest.as_bytes() {
        [] => month(1),
        [b'-', b'W', b'*', b'*'] => NaiveDate::from_isoywd_opt(year, 1, Weekday::Mon),
        [b'-', b'W', _, _] => NaiveDate::from_isoywd_opt(year, rest[2..].parse().ok()?, Weekday::Mon),
        [b'-', b'Q', b'1'..=b'4'] => month(rest[2..].parse::<u32>().ok()? * 3 - 2),
        [b'-', _, _] => month(rest[1..].parse().ok()?),
        [b'-', _, _, _, _] => month(1),
        _ => None,
    }
}

/// The days from the first to the last, both included.
fn days(first: NaiveDate, last: NaiveDate) -> u64 {
    (last - first).num_days().unsigned_abs() + 1
}

/// First and last of so many months around a day.
fn months(day: NaiveDate, length: u32) -> Option<(NaiveDate, NaiveDate)> {
    let first = NaiveDate::from_ymd_opt(day.year(), day.month0() / length * length + 1, 1)?;
    Some((first, first.checked_add_months(chrono::Months::new(length))?.pred_opt()?))
}

/// The first of so many years around a day.
fn first_year(day: NaiveDate, length: i32) -> i32 {
    day.year() - day.year().rem_euclid(length)
}

/// First and last day of so many years around a day.
fn years(day: NaiveDate, length: i32) -> Option<(NaiveDate, NaiveDate)> {
    let first = first_year(day, length);
    Some((NaiveDate::from_ymd_opt(first, 1, 1)?, NaiveDate::from_ymd_opt(first + length - 1, 12, 31)?))
}

fn years_label(day: NaiveDate, length: i32) -> String {
    let first = first_year(day, length);
    format!("{first:04}-{:04}", first + length - 1)
}

#[cfg(test)]
mod tests {
    use super::DateLevel::*;
    use super::*;

    fn rule(levels: &[DateLevel]) -> Result<Days, HierarchyError> {
        Days::new(levels.to_vec(), "2018-06-15", "2024-12-31", None)
    }

    #[test]
    fn days_climb_the_calendar() {
        let rule = rule(&[Month, Quarter, Year, FiveYears, TenYears]).unwrap();
        let over = |day, level| rule.ancestor(day, level).unwrap();
        let labels = [1, 2, 3, 4, 5].map(|level| over("2020-02-29", level).label);
        assert_eq!(labels, ["2020-02", "2020-Q1", "2020", "2020-2024", "2020-2029"]);
        assert_eq!([1, 2, 3].map(|level| over("2020-02-29", level).leaves), [29, 91, 366]);
        // The domain begins on 15 June and ends in the middle of the decade.
        assert_eq!([1, 3].map(|level| over("2018-06-15", level).leaves), [16, 200]);
        assert_eq!(over("2024-12-31", 5).leaves, 5 * 365 + 2);
        assert_eq!((rule.top(), rule.domain(), rule.ancestor("2020-02-29", 6)), (6, 2392, None));
    }

    #[test]
    fn labels_name_their_days() {
        let calendar = rule(&[Month, Quarter, Year, FiveYears, TenYears]).unwrap();
        let weeks = rule(&[Week, WeekYear]).unwrap();
        for (rule, top) in [(&calendar, 5), (&weeks, 2)] {
            for day in ["2018-06-15", "2020-02-29", "2021-01-01", "2024-12-31"] {
                for level in 1..=top {
                    let Ancestor { label, leaves } = rule.ancestor(day, level).unwrap();
                    let (first, last) = rule.days_of(&label).unwrap();
                    assert!(*first <= *day && *day <= *last, "{label}: {first} {last}");
                    assert_eq!(days(iso(&first).unwrap(), iso(&last).unwrap()), leaves, "{label}");
                }
            }
        }
        assert_eq!(calendar.days_of("2020-02-29"), Some(("2020-02-29".into(), "2020-02-29".into())));
        for foreign in ["*", "", "x", "2020-Q5", "2020-13", "2021-2025", "2020-W10", "1999", "äöüß-01"] {
            assert_eq!(calendar.days_of(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn weeks_nest_in_the_years_made_of_them() {
        let rule = rule(&[Week, WeekYear]).unwrap();
        // ISO 8601: 1 January 2021 is a Friday of the 53rd week of 2020.
        let over = |level| rule.ancestor("2021-01-01", level).unwrap();
        assert_eq!([over(1).label, over(2).label], ["2020-W53", "2020-W**"]);
        assert_eq!([over(1).leaves, over(2).leaves], [7, 371]);
    }

    #[test]
    fn levels_that_do_not_nest_are_refused() {
        let message = |levels: &[DateLevel]| rule(levels).unwrap_err().to_string();
        assert!(message(&[Week, Month]).contains("two parents"));
        assert!(message(&[Week, TenYears]).contains("week-year"));
        assert!(message(&[Year, Month]).contains("ascend"));
        assert!(Days::new(vec![], "2021-02-30", "2022-01-01", None).is_err());
        assert!(Days::new(vec![], "2022-02-01", "2022-01-01", None).is_err());
    }

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        let iso = rule(&[Month]).unwrap();
        for wrong in
            ["", "2021-02-30", "2021-13-01", "2021-02", "x", "2018-06-14", "2025-01-01", "04.03.2021"]
        {
            assert_eq!(iso.read(wrong), None, "{wrong}");
        }
        let german = Days::new(vec![Year], "2018-01-01", "2024-12-31", Some("%d.%m.%Y %H:%M")).unwrap();
        assert_eq!(german.read("4.3.2021 13:05").as_deref(), Some("2021-03-04"));
        for format in ["%m.%Y", "%d.%m", "%Q", "%Y-%m-%d %!"] {
            assert!(Days::new(vec![], "2018-01-01", "2024-12-31", Some(format)).is_err(), "{format}");
        }
    }
}
