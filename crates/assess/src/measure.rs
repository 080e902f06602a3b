//! The privacy parameters that any table satisfies.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use velamen_contract::Promised;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, RestColumn, Role};
use velamen_core::hierarchy::sort_values;
use velamen_core::release::{Release, SUPPRESSED};
use velamen_engine::source::ReadOptions;
use velamen_job::estimate;
use velamen_job::flat::open_table;
use velamen_job::published::Published;
use velamen_measure::measure::{Grouped, Measures, Options, Sensitive, measure};
use velamen_recipe::{JobError, Origin};

/// Measures a table.
///
/// # Errors
/// [`JobError::usage`] if a column is missing or named twice, and what reading can give.
pub fn measure_table(
    table: &Origin,
    read: &ReadOptions,
    qis: &[String],
    sensitive: &[String],
    options: &Options,
    context: &Context<'_>,
) -> Result<Measures, JobError> {
    if let Some(both) = qis.iter().find(|name| sensitive.contains(name)) {
        return Err(JobError::usage(format!("`{both}` cannot be both a quasi-identifier and sensitive")));
    }
    for names in [qis, sensitive] {
        if let Some(again) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(JobError::usage(format!("`{}` is named twice", names[again])));
        }
    }
    let role = |name: &str| {
        if qis.iter().any(|qi| qi == name) {
            Some(Role::QuasiIdentifier)
        } else {
            sensitive.iter().any(|s| s == name).then_some(Role::Sensitive)
        }
    };
    let needed: Vec<&str> = qis.iter().chain(sensitive).map(String::as_str).collect();
    let (mut input, requests) = open_table(table, read, role, &needed)?;
    let table = estimate::read(&mut input, &requests, context)?;
    context.check()?;
    context.progress.step("measuring", 0, 0);
    let grouped = grouped(&table, sensitive);
    context.check()?;
    grouped.check().map_err(|error| JobError::data(error.to_string()))?;
    Ok(measure(&grouped, options))
}

/// What a release shows by itself.
#[derive(Debug, JsonSchema, Serialize)]
pub struct ReleaseMeasures {
    /// The privacy parameters that its classes satisfy; suppressed records belong to none.
    #[serde(flatten)]
    pub privacy: Measures,
    /// Per shield that the release promises k-anonymity of, the least records that share its values.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub shields: Map<String, Value>,
    /// The utility figures that the released table shows, by metric.
    pub utility: Map<String, Value>,
}

/// Measures a release folder: its quasi-identifiers and sensitive attributes are those of its manifest.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if the folder holds no readable release.
pub fn measure_release(
    folder: &Path,
    options: &Options,
    context: &Context<'_>,
) -> Result<ReleaseMeasures, JobError> {
    let published = Published::load(folder, None, context)?;
    context.progress.step("measuring", 0, 0);
    let grouped = released_classes(&published.release);
    grouped.check().map_err(|error| JobError::data(error.to_string()))?;
    let (shields, utility) = (shields(&published), published.figures());
    Ok(ReleaseMeasures { privacy: measure(&grouped, options), shields, utility })
}

/// By the names of a shield's attributes, its k.
fn shields(published: &Published) -> Map<String, Value> {
    let named = published.manifest.privacy.iter().filter_map(Promised::shielded);
    let names = named.map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<&str>>());
    names.map(|names| (names.join(", "), least_sharing(&published.release, &names).into())).collect()
}

fn least_sharing(release: &Release, names: &[&str]) -> Option<u64> {
    let shield: Vec<usize> =
        (0..release.qis.len()).filter(|&q| names.contains(&release.qis[q].name.as_str())).collect();
    let mut records: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for (class, size) in release.sizes.iter().enumerate() {
        let codes = shield.iter().map(|&q| release.class(class)[q]).collect();
        *records.entry(codes).or_default() += size;
    }
    records.into_values().min()
}

fn released_classes(release: &Release) -> Grouped {
    let of_column = |column: usize| {
        let mut classes = vec![Vec::new(); release.sizes.len()];
        for row in release.rows.iter().filter(|row| row.class != SUPPRESSED) {
            let code = release.rest.codes[column][row.rest as usize];
            classes[row.class as usize].push((code, row.count));
        }
        sensitive_counts(&release.rest.columns[column], classes.into_iter())
    };
    Grouped { sizes: release.sizes.clone(), sensitive: release.rest.sensitive().map(of_column).collect() }
}

/// Counts of a column's values by class; codes may come in any order and again.
fn sensitive_counts(column: &RestColumn, classes: impl Iterator<Item = Vec<(u32, u64)>>) -> Sensitive {
    let merged = |mut cells: Vec<(u32, u64)>| {
        cells.sort_unstable();
        cells.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|c| c.1).sum())).collect()
    };
    let mut values = column.values.clone();
    let numeric = sort_values(&mut values);
    Sensitive { name: column.name.clone(), values, numeric, classes: classes.map(merged).collect() }
}

/// Runs of entries with equal quasi-identifiers are the classes: entries ascend by them.
fn grouped(table: &FrequencyTable, sensitive: &[String]) -> Grouped {
    let same_class = |a: usize, b: usize| table.codes.iter().all(|column| column[a] == column[b]);
    let entries: Vec<usize> = (0..table.len()).collect();
    let classes: Vec<&[usize]> = entries.chunk_by(|&a, &b| same_class(a, b)).collect();
    let size = |class: &&[usize]| class.iter().map(|&entry| table.counts[entry]).sum();
    let of_name = |name: &String| {
        let column =
            table.rest.columns.iter().position(|c| c.name == *name).expect("every column was requested");
        let cell = |&e: &usize| (table.rest.codes[column][table.rest_index[e] as usize], table.counts[e]);
        let cells = classes.iter().map(|class| class.iter().map(cell).collect());
        sensitive_counts(&table.rest.columns[column], cells)
    };
    Grouped { sizes: classes.iter().map(size).collect(), sensitive: sensitive.iter().map(of_name).collect() }
}
