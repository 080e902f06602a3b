//! Pairs of values that nobody has: which the manifest excludes for a released label.
//!
//! Read from the definitions of the hierarchies. What cannot be told here is taken for possible, so that no class is
//! thought empty of counterfeits that could hold some.

use std::collections::HashMap;

use serde_json::json;
use velamen_core::hierarchy::Definition;
use velamen_core::impossible::{Impossible, MOST_LEAVES};

use super::classes::{Classes, SeenClass};
use super::labels::{bounds, number, open_end, scale};
use super::{Finding, PromisedAttribute, Promises, View};

/// What one entry names of a released table.
pub(super) struct Excluded {
    /// The position of its attribute among the quasi-identifiers.
    qi: usize,
    /// Whether it names all that a label covers, by code of the column.
    labels: Vec<bool>,
    /// Whether it names a sensitive value, by code of the column.
    values: Vec<bool>,
}

/// Whether some entry excludes a sensitive value of a class.
pub(super) fn is_excluded(entries: &[Excluded], class: SeenClass<'_>, value: u32) -> bool {
    let has = |flags: &[bool], code: u32| flags.get(code as usize).copied().unwrap_or(false);
    entries.iter().any(|entry| {
        has(&entry.values, value) && class.qis.get(entry.qi).is_some_and(|&code| has(&entry.labels, code))
    })
}

/// What one entry names of two quasi-identifiers: their positions, and by code whether it names all that a label covers.
struct Pair([(usize, Vec<bool>); 2]);

impl Pair {
    /// Whether a class has a label of both.
    fn has(&self, class: SeenClass<'_>) -> bool {
        self.0.iter().all(|(qi, named)| {
            let code = class.qis.get(*qi).map(|&code| code as usize);
            code.and_then(|code| named.get(code)).copied().unwrap_or(false)
        })
    }
}

impl View<'_> {
    /// The entries over the released table.
    pub(super) fn excluded(
        &self,
        entries: &[Impossible],
        qis: &[PromisedAttribute],
        sensitive: usize,
        hierarchy: Option<&Definition>,
    ) -> Vec<Excluded> {
        let sensitive = self.values(sensitive);
        let excluded = entries.iter().filter_map(|entry| {
            let (qi, labels) = self.excluded_labels(entry, qis)?;
            let values = sensitive.iter().map(|value| names(entry, hierarchy, value)).collect();
            Some(Excluded { qi, labels, values })
        });
        excluded.collect()
    }

    /// That no released record has two values that an entry says nobody has; `None` where no entry is about two quasi-identifiers.
    pub(super) fn impossible_records(&self, promises: &Promises, classes: &Classes) -> Option<Finding> {
        let entries: Vec<&Impossible> =
            promises.impossible.iter().filter(|entry| entry.of.is_some()).collect();
        let pairs: Option<Vec<_>> = entries.iter().map(|entry| self.pair(entry, &promises.qis)).collect();
        let found = classes
            .values()
            .filter(|class| pairs.iter().flatten().any(|pair| pair.has(*class)))
            .map(|class| class.size)
            .fold(0, u64::saturating_add);
        let (asked, reached) = (json!({ "records": 0 }), json!({ "records": found }));
        let finding = Finding::of("impossible-records", asked, reached, pairs.is_some() && found == 0);
        (!entries.is_empty()).then_some(finding)
    }

    /// Which labels of its two attributes an entry names; `None` where the release lacks one, or they are one.
    fn pair(&self, entry: &Impossible, qis: &[PromisedAttribute]) -> Option<Pair> {
        let place = |name: &str| qis.iter().position(|qi| qi.name == name);
        let (first, second) = (place(&entry.attribute)?, place(entry.of.as_deref()?)?);
        let second = Some(second).filter(|second| *second != first)?;
        let (rows, columns) = named(entry, qis.get(first)?, qis.get(second)?);
        let labels = |qi: usize| Some(self.values(*self.qis.get(qi)?));
        let rows = labels(first)?.iter().map(|label| rows(label)).collect();
        let columns = labels(second)?.iter().map(|label| columns(label)).collect();
        Some(Pair([(first, rows), (second, columns)]))
    }

    /// The quasi-identifier of an entry, and which of its labels the entry names.
    fn excluded_labels(&self, entry: &Impossible, qis: &[PromisedAttribute]) -> Option<(usize, Vec<bool>)> {
        let qi = qis.iter().position(|qi| qi.name == entry.attribute)?;
        let (attribute, column) = (qis.get(qi)?, *self.qis.get(qi)?);
        let rows = of_rows(entry, &attribute.hierarchy);
        let labels = self.values(column).iter().map(|label| covers(entry, attribute, &rows, label));
        Some((qi, labels.collect()))
    }
}

