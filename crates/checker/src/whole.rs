//! The models that look at all classes together or at the population, from their definitions.
//!
//! Shares no code with `velamen_search::model`. The estimators of population uniqueness are those of
//! `velamen_measure::risk`, which the model calls as well: what is checked again is what they are given.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use velamen_core::hierarchy::Rule;
use velamen_core::uniqueness::{Sample, estimate};

use super::{Finding, PromisedAttribute, State, Uncheckable};

/// The population as it stands in its table: the values of the quasi-identifiers, in the order of the
/// promises, with the number of records.
pub type PopulationRows = Vec<(Vec<String>, u64)>;

/// A class of the release: its labels and its size.
pub(super) type ReleasedClass = (Vec<String>, u64);

/// Per class the released records that a record of it cannot be told from, where an empty label can stand
/// for any: every pair of classes of which one has such a label is looked at.
pub(super) fn indistinguishable(classes: &[ReleasedClass]) -> Vec<u64> {
    let agree = |(a, b): (&String, &String)| a == b || a.is_empty() || b.is_empty();
    let matches = |a: &[String], b: &[String]| a.iter().zip(b).all(agree);
    let mut totals: Vec<u64> = classes.iter().map(|class| class.1).collect();
    for (i, (labels, size)) in classes.iter().enumerate() {
        if !labels.iter().any(String::is_empty) {
            continue;
        }
        for (j, (others, other_size)) in classes.iter().enumerate() {
            if i == j || !matches(labels, others) {
                continue;
            }
            grow(&mut totals, i, *other_size);
            // A class with an empty label comes by itself.
            if !others.iter().any(String::is_empty) {
                grow(&mut totals, j, *size);
            }
        }
    }
    totals
}

fn grow(totals: &mut [u64], class: usize, more: u64) {
    if let Some(total) = totals.get_mut(class) {
        *total = total.saturating_add(more);
    }
}

/// Checks a model that looks at class sizes only; `None` for other models.
pub(super) fn of_sizes(model: &str, asked: &Value, sizes: &[u64]) -> Option<Result<Finding, Uncheckable>> {
    let number = |name: &str| asked[name].as_f64().ok_or_else(|| Uncheckable::Parameters(model.into()));
    let records: u64 = sizes.iter().sum();
    let share = |at_risk: &dyn Fn(f64) -> bool| {
        let exposed: u64 = sizes.iter().filter(|size| at_risk(**size as f64)).sum();
        if records == 0 { 0.0 } else { exposed as f64 / records as f64 }
    };
    let mean_risk = if records == 0 { 0.0 } else { sizes.len() as f64 / records as f64 };
    let reached = match model {
        "average-risk" => number("risk").map(|risk| ("risk", mean_risk, risk)),
        "records-at-risk" => number("risk").and_then(|risk| {
            let exposed = share(&|size| 1.0 / size > risk * (1.0 + 1e-9));
            Ok(("share", exposed, number("share")?))
        }),
        "sample-uniqueness" => number("share").map(|most| ("share", share(&|size| size < 1.5), most)),
        _ => return None,
    };
    Some(reached.map(|(name, reached, most)| {
        Finding::of(model, asked.clone(), json!({ name: reached }), reached <= most * (1.0 + 1e-9))
    }))
}

