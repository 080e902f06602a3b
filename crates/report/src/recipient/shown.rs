//! What is shown of an attribute's values, in words.

use std::collections::BTreeSet;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, NULL, Side, TOP};
use velamen_core::label::{Open, Range, number};
use velamen_core::recoding::{Recoding, ReleasedValue};
use velamen_core::release::Release;

use crate::Manifest;
use crate::language::{filled, mark, t, text};
use crate::manifest::{AttributeEntry, OfMethod};

/// What is shown of each attribute, by name.
#[must_use]
pub fn all_shown(manifest: &Manifest, release: &Release) -> Vec<(String, String)> {
    let shown = |(name, entry): (&String, &AttributeEntry)| {
        (name.clone(), shown_of(manifest, (name, entry), &values(release, name)))
    };
    manifest.attributes.iter().map(shown).collect()
}

/// The released values that classes have of a quasi-identifier: `*` of suppressed records is none. Empty for another column.
pub(crate) fn values(release: &Release, name: &str) -> Vec<ReleasedValue> {
    let Some(q) = release.qis.iter().position(|qi| qi.name == name) else { return Vec::new() };
    let values = &release.qis[q].values;
    let mut used = vec![false; values.len()];
    for class in 0..release.sizes.len() {
        used[release.class(class)[q] as usize] = true;
    }
    values.iter().zip(used).filter(|(_, used)| *used).map(|(value, _)| value.clone()).collect()
}

/// What is shown of an attribute of a release: nothing was recorded of what is invented.
#[must_use]
pub(crate) fn shown_of(
    manifest: &Manifest,
    (name, entry): (&str, &AttributeEntry),
    values: &[ReleasedValue],
) -> String {
    let words = shown(entry, values);
    if !manifest.is_invented() {
        return words;
    }
    match manifest.method.measurements().and_then(|measured| measured.bins(name)) {
        Some(bins) => {
            text!("invented numbers, spread evenly within each of the {} bins that were counted", bins)
        }
        None => words.replace(t(AS_RECORDED), t(INVENTED)),
    }
}

/// What is shown where nothing was done.
pub(crate) const AS_RECORDED: &str = mark("as recorded");
/// What stands in its place where records are invented.
const INVENTED: &str = mark("invented values");

/// What is shown of an attribute with these values: "first 3 of 5 characters", "ranges of 10", "nothing left (*)".
#[must_use]
pub(crate) fn shown(entry: &AttributeEntry, values: &[ReleasedValue]) -> String {
    let mut words = match entry.role {
        Role::QuasiIdentifier => match entry.level {
            Some(level) => of_level(entry, level),
            None => by_group(entry, values),
        },
        _ if entry.pseudonym.is_some() => t("pseudonyms").to_owned(),
        _ => t(AS_RECORDED).to_owned(),
    };
    if let Some(days) = entry.date_shift {
        words += &text!("; dates moved by up to {} days, a person's together", days);
    }
    for (bound, sign) in [(entry.bottom, "<="), (entry.top, ">=")] {
        if let Some(bound) = bound.filter(|_| words != t(NOTHING_LEFT)) {
            words += &text!("; {} is one value", format!("{sign}{bound}"));
        }
    }
    words
}

const SETS: &str = mark("sets of values, which differ by group of records");

const NOTHING_LEFT: &str = mark("nothing left: every value is *");

/// What is shown where classes have values of their own. A recipient says the same: how much a range of listed texts covers
/// cannot be told from its label, that it is one can.
fn by_group(entry: &AttributeEntry, values: &[ReleasedValue]) -> String {
    let recoding = entry.recoding.unwrap_or_default();
    let mut levels = values.iter().filter(|value| value.label != NULL).map(|value| value.level);
    let one = levels.next().filter(|level| levels.all(|other| other == *level));
    let sets = || values.iter().any(|value| matches!(Range::read(&value.label), Some(Range::Set(_))));
    let ranges = || values.is_empty() || values.iter().any(|value| is_range(entry, &value.label));
    match (recoding, one) {
        (Recoding::Aggregates, _) => t("the mean of each group of records").to_owned(),
        _ if !values.is_empty() && values.iter().all(|value| value.label == TOP) => {
            t(NOTHING_LEFT).to_owned()
        }
        (Recoding::Ranges, _) if ranges() => t("ranges, which differ by group of records").to_owned(),
        (Recoding::Ranges, _) if sets() => t(SETS).to_owned(),
        (_, Some(0)) => of_level(entry, 0),
        (Recoding::Ranges, _) => t(SETS).to_owned(),
        (_, Some(level)) => of_level(entry, level),
        (_, None) => t("more or less detail, by group of records").to_owned(),
    }
}

/// Whether a label is a range of several values; a coded end is one.
fn is_range(entry: &AttributeEntry, label: &str) -> bool {
    match Range::read(label) {
        Some(Range::Open(Open::Above, bound)) => number(bound) != entry.top,
        Some(Range::Open(Open::Below, bound)) => number(bound) != entry.bottom,
        Some(Range::Set(_)) => false,
        range => range.is_some(),
    }
}

