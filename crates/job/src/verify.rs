//! Reads a release back and checks every promise with the independent checker.

use std::path::Path;

use serde_json::{Value, json};
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::release::certify::{Finding, PopulationRows, Promises, Published, certify};
use velamen_engine::FileFormat;
use velamen_engine::source::ReadOptions;

use crate::anonymize::ipa_published;
use crate::catalog;
use crate::error::JobError;
use crate::manifest::{Manifest, Promised};
use crate::table::open_flat;

/// Checks a release folder; the findings tell which promises hold. Models that look at the population
/// are checked if its table is given.
///
/// # Errors
/// [`JobError::Io`] or [`JobError::Data`] if the folder holds no readable release.
pub fn verify(
    folder: &Path,
    population: Option<&Path>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let manifest = Manifest::load(folder)?;
    let population = population.map(|path| read_population(path, &manifest, context)).transpose()?;
    let mut findings = check(folder, &manifest, population, context)?;
    let catalog = catalog::read(folder)?;
    findings.push(stated_figures(&manifest, !catalog.is_empty(), &findings));
    findings.extend(manifest.preset.as_ref().map(|preset| Finding {
        promise: "preset".into(),
        asked: json!({ "name": preset.name }),
        holds: preset.is_kept(&manifest),
        reached: json!({ "kept": preset.is_kept(&manifest) }),
    }));
    Ok(findings)
}

/// The manifest states as reached what the file shows, the same levels twice, and counterfeits only
/// under the promises of the method that makes them.
fn stated_figures(manifest: &Manifest, has_catalog: bool, findings: &[Finding]) -> Finding {
    let shown = |promise: &Promised| {
        findings.iter().find(|finding| finding.promise == promise.model && finding.asked == promise.asked)
    };
    let differs = |f: &Finding, promise: &Promised| {
        f.reached.get("not-checked").is_none() && !same(&f.reached, &promise.reached)
    };
    let wrong = |promise: &&Promised| shown(promise).is_none_or(|f| differs(f, promise));
    let mut wrong: Vec<&str> = manifest.privacy.iter().filter(wrong).map(|p| p.model.as_str()).collect();
    if !same_levels(manifest) {
        wrong.push("node");
    }
    let promised = |name: &str| manifest.privacy.iter().any(|promise| promise.model == name);
    let kept = promised("h-ceiling") && promised("catalog");
    let method = manifest.method.get("name").and_then(Value::as_str).unwrap_or_default();
    let counted = manifest.counterfeits.is_some_and(|number| number > 0);
    let made = has_catalog || counted || method == "h-ceiling";
    let untold = manifest.counterfeits.is_none() && method != ipa_published::NAME;
    if !manifest.privacy.iter().any(|promise| velamen_core::model::find(&promise.model).is_some()) {
        wrong.push("privacy");
    }
    let aggregated = manifest.attributes.values().any(|attribute| attribute["recoding"] == "aggregates");
    if (aggregated || manifest.is_noisy()) && manifest.truthful != Some(false) {
        wrong.push("truthful");
    }
    if made && !kept || untold {
        wrong.push("counterfeits");
    }
    Finding {
        promise: "manifest".into(),
        asked: json!({ "misstated": [] }),
        holds: wrong.is_empty(),
        reached: json!({ "misstated": wrong }),
    }
}

/// Whether `node` and `attributes` name the same levels, or neither names any.
fn same_levels(manifest: &Manifest) -> bool {
    let level = |name: &String| {
        manifest.attributes.get(name).map(|attribute| &attribute["level"]).filter(|l| !l.is_null())
    };
    manifest.node.iter().all(|(name, stated)| level(name) == Some(stated))
        && manifest.attributes.keys().all(|name| level(name).is_none() || manifest.node.contains_key(name))
}

/// Equal up to the last digit of decimal fractions.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-12,
            _ => a == b,
        },
    }
}

/// Checks the file in `folder` against a manifest.
pub(crate) fn check(
    folder: &Path,
    manifest: &Manifest,
    population: Option<PopulationRows>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let path = manifest.data.path(folder)?;
    let (input, requests) = open_flat(&path, &read_options(manifest)?, |_| Some(Role::Insensitive), &[])?;
    let table = input.read(&requests, context)?;
    let promises = Promises { population, ..manifest.promises(catalog::read(folder)?)? };
    let counts = per_row(&table);
    let published = Published { table: &table.rest, counts: &counts };
    certify(&published, &promises).map_err(|error| JobError::Data(format!("{}: {error}", path.display())))
}

/// The quasi-identifiers of a population's table, in the order of the promises.
fn read_population(
    path: &Path,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<PopulationRows, JobError> {
    let promises = manifest.promises(Vec::new())?;
    let names: Vec<&str> = promises.qis.iter().map(|qi| qi.name.as_str()).collect();
    let role = |name: &str| names.contains(&name).then_some(Role::Insensitive);
    let (input, requests) = open_flat(path, &ReadOptions::default(), role, &names)?;
    let table = input.read(&requests, context)?;
    let columns: Vec<usize> = names
        .iter()
        .filter_map(|name| table.rest.columns.iter().position(|column| column.name == *name))
        .collect();
    let value =
        |row: usize, c: usize| table.rest.columns[c].values[table.rest.codes[c][row] as usize].clone();
    let row = |(row, count): (usize, u64)| (columns.iter().map(|&c| value(row, c)).collect(), count);
    Ok(per_row(&table).into_iter().enumerate().map(row).collect())
}

/// How the manifest says the released file is to be read.
pub(crate) fn read_options(manifest: &Manifest) -> Result<ReadOptions, JobError> {
    let format: FileFormat = manifest
        .data
        .format
        .parse()
        .map_err(|error| JobError::Data(format!("release.json: data.format: {error}")))?;
    let delimiter = manifest.data.delimiter.as_ref().and_then(|text| text.bytes().next());
    Ok(ReadOptions {
        format: Some(format),
        delimiter,
        escaped: manifest.data.escaped,
        ..ReadOptions::default()
    })
}

/// Records by combination of the rest; where no column is a quasi-identifier that is by row.
pub(crate) fn per_row(table: &velamen_core::frequency::FrequencyTable) -> Vec<u64> {
    let mut counts = vec![0; table.rest.len];
    for (&rest, &count) in table.rest_index.iter().zip(&table.counts) {
        counts[rest as usize] += count;
    }
    counts
}
