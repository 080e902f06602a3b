//! The single changes of a recipe that are tried.

use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_recipe::{HierarchySection, Recipe, Resolved};

use crate::profile::METHODS;

/// Other values of a model's k, of which those that are not the recipe's are tried.
const KS: [u64; 5] = [2, 3, 5, 10, 20];
/// Other limits of suppression.
const LIMITS: [f64; 4] = [0.0, 0.02, 0.05, 0.1];

/// A change, and what `--set` needs for it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SingleChange {
    pub(super) words: String,
    pub(super) set: Vec<String>,
    /// The quasi-identifier that is dropped.
    pub(super) dropped: Option<String>,
}

/// All changes of a recipe, in the order in which they are tried, so that of each kind some are where the time is short: privacy,
/// columns, limits, methods, intervals, levels.
pub(super) fn changes(written: &Recipe, resolved: &Resolved) -> Vec<SingleChange> {
    let qis: Vec<&str> = resolved
        .attributes
        .iter()
        .filter(|attribute| attribute.role == Role::QuasiIdentifier)
        .map(|attribute| &*attribute.name)
        .collect();
    let mut all: Vec<SingleChange> = other_k(written).collect();
    if qis.len() > 1 {
        all.extend(qis.iter().map(|name| dropped(name)));
    }
    all.extend(LIMITS.iter().filter_map(|limit| other_limit(written, *limit)));
    all.extend(METHODS.iter().filter_map(|method| {
        let keys: Vec<String> = method.keys.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let is_own = own_keys(written).is_some_and(|own| own == keys);
        let set = format!("method={{ {} }}", keys.join(", "));
        (!is_own).then(|| change(format!("method {}", method.name), set))
    }));
    all.extend(qis.iter().flat_map(|name| other_intervals(written, name)));
    all.extend(qis.iter().flat_map(|name| other_level(written, name)));
    all
}

fn change(words: String, set: String) -> SingleChange {
    SingleChange { words, set: vec![set], dropped: None }
}

/// A key of a table as `--set` has it.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if !name.is_empty() && name.chars().all(plain) { name.to_owned() } else { format!("{name:?}") }
}

fn dropped(name: &str) -> SingleChange {
    // The whole section: keys of quasi-identifiers, such as `top`, are none of identifiers.
    let set = format!("attributes.{}={{ role = \"identifier\" }}", quoted(name));
    SingleChange { dropped: Some(name.to_owned()), ..change(format!("without column `{name}`"), set) }
}

fn other_k(written: &Recipe) -> impl Iterator<Item = SingleChange> {
    written.privacy.iter().enumerate().flat_map(|(at, section)| {
        let own = section.parameters.get("k").and_then(serde_json::Value::as_u64);
        let others = KS.into_iter().filter(move |k| own.is_some_and(|own| own != *k));
        others.map(move |k| change(format!("{}: k = {k}", section.model), format!("privacy.{at}.k={k}")))
    })
}

fn other_limit(written: &Recipe, limit: f64) -> Option<SingleChange> {
    let own = written.method.keys.get("suppression-limit").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    (own != limit)
        .then(|| change(format!("suppression limit {limit}"), format!("method.suppression-limit={limit}")))
}

/// One level coarser, and as recorded.
fn other_level(written: &Recipe, name: &str) -> Vec<SingleChange> {
    let own = written.attributes.get(name).and_then(|section| section.min_level).unwrap_or(0);
    let key = quoted(name);
    let coarser = change(
        format!("`{name}` at level {} or above", own + 1),
        format!("attributes.{key}.min-level={}", own + 1),
    );
    let exact = change(format!("`{name}` as recorded"), format!("attributes.{key}.max-level=0"));
    vec![coarser, exact]
}

/// Another hierarchy of intervals: half the narrowest width below it, and without it.
fn other_intervals(written: &Recipe, name: &str) -> Vec<SingleChange> {
    let section = written.attributes.get(name).and_then(|section| section.hierarchy.as_ref());
    let Some(HierarchySection::Inline(Definition::Interval { interval, decimals, .. })) = section else {
        return Vec::new();
    };
    let half = interval.first().map(|width| width / 2.0);
    let unit = 10f64.powi(-i32::try_from(*decimals).unwrap_or(0));
    // No value of the column lies between two of its units.
    let finer = half.filter(|half| *half > unit && (half / unit).fract() == 0.0);
    let finer = finer.map(|half| std::iter::once(half).chain(interval.iter().copied()).collect::<Vec<f64>>());
    let coarser = (interval.len() > 1).then(|| interval[1..].to_vec());
    let all = finer.into_iter().chain(coarser);
    all.map(|widths| {
        change(
            format!("`{name}` in intervals of {}", widths[0]),
            format!("attributes.{}.hierarchy.interval={widths:?}", quoted(name)),
        )
    })
    .collect()
}

/// The keys of the recipe's method as the tried ones have theirs.
fn own_keys(written: &Recipe) -> Option<Vec<String>> {
    let keys = &written.method.keys;
    (!keys.is_empty()).then(|| keys.iter().map(|(key, value)| format!("{key} = {value}")).collect())
}
