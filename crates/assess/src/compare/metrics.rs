//! Every metric of a release against its original.
//!
//! Where counterfeits or classes with levels of their own hide which record became which, the figures are
//! those that the released table shows.

use std::collections::BTreeMap;
use velamen_report::OfMethod;

use velamen_core::context::Context;
use velamen_core::frequency::{Counted, FrequencyTable};
use velamen_core::hierarchy::{Definition, NULL};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Fate, Plan};
use velamen_core::release::apply;
use velamen_job::published::Published;
use velamen_job::utility::{UtilityFigures, of_plan, rce};
use velamen_recipe::JobError;
use velamen_search::method::Records;
use velamen_search::method::evaluate::{Demand, Outliers};
use velamen_search::method::full_domain::{FullDomain, ONE_NODE};
use velamen_search::method::search::Budget;
use velamen_search::metric;
use velamen_search::metric::MetricOptions;

use super::TableWithRelease;

/// Figures by metric and what they are over.
pub(super) struct Metrics {
    /// Whether the figures are over the original records; else they are what the released table shows.
    pub(super) over_original: bool,
    /// Figures by metric.
    pub(super) utility: UtilityFigures,
}

/// Why a release has no metrics against its original, if it has none.
pub(super) fn refusal(pair: &TableWithRelease<'_>) -> Option<JobError> {
    let manifest = &pair.published.manifest;
    if manifest.is_noisy() {
        let what = if manifest.is_invented() { "invented" } else { "noisy counts" };
        let problem = format!("the records are {what}, none of which stands for one of the original");
        let problem = format!("{}: {problem}", pair.folder.display());
        return Some(
            JobError::usage(problem).mend("`velamen measure` gives the figures of the released table"),
        );
    }
    manifest.is_sampled().then(|| {
        let message =
            "the release is of a random sample; which records of the original it holds is not known";
        JobError::data(message)
    })
}

/// Refuses a table that has other numbers of records or of values than the release was made of.
pub(super) fn refuse_other_tables(pair: &TableWithRelease<'_>) -> Result<(), JobError> {
    let (table, release) = (&pair.table, &pair.published.release);
    if pair.counterfeits().and_then(|number| release.records().checked_sub(number)) != Some(table.records()) {
        return Err(pair.foreign("they have different numbers of records"));
    }
    refuse_other_domains(&pair.published, table).map_err(|problem| pair.foreign(&problem))?;
    refuse_other_values(pair)
}

/// Where every record is released, attributes that are released as they are have the same values as often.
fn refuse_other_values(pair: &TableWithRelease<'_>) -> Result<(), JobError> {
    let (table, published) = (&pair.table, &pair.published);
    if pair.counterfeits() != Some(0) {
        return Ok(());
    }
    let mut released: Vec<u64> = vec![0; published.release.rest.len];
    published.release.rows.iter().for_each(|row| released[row.rest as usize] += row.count);
    for (c, column) in table.rest.columns.iter().enumerate() {
        let place = published.release.rest.columns.iter().position(|other| other.name == column.name);
        let Some(place) = place.filter(|_| !published.manifest.is_replaced(&column.name)) else { continue };
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        let values = &published.release.rest.columns[place].values;
        for (&code, &count) in published.release.rest.codes[place].iter().zip(&released) {
            *counts.entry(&values[code as usize]).or_default() += count as i64;
        }
        for (value, count) in column.values.iter().zip(table.rest_marginal(c)) {
            *counts.entry(value).or_default() -= count as i64;
        }
        if published.manifest.suppresses_records() {
            // Suppressed records show none of the values that others have more of.
            counts.entry(NULL).and_modify(|missing| *missing -= published.release.suppressed as i64);
            let hidden: i64 = counts.values().map(|difference| difference.abs()).sum();
            let fewer = counts.values().all(|difference| *difference <= 0);
            if fewer && hidden as u64 == published.release.suppressed {
                continue;
            }
        } else if counts.values().all(|difference| *difference == 0) {
            continue;
        }
        return Err(pair.foreign(&format!("the values of `{}` are others", column.name)));
    }
    Ok(())
}