/// Checks a model that looks at the population; `None` for other models.
pub(super) fn of_population(
    model: &str,
    asked: &Value,
    classes: &[ReleasedClass],
    qis: &[PromisedAttribute],
    population: Option<&PopulationRows>,
    population_size: Option<u64>,
    records: u64,
) -> Option<Result<Finding, Uncheckable>> {
    let parameters = || Uncheckable::Parameters(model.into());
    let found = |reached: Value, holds| Finding::of(model, asked.clone(), reached, holds);
    match (model, population) {
        ("k-map", _) if asked["estimate"].is_string() => Some(
            estimated(asked, classes, population_size, records)
                .ok_or_else(parameters)
                .map(|(least, enough)| found(json!({ "class-size": least }), enough)),
        ),
        ("population-uniqueness", _) => Some(
            uniques(asked, classes, population_size)
                .ok_or_else(parameters)
                .map(|(share, used, holds)| found(json!({ "share": share, "estimator": used }), holds)),
        ),
        ("k-map" | "delta-presence", None) => {
            let reached = json!({ "not-checked": "needs the population" });
            Some(Ok(Finding { state: State::NotChecked, ..found(reached, false) }))
        }
        ("k-map", Some(rows)) => Some(asked["k"].as_u64().ok_or_else(parameters).map(|k| {
            let groups = groups(rows, qis);
            let least = classes.iter().map(|(labels, _)| groups.get(labels).copied().unwrap_or(0)).min();
            found(json!({ "k": least }), least.is_none_or(|least| least >= k))
        })),
        ("delta-presence", Some(rows)) => Some(
            presence(asked, classes, &groups(rows, qis))
                .ok_or_else(parameters)
                .map(|(least, most, holds)| found(json!({ "min": least, "max": most }), holds)),
        ),
        _ => None,
    }
}

/// The population's records by released labels.
fn groups(rows: &PopulationRows, qis: &[PromisedAttribute]) -> BTreeMap<Vec<String>, u64> {
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
    asked: &Value,
    classes: &[ReleasedClass],
    groups: &BTreeMap<Vec<String>, u64>,
) -> Option<(f64, f64, bool)> {
    let (min, max) = (asked["min"].as_f64().unwrap_or(0.0), asked["max"].as_f64()?);
    let share = |(labels, size): &ReleasedClass| match groups.get(labels) {
        Some(&population) if population > 0 => *size as f64 / population as f64,
        _ => f64::INFINITY,
    };
    let shares: Vec<f64> = classes.iter().map(share).collect();
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    let most = shares.iter().copied().fold(0.0, f64::max);
    let holds = shares.iter().all(|s| *s >= min * (1.0 - 1e-9) && *s <= max * (1.0 + 1e-9));
    let least = if least.is_finite() { least } else { 0.0 };
    Some((least, most, holds))
}

/// The estimated share of the population that is unique, by which estimator, and whether it is within
/// the bound. Without a released record in a class there is nothing to estimate.
fn uniques(asked: &Value, classes: &[ReleasedClass], population: Option<u64>) -> Option<(f64, Value, bool)> {
    let most = asked["share"].as_f64()?;
    let estimator = serde_json::from_value(asked["estimator"].clone()).ok()?;
    if classes.is_empty() {
        return Some((0.0, asked["estimator"].clone(), true));
    }
    let sizes: Vec<(u64, u64)> = classes.iter().map(|(_, size)| (*size, 1)).collect();
    let found = estimate(&Sample::new(&sizes, population?).ok()?, estimator);
    Some((found.share, json!(found.used), found.share <= most * (1.0 + 1e-9)))
}

/// The least class and whether a class that small is seen rarely enough if the population has only k of
/// its values.
fn estimated(
    asked: &Value,
    classes: &[ReleasedClass],
    population: Option<u64>,
    records: u64,
) -> Option<(Option<u64>, bool)> {
    let (k, significance) = (asked["k"].as_u64()?, asked["significance"].as_f64()?);
    let lambda = k as f64 * (records as f64 / population? as f64).min(1.0);
    let probability = |size: u64| {
        let log: f64 = (1..=size).map(|i| (lambda / i as f64).ln()).sum();
        (log - lambda).exp()
    };
    let truncated = asked["estimate"].as_str() == Some("zero-truncated-poisson");
    let first = u64::from(truncated);
    let total = if truncated { 1.0 - probability(0) } else { 1.0 };
    let at_least = |size: u64| 1.0 - (first..size).map(probability).sum::<f64>() / total;
    let sizes: BTreeSet<u64> = classes.iter().map(|class| class.1).collect();
    let enough = |size: &u64| *size >= k || at_least(*size) <= significance * (1.0 + 1e-9);
    Some((sizes.first().copied(), sizes.iter().all(enough)))
}
