//! The custodian's folder: the seed, where the counterfeits are, figures over the original records.
//! Never to be published.

use std::borrow::Cow;
use std::path::Path;

use serde_json::{Value, json};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Strays};
use velamen_core::metric::Score;
use velamen_core::plan::Counterfeits;
use velamen_core::release::Release;
use velamen_core::release::certify::Finding;
use velamen_core::risk::minimality;
use velamen_engine::formula::escape;

use super::local::Clustered;
use super::{Decision, Found, iab, ipa_published, pictures};
use crate::budget::unix_seconds;
use crate::error::JobError;
use crate::folders::CUSTODIAN_FILE;
use crate::manifest::Manifest;
use crate::recipe::Target;
use crate::recipe::{Method, Resolved};

/// Writes `custodian.json`, `counterfeits.csv` and the report with the original distributions.
#[allow(clippy::too_many_arguments, reason = "the one place where everything comes together")]
pub(super) fn write(
    folder: &Path,
    recipe: &Resolved,
    manifest: &Manifest,
    findings: &[Finding],
    table: &FrequencyTable,
    release: &Release,
    decision: &Decision,
    ids: &[u64],
    context: &Context<'_>,
) -> Result<(), JobError> {
    let mut record = json!({
        "notice": "For the custodian only: never publish this folder.",
        "velamen": manifest.velamen,
        "finished-unix-seconds": unix_seconds(),
        "input": recipe.input.label(),
        "query": recipe.input.text(),
        "table": recipe.table.as_ref().map(Target::label),
        "seed": context.seed.to_hex(),
        "key": recipe.identities.key,
        "original-records": table.records(),
        "distinct-combinations": table.len(),
        "search": search(&decision.found),
        "original-figures": figures(recipe, table, &decision.found),
        "minimality-attack": attack(recipe, release),
        "checked": findings.iter().map(|f| json!({ "promise": f.promise, "asked": f.asked, "reached": f.reached, "state": f.state })).collect::<Vec<_>>(),
    });
    if recipe.method.is_private() {
        record["not-as-declared"] = strays(&table.strays);
    }
    let text = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
    super::write_text(&folder.join(CUSTODIAN_FILE), &text)?;
    counterfeits(&folder.join("counterfeits.csv"), table, decision.plan.counterfeits(), ids)?;
    nodes(&folder.join("nodes.csv"), table, &decision.found)?;
    if let (Some(plan), Found::IpaPublished(found)) = (decision.plan.full_domain(), &decision.found) {
        ipa_published::record(folder, table, plan, found, ids)?;
    }
    let page = pictures::private(manifest, findings, table, release, &record["original-figures"]);
    super::write_text(&folder.join("report.html"), &page)
}

/// The records that the table's domains do not hold.
fn strays(strays: &Strays) -> Value {
    json!({
        "quasi-identifier-outside-its-domain": strays.outside.iter().sum::<u64>(),
        "sensitive-value-outside-its-domain": strays.dropped,
        "malformed": strays.malformed,
    })
}

fn search(found: &Found) -> Value {
    match found {
        Found::HCeiling(found) => json!({
            "nodes-examined": found.examined,
            "nodes-without-safe-catalog": found.infeasible,
            "rce": found.best.rce,
            "largest-degree": found.best.degree,
            "counterfeits": found.best.counterfeits,
        }),
        Found::HCeilingLocal(found) => json!({
            "classes": found.classes,
            "rce": found.rce,
            "largest-degree": found.degree,
            "counterfeits": found.counterfeits,
        }),
        Found::FullDomain(outcome) => json!({
            "nodes-examined": outcome.found.examined,
            "value": outcome.metric.value(&outcome.found.score),
            "at-least": outcome.found.at_least.as_ref().map(|score| outcome.metric.value(score)),
        }),
        Found::LocalRecoding(found, metric) => {
            let value = |score: &Option<Score>| score.as_ref().map(|score| metric.value(score));
            json!({
                "runs": found.runs,
                "nodes-examined": found.examined,
                "value-of-one-search": value(&found.single),
                "value-repeated": value(&found.repeated),
            })
        }
        Found::Mdav(found) => {
            json!({ "clusters": found.clusters, "information-loss": found.information_loss })
        }
        Found::Clustering(clustered) => clustering(clustered),
        Found::Rows(found) => iab::search(found),
        Found::Noisy(original) => json!({
            "occupied-cells": original.occupied_cells,
            "released-cells": original.released_cells,
            "cells-of-noise-alone": original.false_cells,
            "records-in-released-cells": original.kept_records,
        }),
        Found::SafePub => Value::Null,
        Found::IpaPublished(found) => ipa_published::search(found),
        Found::Partitions(classes) => json!({ "partitions": classes }),
    }
}

