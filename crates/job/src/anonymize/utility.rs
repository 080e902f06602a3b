//! Utility figures for the manifest.

use serde_json::{Map, Value, json};
use velamen_core::frequency::FrequencyTable;
use velamen_core::metric::rce::Reading;
use velamen_core::metric::{CELL_METRICS, Entry, MetricOptions, Outcome, REGISTRY, released};
use velamen_core::plan::Plan;
use velamen_core::release::{Release, SUPPRESSED};

use super::Decision;
use super::full_domain::weighted;
use crate::recipe::{Method, Resolved};

/// Every metric that may be published of a release.
///
/// Where counterfeits are hidden or records moved, the figures are those of the released table, which a
/// recipient can compute; a figure over the originals would tell more.
pub(super) fn figures(
    recipe: &Resolved,
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
) -> Map<String, Value> {
    let mut figures = match &recipe.method {
        Method::Mdav { .. } => return of_classes(release),
        Method::FullDomain { metric, options, .. } => {
            let asked = (*metric, weighted(recipe, table, options));
            match decision.plan.full_domain().filter(|plan| plan.moved() == 0) {
                Some(plan) => of_plan(table, release, plan, &asked),
                None => of_release(table, release),
            }
        }
        _ => of_release(table, release),
    };
    figures.insert("rce".into(), rce(recipe, table, release));
    figures
}

/// All metrics, over originals and plan.
fn of_plan(
    table: &FrequencyTable,
    release: &Release,
    plan: &Plan,
    asked: &(&'static Entry, MetricOptions),
) -> Map<String, Value> {
    let (mut kept, mut suppressed) = plan.bags();
    for row in &release.rows {
        let bag = if row.class == SUPPRESSED { &mut suppressed } else { &mut kept };
        bag.rest.push(row.rest);
    }
    let leaves = if suppressed.sizes.is_empty() { Vec::new() } else { plan.suppressed_leaves(table) };
    let outcome =
        Outcome { node: &plan.node, kept: &kept, suppressed: &suppressed, suppressed_leaves: &leaves };
    let figure = |entry: &'static Entry| {
        let usual = MetricOptions::default();
        let options = if entry.name == asked.0.name { &asked.1 } else { &usual };
        let metric = (entry.bind)(table, options);
        let value = entry.value(&metric.figure(&outcome));
        let Some(by_attribute) = metric.by_attribute(&outcome) else { return value.into() };
        json!({ "value": value, "by-attribute": by_name(table, by_attribute) })
    };
    REGISTRY.iter().map(|entry| (entry.name.to_owned(), figure(entry))).collect()
}

fn by_name(table: &FrequencyTable, figures: Vec<f64>) -> Map<String, Value> {
    table.qis.iter().map(|qi| qi.name.clone()).zip(figures.into_iter().map(Value::from)).collect()
}

/// The metrics that the released table shows.
fn of_release(table: &FrequencyTable, release: &Release) -> Map<String, Value> {
    let mut utility = of_classes(release);
    for metric in CELL_METRICS {
        let (value, by_attribute) = released::cell_metric(*metric, release, &table.qis);
        let figure = json!({ "value": value, "by-attribute": by_name(table, by_attribute) });
        utility.insert(metric.name.into(), figure);
    }
    let levels: Option<Vec<u32>> = release.qis.iter().map(|qi| qi.level.map(u32::from)).collect();
    if let Some(levels) = levels {
        utility.insert("height".into(), levels.iter().sum::<u32>().into());
    }
    utility
}

/// The metrics of class sizes.
fn of_classes(release: &Release) -> Map<String, Value> {
    let mut utility = Map::new();
    utility.insert("discernibility".into(), released::discernibility(release).into());
    utility.insert("average-class-size".into(), released::average_class_size(release).into());
    utility
}

/// RCE as a recipient expects it, with what normalises it.
fn rce(recipe: &Resolved, table: &FrequencyTable, release: &Release) -> Value {
    let reading = match &recipe.method {
        Method::HCeiling(_, params) => params.rce,
        _ => Reading::Marginal,
    };
    let rce = released::expected_rce(release, &table.qis, reading);
    let real = (release.records() - release.counterfeits()) as f64;
    let normalised = rce / (real * reading.integrals(table.qis.len()));
    json!({ "value": rce, "normalised": normalised, "reading": reading })
}