/// Every metric of a release against the table that it was made of.
///
/// # Errors
/// [`JobError::data`] if the release cannot be one of that table.
pub(super) fn metrics(pair: &TableWithRelease<'_>, context: &Context<'_>) -> Result<Metrics, JobError> {
    let (table, published) = (&pair.table, &pair.published);
    let followed = node(published, table).map(|node| follow(published, table, node, context)).transpose()?;
    let differing = followed.as_ref().map_or(0, |plan| differing_classes(published, table, plan));
    let moved = published.manifest.facts().records == Records::Relocated;
    if differing > 0 && !moved {
        return Err(
            pair.foreign(&format!("{differing} released classes have other numbers of records there"))
        );
    }
    let followed = followed.filter(|_| differing == 0);
    let utility = match &followed {
        None => published.figures(),
        Some(plan) => over_original(published, table, plan, context),
    };
    Ok(Metrics { over_original: followed.is_some(), utility })
}

/// A domain that was read off the data has at least the original's values.
pub(crate) fn refuse_other_domains(published: &Published, table: &FrequencyTable) -> Result<(), String> {
    for attribute in &published.attributes {
        let qi = table.qis.iter().find(|qi| qi.name == attribute.name);
        let occurring = qi.map_or(0, |qi| qi.hierarchy.domain());
        if let Definition::Flat { domain } = attribute.hierarchy
            && occurring > domain
        {
            return Err(format!(
                "attribute `{}` has {occurring} different values, the release's original has {domain}",
                attribute.name
            ));
        }
    }
    Ok(())
}

/// The release's node, if it states what became of every original record.
fn node(published: &Published, table: &FrequencyTable) -> Option<Node> {
    if published.release.counterfeits() > 0 || published.manifest.counterfeits.is_none() {
        return None;
    }
    let level = |name: &str| published.attributes.iter().find(|a| a.name == name)?.level;
    table.qis.iter().map(|qi| level(&qi.name)).collect::<Option<_>>().map(Node)
}

/// What the release must have done with the original, if it keeps the classes that it shows.
fn follow(
    published: &Published,
    table: &FrequencyTable,
    node: Node,
    context: &Context<'_>,
) -> Result<Plan, JobError> {
    let of_node = (metric::OF_NODE.bind)(&Counted::of(table), &MetricOptions::default());
    let outliers = Outliers::Suppress;
    let demand = Demand {
        models: &[],
        metric: &*of_node,
        most_outliers: 0,
        outliers,
        assume_monotone: false,
        hidden: None,
    };
    let (lattice, budget) = (Lattice::between(&node, &node), Budget::default());
    let task = FullDomain { demand, lattice: Some(&lattice), strategy: ONE_NODE, budget };
    let (mut plan, _) = task.plan(table, context)?;
    let released = released_sizes(published, table);
    for class in 0..plan.classes.len() {
        if !released.contains_key(&labels(table, &plan, class)) {
            plan.fates[class] = Fate::Suppress;
        }
    }
    Ok(plan)
}

fn over_original(
    published: &Published,
    table: &FrequencyTable,
    plan: &Plan,
    context: &Context<'_>,
) -> UtilityFigures {
    let (mut release, _) = apply(table, plan, context.seed);
    if published.manifest.suppresses_records() {
        release = release.without_suppressed_values();
    }
    let mut figures = of_plan(&Counted::of(table), &release, plan, None);
    figures.extend([rce(&table.qis, &release, published.reading())]);
    figures
}

/// The size of each released class by its labels, in the order of the original's columns.
fn released_sizes<'a>(published: &'a Published, table: &FrequencyTable) -> BTreeMap<Vec<&'a str>, u64> {
    let position = |name: &str| published.attributes.iter().position(|a| a.name == name);
    let order: Vec<usize> = table.qis.iter().filter_map(|qi| position(&qi.name)).collect();
    let ordered = |class: usize| {
        let labels = published.labels(class);
        order.iter().map(|&q| labels[q]).collect()
    };
    (0..published.release.sizes.len()).map(|c| (ordered(c), published.release.sizes[c])).collect()
}

fn labels<'a>(table: &'a FrequencyTable, plan: &Plan, class: usize) -> Vec<&'a str> {
    let codes = plan.classes.codes(class).iter().zip(&table.qis).zip(&plan.node.0);
    codes.map(|((&code, qi), &level)| qi.hierarchy.label(level, code)).collect()
}

/// How many released classes are not in the original, or have another size there.
fn differing_classes(published: &Published, table: &FrequencyTable, plan: &Plan) -> usize {
    let kept = (0..plan.classes.len()).filter(|&class| plan.fates[class] == Fate::Keep);
    let kept: BTreeMap<Vec<&str>, u64> =
        kept.map(|class| (labels(table, plan, class), plan.classes.sizes[class])).collect();
    let released = released_sizes(published, table);
    released.iter().filter(|(labels, size)| kept.get(*labels) != Some(*size)).count()
}
