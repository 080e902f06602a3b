//! What a released label covers: values of its attribute's domain, by the kind of its hierarchy.

#![expect(
    clippy::single_range_in_vec_init,
    reason = "what a label covers is a list of ranges, most often of one"
)]

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use velamen_contract::PromisedAttribute;
use velamen_core::hierarchy::{Definition, NULL, Rule, Side, TOP};
use velamen_core::label;
use velamen_core::recoding::Recoding;
use velamen_job::published::rule;
use velamen_recipe::JobError;

use super::domain::{Domain, MOST, Scope, ranges};
use super::pieces;
use super::table::ReleasedColumn;

/// The most places that a code is filled up with to find a value under a label.
const LONGEST: usize = 16;

/// The domain of a column, with what each of its labels covers.
pub(super) fn domain(scope: &Scope<'_>) -> Result<Domain, JobError> {
    match scope.attribute {
        None => Ok(as_released(scope.released)),
        // An average is a value that nobody need have had: it is all there is.
        Some(attribute) if attribute.recoding == Recoding::Aggregates => Ok(as_released(scope.released)),
        Some(attribute) => covered(scope, attribute),
    }
}

/// The values that are shown. A record that hides its value may have had any of them, as likely as it is shown, or another one.
fn as_released(released: &ReleasedColumn) -> Domain {
    let labels = 0..released.labels.len() as u32;
    let Some((hidden, records)) = &released.hidden else {
        return Domain {
            texts: released.labels.clone(),
            weights: vec![1.0; released.labels.len()],
            covers: labels.map(|code| vec![code..code + 1]).collect(),
            unseen: vec![false; released.labels.len()],
            ..Domain::default()
        };
    };
    let shown: Vec<u32> = labels.clone().filter(|code| code != hidden).collect();
    let covers = |code: u32| match shown.binary_search(&code) {
        Ok(leaf) => vec![leaf as u32..leaf as u32 + 1],
        Err(_) => vec![0..shown.len() as u32],
    };
    Domain {
        texts: shown.iter().map(|&code| released.labels[code as usize].clone()).collect(),
        weights: shown.iter().map(|&code| records[code as usize] as f64).collect(),
        covers: labels.clone().map(covers).collect(),
        unseen: labels.map(|code| code == *hidden).collect(),
        ..Domain::default()
    }
}

fn covered(scope: &Scope<'_>, attribute: &PromisedAttribute) -> Result<Domain, JobError> {
    match &attribute.hierarchy {
        Definition::Interval { min, max, decimals, .. } | Definition::Cuts { min, max, decimals, .. } => {
            pieces::bounded(scope, attribute, (*min, *max, *decimals))
        }
        Definition::Table { rows } => Ok(of_table(scope.released, attribute, rows)),
        Definition::Mask { length, alphabet, mask, .. } => {
            let domain = of_mask(scope.released, attribute, *length, *alphabet, *mask);
            Ok(with_stand_ins(domain, scope, attribute, &rule(attribute)?))
        }
        Definition::Flat { domain } if pieces::has_ranges(scope.released) && scope.compared => {
            Ok(pieces::unbounded(scope, *domain))
        }
        Definition::Flat { domain } => Ok(of_values(scope.released, *domain)),
        Definition::Kind(_) => {
            let rule = rule(attribute)?;
            let domain = of_codes(scope.released, attribute, &rule);
            Ok(with_stand_ins(domain, scope, attribute, &rule))
        }
    }
}