/// What blocks cost, over the original records.
fn clustering(clustered: &Clustered) -> Value {
    let (found, figures) = (&clustered.found, &clustered.figures);
    let [one, two, more] = found.distinct;
    json!({
        "blocks": found.blocks,
        "blocks-by-distinct-values": { "1": one, "2": two, "3-or-more": more },
        "information-loss-of-blocks": found.block_loss,
        "conditional-entropy": figures.conditional_entropy,
        "sensitive-entropy": figures.sensitive_entropy,
        "mutual-information": figures.mutual_information,
        "distance": figures.distance(clustered.lambda),
    })
}

/// RCE over the original records, which would tell where counterfeits are.
fn figures(recipe: &Resolved, table: &FrequencyTable, found: &Found) -> Value {
    let rce = match found {
        Found::HCeiling(found) => found.best.rce,
        Found::HCeilingLocal(found) => found.rce,
        _ => return json!({}),
    };
    let Method::HCeiling(_, params, _) = &recipe.method else { return json!({}) };
    let integrals = table.records() as f64 * params.rce.integrals(table.qis.len());
    json!({ "rce": rce, "rce-normalised": rce / integrals })
}

fn attack(recipe: &Resolved, release: &Release) -> Value {
    match &recipe.method {
        Method::HCeiling(method, params, _) => {
            let exposure = minimality::attack(release, params.k, method.largest_padded());
            serde_json::to_value(exposure).unwrap_or_default()
        }
        _ => Value::Null,
    }
}

/// ClassID; sensitive value; counterfeits in that class.
fn counterfeits(
    path: &Path,
    table: &FrequencyTable,
    counterfeits: &[Counterfeits],
    ids: &[u64],
) -> Result<(), JobError> {
    let Some(sensitive) = table.rest.sensitive().next().filter(|_| !counterfeits.is_empty()) else {
        return Ok(());
    };
    let failed = |error: csv::Error| JobError::Io(format!("{}: cannot write: {error}", path.display()));
    let column = &table.rest.columns[sensitive];
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(["ClassID", &*escape(&column.name), "Count"]).map_err(failed)?;
    let mut rows: Vec<(u64, u32, u64)> = counterfeits
        .iter()
        .flat_map(|c| c.values.iter().map(|&(value, count)| (ids[c.class as usize], value, count)))
        .collect();
    rows.sort_unstable();
    for (id, value, count) in rows {
        let value = escape(&column.values[value as usize]);
        writer.write_record([&*id.to_string(), &value, &count.to_string()]).map_err(failed)?;
    }
    writer.flush().map_err(|error| JobError::io(path, "write", &error))
}

/// One row per lattice node: its levels and what it comes to, where every node was looked at.
fn nodes(path: &Path, table: &FrequencyTable, found: &Found) -> Result<(), JobError> {
    let Found::FullDomain(outcome) = found else { return Ok(()) };
    if outcome.nodes.is_empty() {
        return Ok(());
    }
    let failed = |error: csv::Error| JobError::Io(format!("{}: cannot write: {error}", path.display()));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    let names = table.qis.iter().map(|qi| escape(&qi.name));
    let figures = ["anonymous", "suppressed", "classes", outcome.metric.name].map(Cow::Borrowed);
    writer.write_record(names.chain(figures).map(Cow::into_owned)).map_err(failed)?;
    for (node, assessment) in &outcome.nodes {
        let mut row: Vec<String> = node.0.iter().map(u8::to_string).collect();
        row.push(assessment.anonymous.to_string());
        row.push(assessment.outliers.to_string());
        row.push(assessment.classes.to_string());
        row.push(outcome.metric.value(&assessment.score).to_string());
        writer.write_record(&row).map_err(failed)?;
    }
    writer.flush().map_err(|error| JobError::io(path, "write", &error))
}
