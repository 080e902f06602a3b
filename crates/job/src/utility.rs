//! Utility figures of a release, by metric: over original and plan, or of the released table alone.

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use velamen_core::frequency::{Counted, QuasiIdentifier};
use velamen_core::plan::Plan;
use velamen_core::release::{Release, SUPPRESSED};
use velamen_search::metric::rce::integrals;
use velamen_search::metric::{CELL_METRICS, Entry, MetricOptions, Outcome, REGISTRY, Reading, released};

/// Figures by metric.
pub type UtilityFigures = Map<String, Value>;

/// All metrics, over originals and plan; `asked` is read with options of its own.
pub fn of_plan(
    table: &Counted<'_>,
    release: &Release,
    plan: &Plan,
    asked: Option<&(&'static Entry, MetricOptions)>,
) -> UtilityFigures {
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
        let options = asked.filter(|asked| asked.0.name == entry.name).map_or(&usual, |asked| &asked.1);
        let metric = (entry.bind)(table, options);
        let value = entry.value(&metric.figure(&outcome));
        let Some(by_attribute) = metric.by_attribute(&outcome) else { return value.into() };
        json!({ "value": value, "by-attribute": by_name(&table.qis, by_attribute) })
    };
    let entries: Vec<&'static Entry> = REGISTRY.iter().collect();
    let figures: Vec<Value> = entries.par_iter().map(|entry| figure(entry)).collect();
    entries.iter().map(|entry| entry.name.to_owned()).zip(figures).collect()
}

fn by_name(qis: &[QuasiIdentifier], figures: Vec<f64>) -> UtilityFigures {
    qis.iter().map(|qi| qi.name.clone()).zip(figures.into_iter().map(Value::from)).collect()
}

/// The metrics that the released table shows; `asked` is read with options of its own.
pub(crate) fn of_release(
    qis: &[QuasiIdentifier],
    release: &Release,
    asked: Option<&(&'static Entry, MetricOptions)>,
) -> UtilityFigures {
    let (mut utility, usual) = (of_classes(release), MetricOptions::default());
    for metric in CELL_METRICS {
        let options = asked.filter(|asked| asked.0.name == metric.name).map_or(&usual, |asked| &asked.1);
        let (value, by_attribute) = released::cell_metric(*metric, release, qis, options);
        let figure = json!({ "value": value, "by-attribute": by_name(qis, by_attribute) });
        utility.insert(metric.name.into(), figure);
    }
    utility.extend(released::levels(release).map(|(name, sum)| (name.to_owned(), sum.into())));
    utility
}

/// The metrics of class sizes.
pub(crate) fn of_classes(release: &Release) -> UtilityFigures {
    released::of_sizes(release).map(|(name, figure)| (name.to_owned(), figure.into())).into_iter().collect()
}

/// RCE as a recipient expects it, by name, with what normalizes it.
///
/// `values`: whether the sensitive values of suppressed records count as lost.
pub fn rce(
    qis: &[QuasiIdentifier],
    release: &Release,
    (reading, values): (Reading, bool),
) -> (String, Value) {
    let rce = released::expected_rce(release, qis, (reading, values));
    let real = (release.records() - release.counterfeits()) as f64;
    let normalised = rce / (real * integrals(reading, qis.len()));
    (released::ERROR.into(), json!({ "value": rce, "normalised": normalised, "reading": reading }))
}
