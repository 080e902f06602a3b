//! What is shown of an attribute's values, in words.

use velamen_core::frequency::Role;
use velamen_core::hierarchy::{DateLevel, Definition, Edition, Side};
use velamen_core::recoding::Recoding;

use crate::manifest::AttributeEntry;

/// What is shown of an attribute: "first 3 of 5 characters", "ranges of 10", "nothing left (*)".
#[must_use]
pub fn shown(entry: &AttributeEntry) -> String {
    let mut words = match entry.role {
        Role::QuasiIdentifier => of_level(entry),
        _ if entry.pseudonym.is_some() => "pseudonyms".to_owned(),
        _ => "as recorded".to_owned(),
    };
    if let Some(days) = entry.date_shift {
        words += &format!("; dates moved by up to {days} days, a person's together");
    }
    for (bound, sign) in [(entry.bottom, "<="), (entry.top, ">=")] {
        if let Some(bound) = bound.filter(|_| !words.starts_with(NOTHING)) {
            words += &format!("; {sign}{bound} is one value");
        }
    }
    words
}

const NOTHING: &str = "nothing left";

fn of_level(entry: &AttributeEntry) -> String {
    let top = entry.levels.unwrap_or(1).saturating_sub(1);
    match (entry.level, entry.recoding.unwrap_or_default()) {
        (Some(0), _) => "as recorded".to_owned(),
        (Some(level), _) if level >= top => format!("{NOTHING}: every value is *"),
        (Some(level), _) => match &entry.hierarchy {
            Some(definition) => defined(definition, level, top),
            None => format!("level {level} of {top}"),
        },
        (None, Recoding::Ranges) => "ranges, which differ by group of records".to_owned(),
        (None, Recoding::Aggregates) => "the mean of each group of records".to_owned(),
        (None, _) => "more or less detail, by group of records".to_owned(),
    }
}

/// What stands at a level between the first and the last.
fn defined(definition: &Definition, level: u8, top: u8) -> String {
    let at = usize::from(level).saturating_sub(1);
    let below_top = top.saturating_sub(level);
    let words = match definition {
        Definition::Interval { interval, .. } => interval.get(at).map(|width| format!("ranges of {width}")),
        Definition::Cuts { cuts, .. } => cuts.get(at).map(|cuts| format!("{} ranges", cuts.len() + 1)),
        Definition::Mask { mask, length, levels, .. } => {
            let hidden = levels.as_ref().map_or(Some(at + 1), |levels| levels.get(at).copied());
            hidden.map(|hidden| masked(*mask, *length, hidden))
        }
        Definition::Icd10 { icd_10, longest, lengths } => {
            diagnosis(*icd_10, *longest, lengths.as_deref(), at, below_top)
        }
        Definition::Atc { .. } => {
            let groups =
                ["main group", "therapeutic subgroup", "pharmacological subgroup", "chemical subgroup"];
            groups.get(usize::from(below_top).wrapping_sub(1)).map(|group| (*group).to_owned())
        }
        Definition::UsZip { .. } => {
            Some(if below_top == 1 { "first 3 digits" } else { "first 5 digits" }.to_owned())
        }
        Definition::Prefix { prefix, .. } => {
            prefix.iter().rev().nth(at + 1).map(|length| format!("first {length} characters"))
        }
        Definition::Date { date, .. } => date.get(at).map(|level| of_date(*level).to_owned()),
        Definition::Table { .. } | Definition::Flat { .. } => None,
    };
    words.unwrap_or_else(|| format!("level {level} of {top} of its hierarchy"))
}

fn masked(side: Side, length: usize, hidden: usize) -> String {
    let end = match side {
        Side::Right => "first",
        Side::Left => "last",
    };
    format!("{end} {} of {length} characters", length.saturating_sub(hidden))
}

fn diagnosis(
    edition: Edition,
    longest: Option<usize>,
    lengths: Option<&[usize]>,
    at: usize,
    below_top: u8,
) -> Option<String> {
    let longest = longest.unwrap_or(edition.longest());
    let usual: Vec<usize> = (3..longest).rev().collect();
    match below_top {
        1 => Some("chapter of the ICD-10".to_owned()),
        2 => Some("block of the ICD-10".to_owned()),
        _ => lengths.unwrap_or(&usual).get(at).map(|length| format!("first {length} characters of the code")),
    }
}

fn of_date(level: DateLevel) -> &'static str {
    match level {
        DateLevel::Week => "the week",
        DateLevel::WeekYear => "the year, in whole weeks",
        DateLevel::Month => "the month",
        DateLevel::Quarter => "the quarter",
        DateLevel::Year => "the year",
        DateLevel::FiveYears => "spans of 5 years",
        DateLevel::TenYears => "spans of 10 years",
    }
}
