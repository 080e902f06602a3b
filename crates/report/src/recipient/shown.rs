//! What is shown of an attribute's values, in words.

use std::collections::BTreeSet;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::{Definition, NULL, Side, TOP};
use velamen_core::label::{Open, Range, number};
use velamen_core::recoding::{Recoding, ReleasedValue};
use velamen_core::release::Release;

use crate::Manifest;
use crate::manifest::{AttributeEntry, OfMethod};

/// What is shown of each attribute, by name.
#[must_use]
pub fn all_shown(manifest: &Manifest, release: &Release) -> Vec<(String, String)> {
    let shown = |(name, entry): (&String, &AttributeEntry)| {
        (name.clone(), shown_of(manifest, entry, &values(release, name)))
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
pub(crate) fn shown_of(manifest: &Manifest, entry: &AttributeEntry, values: &[ReleasedValue]) -> String {
    let words = shown(entry, values);
    if manifest.is_invented() { words.replace(AS_RECORDED, INVENTED) } else { words }
}

const AS_RECORDED: &str = "as recorded";
/// What stands in its place where records are invented.
const INVENTED: &str = "invented values";

/// What is shown of an attribute with these values: "first 3 of 5 characters", "ranges of 10", "nothing left (*)".
#[must_use]
pub(crate) fn shown(entry: &AttributeEntry, values: &[ReleasedValue]) -> String {
    let mut words = match entry.role {
        Role::QuasiIdentifier => match entry.level {
            Some(level) => of_level(entry, level),
            None => by_group(entry, values),
        },
        _ if entry.pseudonym.is_some() => "pseudonyms".to_owned(),
        _ => AS_RECORDED.to_owned(),
    };
    if let Some(days) = entry.date_shift {
        words += &format!("; dates moved by up to {days} days, a person's together");
    }
    for (bound, sign) in [(entry.bottom, "<="), (entry.top, ">=")] {
        if let Some(bound) = bound.filter(|_| words != NOTHING_LEFT) {
            words += &format!("; {sign}{bound} is one value");
        }
    }
    words
}

const SETS: &str = "sets of values, which differ by group of records";

const NOTHING_LEFT: &str = "nothing left: every value is *";

/// What is shown where classes have values of their own. A recipient says the same: how much a range of listed texts covers
/// cannot be told from its label, that it is one can.
fn by_group(entry: &AttributeEntry, values: &[ReleasedValue]) -> String {
    let recoding = entry.recoding.unwrap_or_default();
    let mut levels = values.iter().filter(|value| value.label != NULL).map(|value| value.level);
    let one = levels.next().filter(|level| levels.all(|other| other == *level));
    let sets = || values.iter().any(|value| matches!(Range::read(&value.label), Some(Range::Set(_))));
    let ranges = || values.is_empty() || values.iter().any(|value| is_range(entry, &value.label));
    match (recoding, one) {
        (Recoding::Aggregates, _) => "the mean of each group of records".to_owned(),
        _ if !values.is_empty() && values.iter().all(|value| value.label == TOP) => NOTHING_LEFT.to_owned(),
        (Recoding::Ranges, _) if ranges() => "ranges, which differ by group of records".to_owned(),
        (Recoding::Ranges, _) if sets() => SETS.to_owned(),
        (_, Some(0)) => of_level(entry, 0),
        (Recoding::Ranges, _) => SETS.to_owned(),
        (_, Some(level)) => of_level(entry, level),
        (_, None) => "more or less detail, by group of records".to_owned(),
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
        _ if level == 0 => AS_RECORDED.to_owned(),
        _ if level >= top => "left out".to_owned(),
        Some(Definition::Table { rows }) => groups(rows, usize::from(level)),
        Some(definition) => defined(definition, level, top),
        None => format!("level {level} of {top}"),
    }
}

/// How many labels a level of a table has.
fn groups(rows: &[Vec<String>], level: usize) -> String {
    let labels: BTreeSet<&String> = rows.iter().filter_map(|row| row.get(level)).collect();
    if labels.len() == 1 { "1 group".to_owned() } else { format!("{} groups", labels.len()) }
}

fn of_level(entry: &AttributeEntry, level: u8) -> String {
    let top = entry.levels.unwrap_or(1).saturating_sub(1);
    match &entry.hierarchy {
        _ if level == 0 => AS_RECORDED.to_owned(),
        _ if level >= top => NOTHING_LEFT.to_owned(),
        Some(definition) => defined(definition, level, top),
        None => format!("level {level} of {top}"),
    }
}

/// What stands at a level between the first and the last.
fn defined(definition: &Definition, level: u8, top: u8) -> String {
    let at = usize::from(level).saturating_sub(1);
    let words = match definition {
        Definition::Interval { interval, .. } => interval.get(at).map(|width| format!("ranges of {width}")),
        Definition::Cuts { cuts, .. } => cuts.get(at).map(|cuts| format!("{} ranges", cuts.len() + 1)),
        Definition::Mask { mask, length, levels, .. } => {
            let hidden = levels.as_ref().map_or(Some(at + 1), |levels| levels.get(at).copied());
            hidden.map(|hidden| masked(*mask, *length, hidden))
        }
        Definition::Kind(_) => definition.structure().and_then(|structure| structure.shown(level)),
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
