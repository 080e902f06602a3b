//! The type of a column's values.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::written::dates::DateFormat;
use velamen_core::written::number;

use super::Cells;

/// The share of the records that must fit a type.
const MOST: f64 = 0.95;

/// Words on average from which text is free text.
const FREE_TEXT_WORDS: f64 = 5.0;

/// The longest code.
const LONGEST_CODE: usize = 24;

/// What the values of a column are.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Kind {
    /// There is no value.
    Empty,
    /// Whole numbers.
    WholeNumber,
    /// Numbers with decimals.
    Decimal {
        /// The most digits after the point.
        decimals: u32,
    },
    /// Dates.
    Date {
        /// Such as `YYYY-MM-DD`.
        format: &'static str,
        /// Whether a time of day follows some of them.
        time: bool,
        /// Whether all could also be read with month and day in the other order.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        ambiguous: bool,
    },
    /// Words of letters and digits without spaces.
    Code {
        /// The number of characters, if it is the same for all.
        #[serde(skip_serializing_if = "Option::is_none")]
        length: Option<usize>,
    },
    /// Text.
    Text {
        /// Whether it consists of sentences rather than names of categories.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        free: bool,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no value"),
            Self::WholeNumber => f.write_str("whole number"),
            Self::Decimal { decimals } => write!(f, "decimal ({decimals})"),
            Self::Date { format, time, ambiguous } => {
                let time = if *time { " and time" } else { "" };
                let ambiguous = if *ambiguous { ", or day and month swapped" } else { "" };
                write!(f, "date {format}{time}{ambiguous}")
            }
            Self::Code { length: Some(length) } => write!(f, "code of {length}"),
            Self::Code { length: None } => f.write_str("code"),
            Self::Text { free: true } => f.write_str("free text"),
            Self::Text { free: false } => f.write_str("text"),
        }
    }
}

impl Kind {
    /// Whether it is a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::WholeNumber | Self::Decimal { .. })
    }
}

/// The type of a column, and the share of its records that fit it.
#[must_use]
pub fn of(cells: Cells<'_>) -> (Kind, f64) {
    if cells.distinct() == 0 {
        return (Kind::Empty, 1.0);
    }
    let found = date(cells).or_else(|| numbers(cells)).or_else(|| code(cells));
    found.unwrap_or_else(|| (Kind::Text { free: is_free(cells) }, 1.0))
}

fn date(cells: Cells<'_>) -> Option<(Kind, f64)> {
    let (mut best, mut of_best) = (None, 0.0);
    for format in DateFormat::all() {
        let share = cells.share(|value| format.parse(value).is_some());
        if share >= MOST && share > of_best {
            (best, of_best) = (Some(format), share);
        }
    }
    let format = best?;
    let other = |swapped: DateFormat| cells.share(|value| swapped.parse(value).is_some()) >= of_best;
    let ambiguous = format.swapped().is_some_and(other);
    Some((Kind::Date { format: format.pattern(), time: format.time, ambiguous }, of_best))
}

fn numbers(cells: Cells<'_>) -> Option<(Kind, f64)> {
    let share = cells.share(|value| number::parse(value).is_some());
    let decimals = cells.values().filter_map(number::parse).map(|number| number.decimals).max()?;
    let kind = if decimals == 0 { Kind::WholeNumber } else { Kind::Decimal { decimals } };
    (share >= MOST).then_some((kind, share))
}

/// Words without spaces, most of which have a digit, or are short and of capitals.
fn code(cells: Cells<'_>) -> Option<(Kind, f64)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:".contains(c);
    let is_word = |value: &str| value.len() <= LONGEST_CODE && value.chars().all(plain);
    let has_digit = |value: &str| value.bytes().any(|byte| byte.is_ascii_digit());
    let capitals = |value: &str| value.len() <= 4 && value.bytes().all(|byte| byte.is_ascii_uppercase());
    let share = cells.share(is_word);
    let coded = cells.share(|value| has_digit(value) || capitals(value));
    if share < MOST || coded < 0.5 {
        return None;
    }
    let mut lengths = cells.values().map(str::len);
    let first = lengths.next()?;
    let length = lengths.all(|length| length == first).then_some(first);
    Some((Kind::Code { length }, share))
}

fn is_free(cells: Cells<'_>) -> bool {
    let words: u64 =
        cells.0.iter().map(|(value, count)| value.split_whitespace().count() as u64 * count).sum();
    words as f64 >= FREE_TEXT_WORDS * cells.records() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(values: &[&str]) -> Kind {
        let cells: Vec<(&str, u64)> = values.iter().map(|value| (*value, 1)).collect();
        of(Cells(&cells)).0
    }

    #[test]
    fn each_type_is_known() {
        assert_eq!(kind(&[]), Kind::Empty);
        assert_eq!(kind(&["63.0", "5", "-7"]), Kind::WholeNumber);
        assert_eq!(kind(&["2.3", "0.25", "1"]), Kind::Decimal { decimals: 2 });
        assert_eq!(kind(&["I63", "J18", "A00"]), Kind::Code { length: Some(3) });
        assert_eq!(kind(&["I63.9", "J18", "A00"]), Kind::Code { length: None });
        assert_eq!(kind(&["02139", "10115"]), Kind::Code { length: Some(5) });
        assert_eq!(kind(&["F", "M"]), Kind::Code { length: Some(1) });
        assert_eq!(kind(&["Male", "Female"]), Kind::Text { free: false });
        assert_eq!(kind(&["서울", "부산"]), Kind::Text { free: false });
        assert_eq!(kind(&["seen in the clinic with cough since May"]), Kind::Text { free: true });
    }

    #[test]
    fn dates_tell_their_format() {
        let date = |format, time, ambiguous| Kind::Date { format, time, ambiguous };
        assert_eq!(kind(&["2024-01-31", "2023-12-01"]), date("YYYY-MM-DD", false, false));
        assert_eq!(kind(&["2024-01-31 10:00", "2023-12-01"]), date("YYYY-MM-DD", true, false));
        assert_eq!(kind(&["31/01/2024", "02/03/2024"]), date("DD/MM/YYYY", false, false));
        assert_eq!(kind(&["01/02/2024", "02/03/2024"]), date("MM/DD/YYYY", false, true));
        assert_eq!(kind(&["20240131", "19991231"]), date("YYYYMMDD", false, false));
        // Eight digits that are no dates.
        assert_eq!(kind(&["20240131", "19994431"]), Kind::WholeNumber);
    }

    #[test]
    fn a_few_odd_cells_do_not_change_the_type() {
        let cells = [("1", 60), ("2", 38), ("see note", 2)];
        let (kind, share) = of(Cells(&cells));
        assert_eq!((kind, share), (Kind::WholeNumber, 0.98));
    }
}
