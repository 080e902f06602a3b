//! The privacy parameters that any table satisfies.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::sort_values;
use velamen_core::measure::{Grouped, Measures, Options, Sensitive, measure};
use velamen_engine::source::ReadOptions;

use crate::error::JobError;
use crate::table::open_flat;

/// Measures a table's file.
///
/// # Errors
/// [`JobError::Usage`] if a column is missing or named twice, and what reading can give.
pub fn measure_file(
    path: &Path,
    read: &ReadOptions,
    qis: &[String],
    sensitive: &[String],
    options: &Options,
    context: &Context<'_>,
) -> Result<Measures, JobError> {
    if let Some(both) = qis.iter().find(|name| sensitive.contains(name)) {
        return Err(JobError::Usage(format!("`{both}` cannot be both a quasi-identifier and sensitive")));
    }
    for names in [qis, sensitive] {
        if let Some(again) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(JobError::Usage(format!("`{}` is named twice", names[again])));
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
    let (input, requests) = open_flat(path, read, role, &needed)?;
    let table = input.read(&requests, context)?;
    let grouped = grouped(&table, sensitive);
    grouped.check().map_err(|error| JobError::Data(error.to_string()))?;
    Ok(measure(&grouped, options))
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
        let cells = |class: &&[usize]| {
            let mut cells: Vec<(u32, u64)> = class
                .iter()
                .map(|&e| (table.rest.codes[column][table.rest_index[e] as usize], table.counts[e]))
                .collect();
            cells.sort_unstable();
            cells.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|c| c.1).sum())).collect()
        };
        let mut values = table.rest.columns[column].values.clone();
        let numeric = sort_values(&mut values);
        Sensitive { name: name.clone(), values, numeric, classes: classes.iter().map(cells).collect() }
    };
    Grouped { sizes: classes.iter().map(size).collect(), sensitive: sensitive.iter().map(of_name).collect() }
}
