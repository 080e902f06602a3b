//! The methods whose classes have levels of their own.

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_core::method::clustering::figures::Figures;
use velamen_core::method::clustering::{self, Clustering};
use velamen_core::method::h_ceiling::HCeiling;
use velamen_core::method::h_ceiling::local::Parts;
use velamen_core::method::local_recoding::{Kept, Levels, LocalRecoding};
use velamen_core::method::mdav::{Aggregate, Mdav};
use velamen_core::method::mondrian::{Mondrian, Partitioning};

use super::full_domain::{bind_models, bind_to, lattice, position};
use super::{Decided, Decision, Found};
use crate::error::JobError;
use crate::recipe::{Clusters, Method, Resolved};

pub(super) fn h_ceiling(
    recipe: &Resolved,
    table: &FrequencyTable,
    method: HCeiling,
    parts: Parts,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let models = |counts: &[u64]| bind_to(recipe, table, Some(counts)).map_err(|error| error.to_string());
    if parts == Parts::FullDomain {
        let (plan, found) = method.plan(table, &lattice(recipe, table), &models, context)?;
        return Ok(Decision { plan: Decided::FullDomain(plan), found: Found::HCeiling(found) });
    }
    let (plan, found) = method.local_plan(table, parts, &rules(recipe, table), &models, context)?;
    Ok(Decision { plan: Decided::Local(plan), found: Found::HCeilingLocal(found) })
}

pub(super) fn mondrian(
    recipe: &Resolved,
    table: &FrequencyTable,
    partitioning: Partitioning,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let models = bind_models(recipe, table)?;
    let rules = rules(recipe, table);
    let task = Mondrian { models: &models, least_size: least_size(recipe), partitioning, rules: &rules };
    let plan = task.plan(table, context)?;
    let found = Found::Partitions(plan.members.len());
    Ok(Decision { plan: Decided::Local(plan), found })
}

/// The optimal search, again on what it suppresses.
pub(super) fn repeated(
    task: LocalRecoding<'_>,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let (kept, found) = task.plan(table, context)?;
    let plan = match kept {
        Kept::Repeated(plan) => Decided::Local(plan),
        Kept::Single(plan) => Decided::FullDomain(plan),
    };
    Ok(Decision { plan, found: Found::LocalRecoding(found, task.metric) })
}

/// Says where the search was better without being repeated.
pub(super) fn warning(recipe: &Resolved, decision: &Decision) -> Option<String> {
    let Found::LocalRecoding(found, metric) = &decision.found else { return None };
    decision.plan.full_domain()?;
    let key = match &recipe.method {
        Method::FullDomain { local: Some(Levels::Ends), .. } => "cell-suppression",
        _ => "local-recoding",
    };
    let why = match (&found.single, &found.repeated) {
        (Some(single), Some(repeated)) => format!(
            "{} is {:.4} with one search and {:.4} with the search repeated",
            metric.name,
            metric.value(single),
            metric.value(repeated)
        ),
        _ => "repeating the search cannot keep to the suppression limit".to_owned(),
    };
    Some(format!("{key} gained nothing: {why}; the release is that of one search"))
}

pub(super) fn mdav(
    recipe: &Resolved,
    table: &FrequencyTable,
    k: u64,
    aggregate: Aggregate,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let rules = rules(recipe, table);
    let (plan, found) = Mdav { k, aggregate, rules: &rules }.plan(table, context)?;
    Ok(Decision { plan: Decided::Local(plan), found: Found::Mdav(found) })
}

/// What a clustering's blocks are like.
pub(crate) struct Clustered {
    pub(crate) found: clustering::Found,
    pub(crate) figures: Figures,
    pub(crate) lambda: f64,
}

pub(super) fn clustering(
    recipe: &Resolved,
    table: &FrequencyTable,
    clusters: &Clusters,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let column = clusters.sensitive.as_ref().and_then(|name| position(table, name));
    let task = Clustering {
        models: &bind_models(recipe, table)?,
        least_size: least_size(recipe),
        objective: clusters.objective,
        seeds: clusters.seeds,
        column,
    };
    let (plan, found) = task.plan(table, context)?;
    let figures = Figures::of(table, &plan, column);
    let found = Found::Clustering(Clustered { found, figures, lambda: clusters.lambda });
    Ok(Decision { plan: Decided::Local(plan), found })
}

/// A size that every class needs.
fn least_size(recipe: &Resolved) -> u64 {
    recipe.models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(1)
}

/// The rule of each quasi-identifier.
fn rules<'a>(recipe: &'a Resolved, table: &FrequencyTable) -> Vec<&'a Rule> {
    let rule = |name: &String| recipe.attributes.iter().find(|attribute| attribute.name == *name);
    table.qis.iter().map(|qi| rule(&qi.name).map_or(&Rule::Flat, |attribute| &attribute.rule)).collect()
}
