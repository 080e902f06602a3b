//! What the population says of the classes: its table where it is given, else estimates from its size.
//!
//! The estimators of population uniqueness are those of `velamen_core::uniqueness`, which the model calls as well: what is
//! checked again is what they are given.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use velamen_contract::PopulationRows;
use velamen_contract::model::delta_presence::DeltaPresenceParams;
use velamen_contract::model::k_map::{Estimate, KMapParams};
use velamen_contract::model::population_uniqueness::PopulationUniquenessParams;
use velamen_core::hierarchy::Rule;
use velamen_core::uniqueness::{Sample, estimate};

use super::{Case, Entry};
use crate::{Finding, PromisedAttribute, ReleasedClass, Uncheckable, total};

/// What a suppressed record shows.
const TOP: &str = "*";

pub(super) const K_MAP: Entry = Entry { name: "k-map", check: k_map };

pub(super) const DELTA_PRESENCE: Entry = Entry { name: "delta-presence", check: delta_presence };

pub(super) const UNIQUENESS: Entry = Entry { name: "population-uniqueness", check: uniqueness };

fn k_map(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let (asked, classes): (KMapParams, _) = (case.parameters()?, case.labelled());
    if let Some(law) = asked.estimate {
        let (size, records) = (case.promises.population_size, case.promises.records);
        let found = estimated(&asked, law, &classes, size, records);
        let (least, enough) = found.ok_or_else(|| case.unread())?;
        return Ok(case.found(json!({ "class-size": least }), enough));
    }
    let Some(groups) = groups(case) else { return Ok(needs_population(case)) };
    let least = classes.iter().map(|(labels, _)| of_labels(&groups, labels)).min();
    Ok(case.found(json!({ "k": least }), least.is_none_or(|least| least >= asked.k)))
}

fn delta_presence(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let asked = case.parameters()?;
    let Some(groups) = groups(case) else { return Ok(needs_population(case)) };
    let (least, most, holds) = presence(&asked, &case.labelled(), &groups, case.counts_untold());
    Ok(case.found(json!({ "min": least, "max": most }), holds))
}

fn uniqueness(case: &Case<'_>) -> Result<Finding, Uncheckable> {
    let found = uniques(&case.parameters()?, &case.labelled(), case.promises.population_size);
    let (share, used, holds) = found.ok_or_else(|| case.unread())?;
    Ok(case.found(json!({ "share": share, "estimator": used }), holds))
}

fn needs_population(case: &Case<'_>) -> Finding {
    Finding::not_checked(case.model, case.asked.clone(), "needs the population")
}

/// The population's records by released labels, where its table is given.
fn groups(case: &Case<'_>) -> Option<BTreeMap<Vec<String>, u64>> {
    Some(by_labels(case.promises.population.as_ref()?, &case.promises.qis))
}

/// How many of the population can be behind the labels of a class: everybody behind `*`.
fn of_labels(groups: &BTreeMap<Vec<String>, u64>, labels: &[String]) -> u64 {
    let everybody = || total(groups.values().copied());
    let is_star = labels.iter().all(|label| label == TOP);
    groups.get(labels).copied().unwrap_or_else(|| if is_star { everybody() } else { 0 })
}

fn by_labels(rows: &PopulationRows, qis: &[PromisedAttribute]) -> BTreeMap<Vec<String>, u64> {
    let rules: Vec<Rule> = qis.iter().map(|qi| Rule::try_from(&qi.hierarchy).unwrap_or(Rule::Flat)).collect();
    let mut groups = BTreeMap::new();
    for (values, count) in rows {
        let labels = values.iter().zip(&rules).zip(qis);
        let labels: Vec<String> =
            labels.map(|((value, rule), qi)| rule.label_at(value, qi.level.unwrap_or(0))).collect();
        let counted: &mut u64 = groups.entry(labels).or_default();
        *counted = counted.saturating_add(*count);
    }
    groups
}

/// The least and the largest share of a class of the population that is in the release. Classes without
/// a released record count only if they are not suppressed ones' (which no recipient can tell).
fn presence(
    &DeltaPresenceParams { min, max }: &DeltaPresenceParams,
    classes: &[ReleasedClass],
    groups: &BTreeMap<Vec<String>, u64>,
    untold: bool,
) -> (f64, f64, bool) {
    // Of nobody, any class is infinitely many.
    let share = |(labels, size): &ReleasedClass| *size as f64 / of_labels(groups, labels) as f64;
    let shares: Vec<f64> = classes.iter().map(share).collect();
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    // Of untold people there are no more than records.
    let few = |share: f64| share <= max * (1.0 + 1e-9) || (untold && share.is_finite());
    let holds = shares.iter().all(|s| *s >= min * (1.0 - 1e-9) && few(*s));
    let least = if least.is_finite() { least } else { 0.0 };
    (least, most, holds)
}

/// The estimated share of the population that is unique, by which estimator, and whether it is within
/// the bound. Without a released record in a class there is nothing to estimate.
fn uniques(
    &PopulationUniquenessParams { share: most, estimator }: &PopulationUniquenessParams,
    classes: &[ReleasedClass],
    population: Option<u64>,
) -> Option<(f64, Value, bool)> {
    if classes.is_empty() {
        return Some((0.0, json!(estimator), true));
    }
    let sizes: Vec<(u64, u64)> = classes.iter().map(|(_, size)| (*size, 1)).collect();
    let found = estimate(&Sample::new(&sizes, population?).ok()?, estimator);
    Some((found.share, json!(found.used), found.share <= most * (1.0 + 1e-9)))
}

/// The least class and whether a class that small is seen rarely enough if the population has only k of
/// its values.
fn estimated(
    &KMapParams { k, significance, .. }: &KMapParams,
    law: Estimate,
    classes: &[ReleasedClass],
    population: Option<u64>,
    records: u64,
) -> Option<(Option<u64>, bool)> {
    let lambda = k as f64 * (records as f64 / population? as f64).min(1.0);
    let probability = |size: u64| poisson(lambda, size);
    let truncated = law == Estimate::ZeroTruncatedPoisson;
    let first = u64::from(truncated);
    let total = if truncated { 1.0 - probability(0) } else { 1.0 };
    let at_least = |size: u64| 1.0 - (first..size).map(probability).sum::<f64>() / total;
    let sizes: BTreeSet<u64> = classes.iter().map(|class| class.1).collect();
    let enough = |size: &u64| *size >= k || at_least(*size) <= significance * (1.0 + 1e-9);
    Some((sizes.first().copied(), sizes.iter().all(enough)))
}

/// The chance of a size, by Poisson's law.
fn poisson(lambda: f64, size: u64) -> f64 {
    let log: f64 = (1..=size).map(|i| (lambda / i as f64).ln()).sum();
    (log - lambda).exp()
}
