//! What changed from one release to another, from their folders alone.

mod records;

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use velamen_core::context::Context;
use velamen_engine::source::ReadOptions;
use velamen_job::published::Published;
use velamen_recipe::JobError;
use velamen_report::Manifest;
use velamen_report::recipient::all_shown;

use crate::risk::{RiskReport, RiskRequest, risk};

pub use records::RecordsDiff;

/// One fact of two releases that differs.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Change {
    /// What it is about, with dots between its parts: `method.h`, `attributes.zip.role`.
    pub what: String,
    /// Of the first release; null where it has no such fact.
    pub before: Value,
    /// Of the second release.
    pub after: Value,
}

/// What changed. Empty lists: nothing did.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Diff {
    /// What the recipe asked for: preset, method, file, roles and hierarchies.
    pub recipe: Vec<Change>,
    /// What is shown of each attribute, in words.
    pub levels: Vec<Change>,
    /// Counts and utility figures.
    pub figures: Vec<Change>,
    /// The risk of re-identification.
    pub risk: Vec<Change>,
    /// What was promised, and what was reached.
    pub promises: Vec<Change>,
    /// The released records.
    pub records: RecordsDiff,
}

impl Diff {
    /// Whether the releases tell the same: the same facts, and the same records in any order.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let lists = [&self.recipe, &self.levels, &self.figures, &self.risk, &self.promises];
        lists.into_iter().all(Vec::is_empty) && self.records.is_same()
    }
}

/// Compares two releases.
///
/// Time: O(records · columns · log records).
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if a folder holds no readable release.
pub fn diff(before: &Path, after: &Path, context: &Context<'_>) -> Result<Diff, JobError> {
    let manifests = [velamen_report::load(before)?, velamen_report::load(after)?];
    let [first, second] = &manifests;
    let risks = [risks(before, context)?, risks(after, context)?];
    let levels = [levels(before, context)?, levels(after, context)?];
    Ok(Diff {
        recipe: changes(&asked(first), &asked(second)),
        levels: changes(&levels[0], &levels[1]),
        figures: changes(&figures(first), &figures(second)),
        risk: changes(&risks[0], &risks[1]),
        promises: changes(&promises(first), &promises(second)),
        records: records::diff([(before, first), (after, second)], context)?,
    })
}

/// The facts that differ, those of the first release in its order, then those that only the second has.
fn changes(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Change> {
    let mut known = BTreeSet::new();
    let names = before.keys().chain(after.keys()).filter(|name| known.insert((*name).clone()));
    let of = |facts: &Map<String, Value>, name: &str| facts.get(name).cloned().unwrap_or_default();
    let change =
        |name: &String| Change { what: name.clone(), before: of(before, name), after: of(after, name) };
    names.map(change).filter(|change| change.before != change.after).collect()
}

/// What the recipe asked for, as the manifest states it.
fn asked(manifest: &Manifest) -> Map<String, Value> {
    let Ok(Value::Object(mut stated)) = serde_json::to_value(manifest) else { return Map::new() };
    for elsewhere in ["node", "records", "suppressed", "counterfeits", "classes", "privacy", "utility"] {
        stated.shift_remove(elsewhere);
    }
    let mut facts = Map::new();
    for (name, value) in stated {
        match (name.as_str(), value) {
            ("attributes", Value::Object(attributes)) => {
                for (attribute, mut entry) in attributes {
                    if let Some(entry) = entry.as_object_mut() {
                        entry.shift_remove("level");
                    }
                    flatten(&format!("attributes.{attribute}"), entry, &mut facts);
                }
            }
            ("method" | "data" | "preset", value) => flatten(&name, value, &mut facts),
            (_, value) => drop(facts.insert(name, value)),
        }
    }
    facts
}

/// The entries of an object, with its name before theirs.
fn flatten(name: &str, value: Value, facts: &mut Map<String, Value>) {
    match value {
        Value::Object(entries) => {
            facts.extend(entries.into_iter().map(|(key, value)| (format!("{name}.{key}"), value)));
        }
        value => drop(facts.insert(name.to_owned(), value)),
    }
}

fn levels(release: &Path, context: &Context<'_>) -> Result<Map<String, Value>, JobError> {
    let Published { manifest, release, .. } = Published::load(release, None, context)?;
    Ok(all_shown(&manifest, &release).into_iter().map(|(name, words)| (name, words.into())).collect())
}

fn figures(manifest: &Manifest) -> Map<String, Value> {
    let counts = [
        ("records", Some(manifest.records)),
        ("suppressed", Some(manifest.suppressed)),
        ("counterfeits", manifest.counterfeits),
        ("classes", Some(manifest.classes)),
    ];
    let counts = counts.into_iter().map(|(name, count)| (name.to_owned(), count.into()));
    let utility = manifest.utility.iter().map(|(name, figure)| (name.clone(), value(figure).clone()));
    counts.chain(utility).collect()
}

/// The number of a figure, which some metrics have among others.
fn value(figure: &Value) -> &Value {
    if figure.is_object() { &figure["value"] } else { figure }
}

/// Promises by model; of several of one model by number.
fn promises(manifest: &Manifest) -> Map<String, Value> {
    let mut facts = Map::new();
    for (number, promise) in manifest.privacy.iter().enumerate() {
        let again = manifest.privacy[..number].iter().filter(|other| other.model == promise.model).count();
        let name = match again {
            0 => promise.model.clone(),
            _ => format!("{} ({})", promise.model, again + 1),
        };
        facts.insert(format!("{name}.asked"), promise.asked.clone());
        facts.insert(format!("{name}.reached"), promise.reached.clone());
    }
    facts
}

/// The figures of risk that are read first.
fn risks(release: &Path, context: &Context<'_>) -> Result<Map<String, Value>, JobError> {
    let request = RiskRequest {
        table: release.to_owned().into(),
        read: ReadOptions::default(),
        qis: Vec::new(),
        person: None,
        population: None,
        before: None,
        threshold: None,
        special_uniques: 0,
        rows: 0,
        show_values: false,
    };
    let RiskReport { figures, .. } = risk(&request, context)?;
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    add("least-class", figures.least_class.into());
    add("records-alone", figures.uniques.into());
    if let Some(risks) = figures.risks {
        add("highest", risks.prosecutor.highest.into());
        add("mean", risks.prosecutor.mean.into());
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn only_what_differs_is_listed_and_each_fact_once() {
        let (before, after) = (object(json!({"h": 0.2, "k": 5})), object(json!({"k": 5, "h": 0.3, "l": 2})));
        let change = |what: &str, before: Value, after: Value| Change { what: what.into(), before, after };
        let expected = [change("h", json!(0.2), json!(0.3)), change("l", Value::Null, json!(2))];
        assert_eq!(changes(&before, &after), expected);
        assert!(changes(&before, &before).is_empty());
    }
}