/// What a hierarchy shows at a level, for whoever chooses one: "ranges of 10", "12 groups", "left out".
#[must_use]
pub fn level_in_words(definition: Option<&Definition>, level: u8, top: u8) -> String {
    match definition {
        _ if level == 0 => t(AS_RECORDED).to_owned(),
        _ if level >= top => t("left out").to_owned(),
        Some(definition) => defined(definition, level, top),
        None => text!("level {} of {}", level, top),
    }
}

/// What the labels of a level of a table are: "ranges of 10", where all are but the last, which may be cut off, else how many
/// there are.
fn groups(rows: &[Vec<String>], level: usize) -> String {
    let labels: BTreeSet<&str> = rows.iter().filter_map(|row| row.get(level)).map(String::as_str).collect();
    let mut widths: Vec<(i64, i64)> = labels.iter().filter_map(|label| whole_range(label)).collect();
    let all_are_ranges = widths.len() == labels.len();
    widths.sort_unstable();
    let width = widths.first().map(|(low, high)| high - low + 1);
    let but_the_last = widths.len().saturating_sub(1);
    match width.filter(|_| all_are_ranges) {
        Some(width) if widths[..but_the_last].iter().all(|(low, high)| high - low + 1 == width) => {
            text!(RANGES, width)
        }
        _ if labels.len() == 1 => t("1 group").to_owned(),
        _ => text!("{} groups", labels.len()),
    }
}

/// The ends of a range of whole numbers.
fn whole_range(label: &str) -> Option<(i64, i64)> {
    let Some(Range::Numbers(low, high)) = Range::read(label) else { return None };
    Some((low.parse().ok()?, high.parse().ok()?))
}

fn of_level(entry: &AttributeEntry, level: u8) -> String {
    let top = entry.levels.unwrap_or(1).saturating_sub(1);
    match &entry.hierarchy {
        _ if level == 0 => t(AS_RECORDED).to_owned(),
        _ if level >= top => t(NOTHING_LEFT).to_owned(),
        Some(definition) => defined(definition, level, top),
        None => text!("level {} of {}", level, top),
    }
}

/// Ranges of one width with the unit that the recipe names: "ranges of 10 years"; other words as they are.
#[cfg(any(feature = "pages", test))]
#[must_use]
pub(crate) fn in_units(entry: &AttributeEntry, words: String) -> String {
    let start = text!(RANGES, "");
    match &entry.unit {
        Some(unit) if words.strip_prefix(&start).is_some_and(|width| width.parse::<f64>().is_ok()) => {
            format!("{words} {unit}")
        }
        _ => words,
    }
}

/// What ranges of one width are called.
const RANGES: &str = mark("ranges of {}");

/// What stands at a level between the first and the last.
fn defined(definition: &Definition, level: u8, top: u8) -> String {
    let at = usize::from(level).saturating_sub(1);
    let words = match definition {
        Definition::Interval { interval, .. } => interval.get(at).map(|width| text!(RANGES, width)),
        Definition::Cuts { cuts, .. } => cuts.get(at).map(|cuts| text!("{} ranges", cuts.len() + 1)),
        Definition::Mask { mask, length, levels, .. } => {
            let hidden = levels.as_ref().map_or(Some(at + 1), |levels| levels.get(at).copied());
            hidden.map(|hidden| masked(*mask, *length, hidden))
        }
        Definition::Kind(_) => {
            definition.structure().and_then(|structure| structure.shown(level)).map(|words| of_kind(&words))
        }
        Definition::Table { rows } => Some(groups(rows, usize::from(level))),
        Definition::Flat { .. } => None,
    };
    words.unwrap_or_else(|| text!("level {} of {} of its hierarchy", level, top))
}

/// What kinds of hierarchies say of their levels, with a place for their number.
const OF_KINDS: [&str; 19] = [
    mark("the week"),
    mark("the year, in whole weeks"),
    mark("the month"),
    mark("the quarter"),
    mark("the year"),
    mark("spans of {} years"),
    mark("chapter of the ICD-10"),
    mark("block of the ICD-10"),
    mark("first {} characters of the code"),
    mark("first {} characters"),
    mark("first {} digits"),
    mark("chemical subgroup"),
    mark("pharmacological subgroup"),
    mark("therapeutic subgroup"),
    mark("main group"),
    mark("postcode sector"),
    mark("postcode district"),
    mark("postcode area"),
    mark("level {} of {}"),
];

/// The words of a kind in the language that is spoken.
fn of_kind(words: &str) -> String {
    if OF_KINDS.contains(&words) {
        return t(words).to_owned();
    }
    let number: String =
        words.chars().skip_while(|sign| !sign.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let pattern = if number.is_empty() { words.to_owned() } else { words.replacen(&number, "{}", 1) };
    filled(&pattern, &[number])
}

fn masked(side: Side, length: usize, hidden: usize) -> String {
    let left = length.saturating_sub(hidden);
    match side {
        Side::Right => text!("first {} of {} characters", left, length),
        Side::Left => text!("last {} of {} characters", left, length),
    }
}