/// Whether an entry about two attributes names all that a label of the first, and one of the second covers.
pub(super) fn named<'a>(
    entry: &'a Impossible,
    first: &'a PromisedAttribute,
    second: &'a PromisedAttribute,
) -> (impl Fn(&str) -> bool + 'a, impl Fn(&str) -> bool + 'a) {
    // The other attribute's values, as if the entry were about it.
    let other = Impossible {
        attribute: second.name.clone(),
        values: entry.sensitive.clone(),
        ..Impossible::default()
    };
    let (rows, columns) = (of_rows(entry, &first.hierarchy), of_rows(&other, &second.hierarchy));
    let by_codes = of_codes(entry, &second.hierarchy);
    let is_first = move |label: &str| covers(entry, first, &rows, label);
    let is_code =
        move |label: &str| by_codes.get(label).copied().unwrap_or_else(|| names(entry, None, label));
    let is_second = move |label: &str| covers(&other, second, &columns, label) || is_code(label);
    (is_first, is_second)
}

/// Whether an entry names every leaf under each label of a table but `*`.
fn of_rows<'a>(entry: &Impossible, hierarchy: &'a Definition) -> HashMap<&'a str, bool> {
    let mut all = HashMap::new();
    let Definition::Table { rows } = hierarchy else { return all };
    for row in rows {
        let named = is_named(entry, row);
        for label in row.iter().filter(|label| *label != "*") {
            all.entry(label.as_str()).and_modify(|all| *all &= named).or_insert(named);
        }
    }
    all
}

/// Whether an entry names a leaf of a table, by itself, a label above it or its number.
fn is_named(entry: &Impossible, row: &[String]) -> bool {
    let listed = |label: &String| label != "*" && entry.values.contains(label);
    row.iter().any(listed) || row.first().is_some_and(|leaf| is_within(entry, leaf))
}

/// Whether all numbers of a label lie between the numbers that an entry gives.
fn is_within(entry: &Impossible, label: &str) -> bool {
    let given = entry.from.is_some() || entry.to.is_some();
    given
        && ends(label).is_some_and(|(low, high)| {
            entry.from.is_none_or(|from| from <= low) && entry.to.is_none_or(|to| high <= to)
        })
}

/// The least and the greatest number of a label, infinite at an open end.
fn ends(label: &str) -> Option<(f64, f64)> {
    let open = open_end(label).map(|(above, bound)| match above {
        true => (bound, f64::INFINITY),
        false => (f64::NEG_INFINITY, bound),
    });
    open.or_else(|| number(label).map(|number| (number, number))).or_else(|| bounds(label))
}

/// Whether an entry names all that a label covers.
fn covers(
    entry: &Impossible,
    attribute: &PromisedAttribute,
    rows: &HashMap<&str, bool>,
    label: &str,
) -> bool {
    match &attribute.hierarchy {
        _ if label == "*" => false,
        // A missing value is no number and in no row.
        _ if label.is_empty() => entry.values.iter().any(String::is_empty),
        Definition::Table { rows: leaves } => {
            rows.get(label).copied().unwrap_or_else(|| all_between(entry, leaves, label))
        }
        Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
            let scale = scale(*decimals);
            match ((max - min) * scale).round() < MOST_LEAVES as f64 {
                true => covers_numbers(entry, attribute, label, scale),
                false => entry.values.iter().any(|value| value == label),
            }
        }
        Definition::Flat { .. } => entry.values.iter().any(|value| value == label) || is_within(entry, label),
        _ => entry.values.iter().any(|value| value == label),
    }
}

/// Whether an entry names the rows between the ends of a range, of which there are some.
fn all_between(entry: &Impossible, rows: &[Vec<String>], label: &str) -> bool {
    let Some((low, high)) = bounds(label) else { return false };
    let place = |leaf: &String| open_end(leaf).map(|(_, bound)| bound).or_else(|| number(leaf));
    let within =
        |row: &&Vec<String>| row.first().and_then(place).is_some_and(|at| (low..=high).contains(&at));
    let mut between = rows.iter().filter(within).peekable();
    between.peek().is_some() && between.all(|row| is_named(entry, row))
}

