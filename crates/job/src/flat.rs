//! Tables read as they stand, released ones among them: no column has a hierarchy.

use std::path::Path;
use std::sync::Arc;

use velamen_checker::CLASS_ID;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{ColumnRequest, Derived, FileFormat};
use velamen_recipe::JobError;
use velamen_recipe::derived::derivations;
use velamen_recipe::nearest::did_you_mean;
use velamen_report::Manifest;

/// Opens any table with the given columns as flat attributes of the given roles.
///
/// # Errors
/// [`JobError::Usage`] if a column is missing.
pub fn open_flat(
    path: &Path,
    options: &ReadOptions,
    role_of: impl Fn(&str) -> Option<Role>,
    needed: &[&str],
) -> Result<(Input, Vec<ColumnRequest>), JobError> {
    flat(Input::open(path, options)?, role_of, needed)
}

/// As [`open_flat`], of what is open.
pub fn flat(
    input: Input,
    role_of: impl Fn(&str) -> Option<Role>,
    needed: &[&str],
) -> Result<(Input, Vec<ColumnRequest>), JobError> {
    if let Some(missing) = needed.iter().find(|name| !input.columns.iter().any(|column| column == *name)) {
        let near = nearest(missing, &input.columns);
        return Err(JobError::Usage(format!("`{missing}` is no column of {}{near}", input.path().display())));
    }
    let columns = input.columns.iter().enumerate();
    let requests = columns.filter_map(|(i, name)| Some(request(i, name, role_of(name)?))).collect();
    Ok((input, requests))
}

fn request(index: usize, name: &str, role: Role) -> ColumnRequest {
    ColumnRequest { index, name: name.into(), role, rule: Arc::new(Rule::Flat), whole_domain: false }
}

/// A column that may have been meant.
pub(crate) fn nearest(name: &str, columns: &[String]) -> String {
    match did_you_mean(name, columns.iter().map(String::as_str)) {
        near if near.is_empty() => format!("; its columns are: {}", columns.join(", ")),
        near => near,
    }
}

/// How the manifest says the released file is to be read.
pub fn read_options(manifest: &Manifest) -> Result<ReadOptions, JobError> {
    let format: FileFormat = manifest
        .data
        .format
        .parse()
        .map_err(|error| JobError::Data(format!("release.json: data.format: {error}")))?;
    let delimiter = manifest.data.delimiter.as_ref().and_then(|text| text.bytes().next());
    // Without a record the lines of ndjson name no columns.
    let names = std::iter::once(CLASS_ID).chain(manifest.attributes.keys().map(String::as_str));
    let declared = (manifest.records == 0).then(|| names.map(str::to_owned).collect());
    Ok(ReadOptions {
        format: Some(format),
        delimiter,
        escaped: manifest.data.escaped,
        declared,
        may_be_empty: manifest.records == 0,
        ..ReadOptions::default()
    })
}

/// How a table is read that has the columns which the release was made of: derived ones that it lacks follow
/// from the others as the manifest says.
///
/// # Errors
/// [`JobError::Data`] if an entry of the manifest does not read.
pub fn with_derived(manifest: &Manifest, read: &ReadOptions) -> Result<ReadOptions, JobError> {
    let columns = derivations(&manifest.derived);
    let columns = columns.map_err(|problem| JobError::Data(format!("release.json: {problem}")))?;
    Ok(ReadOptions { derived: Derived { columns, where_absent: true }, ..read.clone() })
}

/// Records by combination of the rest; where no column is a quasi-identifier that is by row.
pub fn per_row(table: &FrequencyTable) -> Vec<u64> {
    let mut counts = vec![0u64; table.rest.len];
    for (&rest, &count) in table.rest_index.iter().zip(&table.counts) {
        if let Some(total) = counts.get_mut(rest as usize) {
            *total = count.saturating_add(*total);
        }
    }
    counts
}