/// Rows of a table, and what a label covers at its level, or at any where there is none.
fn of_table(released: &ReleasedColumn, attribute: &PromisedAttribute, rows: &[Vec<String>]) -> Domain {
    let mut texts: Vec<String> = rows.iter().map(|row| row[0].clone()).collect();
    let null = rows.len();
    if attribute.null_leaf {
        texts.push(NULL.into());
    }
    // Where there is no one level, a label covers what it covers at any.
    let mut under: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (leaf, row) in rows.iter().enumerate() {
        let levels = attribute
            .level
            .map_or(0..row.len(), |level| usize::from(level)..row.len().min(usize::from(level) + 1));
        for label in &row[levels] {
            under.entry(label).or_default().insert(leaf);
        }
    }
    let covers = |label: &String| {
        if label == TOP {
            return vec![0..texts.len() as u32];
        }
        let mut leaves = under.get(&**label).cloned().unwrap_or_default();
        if label == NULL && attribute.null_leaf {
            leaves.insert(null);
        }
        if let Some(range) = label::Range::read(label).filter(|_| attribute.recoding == Recoding::Ranges) {
            leaves.extend((0..texts.len()).filter(|&leaf| range.has(&texts[leaf])));
        }
        ranges(leaves.into_iter())
    };
    of_leaves(released.labels.iter().map(covers).collect(), texts)
}

/// Codes of digits one by one; of longer or other codes only those that are shown.
fn of_mask(
    released: &ReleasedColumn,
    attribute: &PromisedAttribute,
    length: usize,
    alphabet: u64,
    side: Side,
) -> Domain {
    let all = if alphabet <= 10 { 10u64.checked_pow(length.min(99) as u32) } else { None };
    let listed = all.filter(|&all| all <= MOST);
    let mut texts: Vec<String> = match listed {
        Some(all) => (0..all).map(|code| format!("{code:0length$}")).collect(),
        None => released.labels.iter().filter(|label| is_code(label, length)).cloned().collect(),
    };
    if attribute.null_leaf {
        texts.push(NULL.into());
    }
    let covers = |label: &String| match listed {
        _ if label == TOP => vec![0..texts.len() as u32],
        Some(_) if label == NULL => ranges(texts.len() - 1..texts.len()),
        Some(_) => codes_under(label, side),
        None => {
            let shown = shown(label, side);
            ranges((0..texts.len()).filter(|&leaf| is_shown(&texts[leaf], shown, side)))
        }
    };
    let covers = released.labels.iter().map(covers).collect();
    let hidden = |label: &String| listed.is_none() && label.contains('*');
    let unseen = released.labels.iter().map(hidden).collect();
    Domain { unseen, codes: true, ..of_leaves(covers, texts) }
}

/// Codes and dates one by one; where they cannot be listed, those that are shown and unseen ones.
fn of_codes(released: &ReleasedColumn, attribute: &PromisedAttribute, rule: &Rule) -> Domain {
    let listed = rule.whole_domain(MOST);
    let complete = listed.is_some();
    let shown = || released.labels.iter().filter(|label| **label != NULL && rule.contains(label)).cloned();
    let mut texts: Vec<String> = listed.unwrap_or_else(|| shown().collect());
    let levels = attribute.level.map_or(0..=rule.top(), |level| level..=level);
    let mut under: HashMap<String, BTreeSet<usize>> = HashMap::new();
    for (leaf, text) in texts.iter().enumerate() {
        for level in levels.clone() {
            under.entry(rule.label_at(text, level)).or_default().insert(leaf);
        }
    }
    if attribute.null_leaf {
        under.entry(NULL.into()).or_default().insert(texts.len());
        texts.push(NULL.into());
    }
    let covers = |label: &String| match under.get(label) {
        Some(leaves) if label != TOP => ranges(leaves.iter().copied()),
        // What is no label of the hierarchy may stand for anything.
        _ => vec![0..texts.len() as u32],
    };
    // A code can be the label of a level above, too, as a diagnosis without a fourth character.
    let alone = |label: &String| {
        *label == NULL || levels.clone().all(|level| level == 0 || rule.label_at(label, level) != *label)
    };
    let is_value = |label: &String| (*label == NULL || rule.contains(label)) && alone(label);
    let unseen = released.labels.iter().map(|label| !(complete || is_value(label))).collect();
    let covers = released.labels.iter().map(covers).collect();
    Domain { unseen, codes: true, ..of_leaves(covers, texts) }
}

