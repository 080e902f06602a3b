//! IPA as published: what the recipients may know of it, and every step for the custodian.

use std::path::Path;

use serde_json::{Value, json};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::method::ipa::published::{Candidate, ClassStep, Found, Published, PublishedParams};
use velamen_core::plan::Plan;
use velamen_engine::formula::escape;

use super::{Decided, Decision, full_domain};
use crate::error::JobError;
use crate::recipe::Resolved;

/// The method's name in manifests.
pub(crate) const NAME: &str = "ipa";

/// What is said in place of the paper's claim, wherever a release is described.
pub(super) const NOTICE: &str = "The published guarantee of this method does not hold: the original records are among \
     the released ones as they are, noise only adds records, and which classes exist is shown without noise. What is \
     known is the class size that was reached.";

pub(super) fn decide(
    recipe: &Resolved,
    method: &Published,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let (plan, found) = method.plan(table, &full_domain::lattice(recipe, table), context)?;
    Ok(Decision { plan: Decided::FullDomain(plan), found: super::Found::IpaPublished(found) })
}

/// The manifest's method section: the parameters. Any number of records may be suppressed.
pub(super) fn described(params: &PublishedParams) -> Value {
    json!({
        "name": NAME,
        "guarantee": "published",
        "notice": NOTICE,
        "threshold": params.threshold,
        "epsilon-suppression": params.suppression,
        "epsilon-insertion": params.insertion,
        "epsilon-value": params.value,
        "epsilon-candidates": params.candidates,
        "suppression-limit": 1.0,
    })
}

/// What came of the search, for `custodian.json`.
pub(super) fn search(found: &Found) -> Value {
    let best = found.best();
    let suppressed = found.steps.iter().filter(|step| step.is_suppressed()).count();
    json!({
        "nodes-examined": found.candidates.len(),
        "probability": best.probability,
        "ncp": best.loss.ncp,
        "emd": best.loss.emd,
        "rate": best.loss.rate,
        "information-loss": best.loss.total(),
        "classes": found.steps.len(),
        "classes-suppressed": suppressed,
        "counterfeits": found.steps.iter().map(|step| step.counterfeits).sum::<u64>(),
    })
}

/// Every step: `nodes.csv`, all nodes with their scores, and `classes.csv`, all draws for the classes of the
/// released one.
pub(super) fn record(
    folder: &Path,
    table: &FrequencyTable,
    plan: &Plan,
    found: &Found,
    ids: &[u64],
) -> Result<(), JobError> {
    let names: Vec<&str> = table.qis.iter().map(|qi| qi.name.as_str()).collect();
    let figures = ["ncp", "emd", "rate", "information-loss", "probability", "chosen"];
    let nodes = found.candidates.iter().enumerate().map(|(at, one)| node_row(one, at == found.chosen));
    write(&folder.join("nodes.csv"), &[&names[..], &figures].concat(), nodes)?;
    let drawn = ["ClassID", "records", "threshold", "suppressed", "insertion-noise", "counterfeits"];
    let classes = found.steps.iter().enumerate().map(|(class, step)| {
        let mut row = labels(table, plan, class);
        row.extend(class_row(step, plan.classes.sizes[class], ids[class]));
        row
    });
    write(&folder.join("classes.csv"), &[&names[..], &drawn].concat(), classes)
}

fn node_row(candidate: &Candidate, chosen: bool) -> Vec<String> {
    let Candidate { node, loss, probability } = candidate;
    let mut row: Vec<String> = node.0.iter().map(u8::to_string).collect();
    let figures = [loss.ncp, loss.emd, loss.rate, loss.total(), *probability];
    row.extend(figures.iter().map(f64::to_string));
    row.push(chosen.to_string());
    row
}

fn labels(table: &FrequencyTable, plan: &Plan, class: usize) -> Vec<String> {
    let values = plan.classes.codes(class).iter().zip(&table.qis).zip(&plan.node.0);
    values.map(|((&code, qi), &level)| qi.hierarchy.label(level, code).to_owned()).collect()
}

fn class_row(step: &ClassStep, records: u64, id: u64) -> [String; 6] {
    let id = if step.is_suppressed() { String::new() } else { id.to_string() };
    let noise = step.noise.map_or(String::new(), |noise| noise.to_string());
    let (threshold, counterfeits) = (step.threshold.to_string(), step.counterfeits.to_string());
    [id, records.to_string(), threshold, step.is_suppressed().to_string(), noise, counterfeits]
}

fn write(path: &Path, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<(), JobError> {
    let failed = |error: csv::Error| JobError::Io(format!("{}: cannot write: {error}", path.display()));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(header.iter().map(|name| escape(name).into_owned())).map_err(failed)?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| escape(cell).into_owned())).map_err(failed)?;
    }
    writer.flush().map_err(|error| JobError::io(path, "write", &error))
}
