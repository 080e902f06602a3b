//! The differentially private method: the table is made such that only its records are private.

use serde_json::{Value, json};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier};
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::method::safe_pub::{SafePub, SafePubParams, Search};

use super::{Decided, Decision, Found, full_domain};
use crate::error::JobError;
use crate::recipe::{Method, Resolved};

/// The table with a leaf for missing values in every hierarchy, so that no domain tells whether one
/// occurs; for other methods as it is.
pub(super) fn prepared(recipe: &Resolved, table: FrequencyTable) -> FrequencyTable {
    if !matches!(recipe.method, Method::SafePub(..)) {
        return table;
    }
    let (hierarchies, places) = table.qis.iter().map(|qi| with_missing(qi, rule(recipe, &qi.name))).unzip();
    let places: Vec<Vec<u32>> = places;
    table.over(hierarchies, &places)
}

fn rule<'a>(recipe: &'a Resolved, name: &str) -> &'a Rule {
    recipe.attributes.iter().find(|a| a.name == name).map_or(&Rule::Flat, |attribute| &attribute.rule)
}

/// A hierarchy over the values and the missing one, and by old leaf code the new one.
fn with_missing(qi: &QuasiIdentifier, rule: &Rule) -> (velamen_core::hierarchy::Hierarchy, Vec<u32>) {
    let old = qi.hierarchy.labels(0);
    let missing = (!old.iter().any(|label| label == NULL)).then(|| NULL.to_owned());
    let (leaves, hierarchy) = rule.over(old.iter().cloned().chain(missing).collect(), false);
    let place: std::collections::BTreeMap<&str, u32> = leaves.iter().map(String::as_str).zip(0..).collect();
    (hierarchy, old.iter().map(|label| place[label.as_str()]).collect())
}

pub(super) fn decide(
    recipe: &Resolved,
    method: &SafePub,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let found = method.plan(table, &full_domain::lattice(recipe, table), context)?;
    Ok(Decision { plan: Decided::Sampled(Box::new(found)), found: Found::SafePub })
}

/// The manifest's method section: parameters and what follows from them alone.
pub(super) fn described(method: &SafePub, params: &SafePubParams) -> Value {
    let mut value = json!({
        "name": "safe-pub",
        "search": params.search,
        "epsilon": params.epsilon,
        "delta": params.delta,
        "k": method.k(),
        "beta": method.kept(),
        "spent": method.spent(),
    });
    if params.search == Search::Exponential {
        value["search-share"] = params.search_share.into();
        value["search-steps"] = params.search_steps.into();
    }
    value
}
