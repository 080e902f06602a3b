//! Where the ends of released ranges lie: on the multiples of a step.
//!
//! # Definition
//! ```text
//! step = number > 0              multiples of it, counted from 0
//!      | span                    days, months or years of the calendar, counted from the year 0
//! span = "day" | "month" | "quarter" | "year" | N "days" | N "months" | N "years"
//! ends = step | "intervals"      the starts of the narrowest intervals of the hierarchy
//!      | "values"                values that are listed, or that enough records have
//! ```

use std::fmt::{Display, Formatter, Result as Written};
use std::str::FromStr;

use chrono::{Datelike, NaiveDate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Days, months or years of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// So many days.
    Days(u32),
    /// So many months.
    Months(u32),
    /// So many years.
    Years(u32),
}

/// The step of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Raw", into = "Raw")]
#[schemars(with = "Raw")]
pub enum Step {
    /// Of numbers.
    Number(f64),
    /// Of dates.
    Span(Span),
}

/// What the ends of an attribute's released ranges are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub enum Ends {
    /// Multiples of a step.
    Step(Step),
    /// Starts of the narrowest intervals of the hierarchy.
    Intervals,
    /// Values; text is released in sets of them.
    Values,
}

/// As recipes and manifests write it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a number, or a text such as \"month\" or \"10 years\"")]
enum Raw {
    /// Of numbers.
    Number(f64),
    /// Of dates: "day", "month", "quarter", "year", "7 days", "10 years".
    Text(String),
}

/// The longest span of a step, in its own unit: what is longer holds every date.
const LONGEST: u32 = 4000;

impl Span {
    /// The number of the cell that a day lies in.
    #[must_use]
    pub fn cell(self, day: i64) -> i64 {
        match self {
            Self::Days(days) => day.div_euclid(i64::from(days)),
            Self::Months(months) => months_of(day).div_euclid(i64::from(months)),
            Self::Years(years) => months_of(day).div_euclid(12 * i64::from(years)),
        }
    }

    /// The first day of a cell.
    #[must_use]
    pub fn start(self, cell: i64) -> i64 {
        match self {
            Self::Days(days) => cell * i64::from(days),
            Self::Months(months) => first_of(cell * i64::from(months)),
            Self::Years(years) => first_of(12 * cell * i64::from(years)),
        }
    }
}

/// Months from January of the year 0.
fn months_of(day: i64) -> i64 {
    let date = date(day);
    i64::from(date.year()) * 12 + i64::from(date.month0())
}

fn first_of(months: i64) -> i64 {
    let month = u32::try_from(months.rem_euclid(12)).unwrap_or(0) + 1;
    let year = i32::try_from(months.div_euclid(12)).unwrap_or(i32::MAX);
    NaiveDate::from_ymd_opt(year, month, 1).map_or(i64::MAX / 4, |date| i64::from(date.num_days_from_ce()))
}

fn date(day: i64) -> NaiveDate {
    let day = i32::try_from(day).unwrap_or(i32::MAX);
    NaiveDate::from_num_days_from_ce_opt(day).unwrap_or(NaiveDate::MAX)
}

/// The number of a day of ISO 8601, `2021-03-04`.
#[must_use]
pub fn day_of(text: &str) -> Option<i64> {
    let shaped = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| shaped)?;
    Some(i64::from(date.num_days_from_ce()))
}

/// A day as in ISO 8601.
#[must_use]
pub fn shown_day(day: i64) -> String {
    let date = date(day);
    format!("{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
}

impl Display for Span {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Written {
        match *self {
            Self::Days(1) => formatter.write_str("day"),
            Self::Months(1) => formatter.write_str("month"),
            Self::Months(3) => formatter.write_str("quarter"),
            Self::Years(1) => formatter.write_str("year"),
            Self::Days(days) => write!(formatter, "{days} days"),
            Self::Months(months) => write!(formatter, "{months} months"),
            Self::Years(years) => write!(formatter, "{years} years"),
        }
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (number, unit) = match text.split_once(' ') {
            Some((number, unit)) => (number.parse().ok().filter(|n| (1..=LONGEST).contains(n)), unit),
            None => (Some(1), text),
        };
        match (number, unit) {
            (Some(days), "day" | "days") => Ok(Self::Days(days)),
            (Some(months), "month" | "months") => Ok(Self::Months(months)),
            (Some(quarters), "quarter" | "quarters") => Ok(Self::Months(3 * quarters)),
            (Some(years), "year" | "years") => Ok(Self::Years(years)),
            _ => Err(format!(
                "`step` of dates is \"day\", \"month\", \"quarter\", \"year\" or a number of them up to {LONGEST}, such as \
                 \"10 years\""
            )),
        }
    }
}

impl Display for Step {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Written {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Span(span) => write!(formatter, "\"{span}\""),
        }
    }
}

impl TryFrom<Raw> for Step {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        match raw {
            Raw::Number(number) if number > 0.0 && number.is_finite() => Ok(Self::Number(number)),
            Raw::Number(_) => Err("`step` is a number above 0".into()),
            Raw::Text(text) => text.parse().map(Self::Span),
        }
    }
}

impl From<Step> for Raw {
    fn from(step: Step) -> Self {
        match step {
            Step::Number(number) => Self::Number(number),
            Step::Span(span) => Self::Text(span.to_string()),
        }
    }
}

impl TryFrom<Raw> for Ends {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        match raw {
            Raw::Text(text) if text == "intervals" => Ok(Self::Intervals),
            Raw::Text(text) if text == "values" => Ok(Self::Values),
            raw => Step::try_from(raw).map(Self::Step),
        }
    }
}

impl From<Ends> for Raw {
    fn from(ends: Ends) -> Self {
        match ends {
            Ends::Step(step) => step.into(),
            Ends::Intervals => Self::Text("intervals".into()),
            Ends::Values => Self::Text("values".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_they_are_written() {
        for text in ["day", "7 days", "month", "quarter", "6 months", "year", "10 years"] {
            assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
        }
        for text in ["", "week", "0 days", "-1 years", "99999 days", "2  years"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn cells_follow_the_calendar() {
        let cell = |span: &str, day: &str| {
            let (span, day): (Span, i64) = (span.parse().unwrap(), day_of(day).unwrap());
            let cell = span.cell(day);
            assert!(span.start(cell) <= day && day < span.start(cell + 1));
            (shown_day(span.start(cell)), shown_day(span.start(cell + 1) - 1))
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(cell("day", "2020-02-29"), pair("2020-02-29", "2020-02-29"));
        assert_eq!(cell("month", "2020-02-29"), pair("2020-02-01", "2020-02-29"));
        assert_eq!(cell("quarter", "2020-11-03"), pair("2020-10-01", "2020-12-31"));
        assert_eq!(cell("10 years", "1999-12-31"), pair("1990-01-01", "1999-12-31"));
    }

    #[test]
    fn what_is_stated_reads_back() {
        for json in ["10.0", "0.5", "\"month\"", "\"intervals\"", "\"values\""] {
            let ends: Ends = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&ends).unwrap(), json);
        }
        assert!(
            serde_json::from_str::<Step>("0").is_err() && serde_json::from_str::<Step>("\"values\"").is_err()
        );
    }
}