/// Where a query asks for no finer level than the released one, a label answers all that it asks for: one leaf
/// stands for all values under it, seen or not.
fn with_stand_ins(
    mut domain: Domain,
    scope: &Scope<'_>,
    attribute: &PromisedAttribute,
    rule: &Rule,
) -> Domain {
    let Some(level) = attribute.level.filter(|&level| level > 0 && level <= scope.level) else {
        return domain;
    };
    for (code, label) in scope.released.labels.iter().enumerate().filter(|(_, label)| *label != TOP) {
        if let (true, Some(value)) = (domain.unseen[code], value_under(rule, label, level)) {
            domain.covers[code].push(domain.texts.len() as u32..domain.texts.len() as u32 + 1);
            domain.unseen[code] = false;
            domain.texts.push(value);
            domain.weights.push(1.0);
        }
    }
    domain
}

/// The values that are shown; `*` and ranges can cover others where not all are.
fn of_values(released: &ReleasedColumn, domain: u64) -> Domain {
    let is_value = |label: &&String| *label != TOP && label::Range::read(label).is_none();
    let texts: Vec<String> = released.labels.iter().filter(is_value).cloned().collect();
    let complete = texts.len() as u64 >= domain;
    let place: HashMap<&str, u32> = texts.iter().map(String::as_str).zip(0..).collect();
    let covers = |label: &String| match place.get(&**label) {
        Some(&place) => vec![place..place + 1],
        None => within(label, &texts),
    };
    let covers = released.labels.iter().map(covers).collect();
    let unseen = released.labels.iter().map(|label| !(complete || is_value(&label))).collect();
    Domain { unseen, ..of_leaves(covers, texts) }
}

/// The leaves that lie within a range or under `*`.
fn within(label: &str, texts: &[String]) -> Vec<Range<u32>> {
    let range = label::Range::read(label);
    let inside = |leaf: &usize| label == TOP || range.is_some_and(|range| range.has(&texts[*leaf]));
    ranges((0..texts.len()).filter(inside))
}

fn of_leaves(covers: Vec<Vec<Range<u32>>>, texts: Vec<String>) -> Domain {
    let (weights, unseen) = (vec![1.0; texts.len()], vec![false; covers.len()]);
    Domain { texts, weights, covers, unseen, ..Domain::default() }
}

/// A value with a label at a level: a code that begins as the label does, its rest as short and low as can be.
fn value_under(rule: &Rule, label: &str, level: u8) -> Option<String> {
    let first = label.split('-').next().unwrap_or(label);
    let shown = first.trim_end_matches('*');
    let zeros = |number| format!("{shown}{}", "0".repeat(number));
    let substance = "A01AA01".get(shown.len()..).map(|rest| format!("{shown}{rest}"));
    let masked = std::iter::once(label.replace('*', "0"));
    let mut values = (0..=LONGEST).map(zeros).chain(substance).chain(masked);
    values.find(|value| rule.contains(value) && rule.label_at(value, level) == *label)
}

/// The codes of digits, by number, that a masked one can be.
fn codes_under(label: &str, side: Side) -> Vec<Range<u32>> {
    let shown = shown(label, side);
    let hidden = 10u32.pow((label.len() - shown.len()) as u32);
    let number: u32 = shown.parse().unwrap_or(0);
    match side {
        Side::Right => vec![number * hidden..(number + 1) * hidden],
        Side::Left if hidden == 1 => vec![number..number + 1],
        Side::Left => {
            let step = 10u32.pow(shown.len() as u32);
            ranges((0..hidden).map(|front| (front * step + number) as usize))
        }
    }
}

fn is_code(label: &str, length: usize) -> bool {
    label.chars().count() == length && !label.contains('*')
}

/// What a masked code shows.
fn shown(label: &str, side: Side) -> &str {
    match side {
        Side::Right => label.trim_end_matches('*'),
        Side::Left => label.trim_start_matches('*'),
    }
}

fn is_shown(text: &str, shown: &str, side: Side) -> bool {
    match side {
        Side::Right => text.starts_with(shown),
        Side::Left => text.ends_with(shown),
    }
}