/// How far a number may be from one of its decimals, in units of the last.
const SLACK: f64 = 1e-6;

/// Whether an entry names all numbers of a label; a range that reaches a coded end goes on beyond it.
fn covers_numbers(entry: &Impossible, attribute: &PromisedAttribute, label: &str, scale: f64) -> bool {
    let Some((mut low, mut high)) = ends(label) else {
        return entry.values.iter().any(|value| value == label);
    };
    if attribute.top.is_some_and(|top| high >= top) {
        high = f64::INFINITY;
    }
    if attribute.bottom.is_some_and(|bottom| low <= bottom) {
        low = f64::NEG_INFINITY;
    }
    let mut named: Vec<(f64, f64)> = entry.values.iter().filter_map(|value| ends(value)).collect();
    if entry.from.is_some() || entry.to.is_some() {
        named.push((entry.from.unwrap_or(f64::NEG_INFINITY), entry.to.unwrap_or(f64::INFINITY)));
    }
    named.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Counted by the last decimal: an end that is no number of the domain names none beyond it.
    let first = |from: f64| (from * scale - SLACK).ceil();
    let last = |to: f64| (to * scale + SLACK).floor();
    // The first number that none of those before it reaches.
    let mut reached = first(low);
    for (from, to) in named {
        if first(from) <= reached {
            reached = reached.max(last(to) + 1.0);
        }
    }
    reached > last(high) || reached == f64::INFINITY
}

/// Whether an entry names a sensitive value.
fn names(entry: &Impossible, hierarchy: Option<&Definition>, value: &str) -> bool {
    let row = match hierarchy {
        Some(Definition::Table { rows }) => {
            rows.iter().find(|row| row.first().is_some_and(|leaf| leaf == value))
        }
        _ => None,
    };
    let above = |given: &String| given != "*" && row.is_some_and(|row| row.contains(given));
    entry.sensitive.iter().any(|given| given == value || above(given) || is_of_code(given, value))
}

/// By label of a table, whether an entry names every leaf under it as values of the other attribute, also by codes.
fn of_codes<'a>(entry: &Impossible, hierarchy: &'a Definition) -> HashMap<&'a str, bool> {
    let mut all = HashMap::new();
    let Definition::Table { rows } = hierarchy else { return all };
    for row in rows {
        let is_listed = |given: &String| given != "*" && row.contains(given);
        let is_code = |given: &String| row.first().is_some_and(|leaf| is_of_code(given, leaf));
        let named = entry.sensitive.iter().any(|given| is_listed(given) || is_code(given));
        for label in row.iter().filter(|label| *label != "*") {
            all.entry(label.as_str()).and_modify(|all| *all &= named).or_insert(named);
        }
    }
    all
}

/// Whether a diagnosis is of a code or of a range of categories.
fn is_of_code(given: &str, value: &str) -> bool {
    let Some(value) = diagnosis(value) else { return false };
    match given.split_once('-') {
        Some((first, last)) => match (category(first), category(last), value.get(..3)) {
            (Some(first), Some(last), Some(own)) => *first <= *own && *own <= *last,
            _ => false,
        },
        None => diagnosis(given).is_some_and(|given| value.starts_with(&given)),
    }
}

fn category(text: &str) -> Option<String> {
    diagnosis(text).filter(|code| code.len() == 3)
}

/// A letter, a digit, a letter or digit; after a dot or none up to four more.
fn diagnosis(text: &str) -> Option<String> {
    let (head, tail) = (text.get(..3)?, text.get(3..)?);
    let tail = match tail.strip_prefix('.') {
        Some("") => return None,
        Some(tail) => tail,
        None => tail,
    };
    let mut characters = head.bytes();
    let formed = characters.next()?.is_ascii_alphabetic() && characters.next()?.is_ascii_digit();
    let rest = head.bytes().chain(tail.bytes()).all(|byte| byte.is_ascii_alphanumeric()) && tail.len() <= 4;
    (formed && rest).then(|| format!("{head}{tail}").to_ascii_uppercase())
}

#[cfg(test)]
mod tests;
