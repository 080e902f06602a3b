//! Tables read as they stand, released ones among them: no column has a hierarchy.

use std::path::Path;
use std::sync::Arc;

use velamen_checker::CLASS_ID;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Rest, Role};
use velamen_core::hierarchy::{NULL, Rule};
use velamen_engine::source::{Input, ReadOptions, is_value_like};
use velamen_engine::{ColumnRequest, Derived, FileFormat, KeptRecords};
use velamen_recipe::derived::derivations;
use velamen_recipe::kept::conditions;
use velamen_recipe::nearest::did_you_mean;
use velamen_recipe::{Code, JobError, Origin};
use velamen_report::Manifest;

/// Opens any table with the given columns as flat attributes of the given roles.
///
/// # Errors
/// [`JobError::usage`] if a column is missing.
pub fn open_flat(
    path: &Path,
    options: &ReadOptions,
    role_of: impl Fn(&str) -> Option<Role>,
    needed: &[&str],
) -> Result<(Input, Vec<ColumnRequest>), JobError> {
    flat(Input::open(path, options)?, role_of, needed)
}

/// As [`open_flat`], of a file or records in memory.
///
/// # Errors
/// As [`open_flat`].
pub fn open_table(
    table: &Origin,
    options: &ReadOptions,
    role_of: impl Fn(&str) -> Option<Role>,
    needed: &[&str],
) -> Result<(Input, Vec<ColumnRequest>), JobError> {
    flat(table.open(options)?, role_of, needed)
}

/// As [`open_flat`], of what is open.
pub fn flat(
    input: Input,
    role_of: impl Fn(&str) -> Option<Role>,
    needed: &[&str],
) -> Result<(Input, Vec<ColumnRequest>), JobError> {
    if let Some(missing) = needed.iter().find(|name| !input.columns.iter().any(|column| column == *name)) {
        let problem = format!("`{missing}` is not a column of {}", input.path().display());
        let refusal = JobError::usage(problem).mend(nearest(missing, &shown(&input)));
        return Err(refusal.coded(Code::COLUMNS));
    }
    let columns = input.columns.iter().enumerate();
    let requests = columns.filter_map(|(i, name)| Some(request(i, name, role_of(name)?))).collect();
    Ok((input, requests))
}

fn request(index: usize, name: &str, role: Role) -> ColumnRequest {
    ColumnRequest { index, name: name.into(), role, rule: Arc::new(Rule::Flat), whole_domain: false }
}

/// The names of columns that messages may show: keys of records that look like values are none, nor are names with line
/// ends, in which a quote may have caught a record.
#[must_use]
pub fn shown(input: &Input) -> Vec<String> {
    let keyed = input.format.is_keyed();
    let may_show = |name: &&String| !(keyed && is_value_like(name) || name.contains(char::is_control));
    input.columns.iter().filter(may_show).cloned().collect()
}

/// How to mend a column that is not there: the one that may have been meant, or all.
pub(crate) fn nearest(name: &str, columns: &[String]) -> String {
    let near = did_you_mean(name, columns.iter().map(String::as_str));
    near.unwrap_or_else(|| format!("its columns are: {}", columns.join(", ")))
}

/// How the manifest says the released file is to be read.
pub fn read_options(manifest: &Manifest) -> Result<ReadOptions, JobError> {
    let format: FileFormat = manifest
        .data
        .format
        .parse()
        .map_err(|error: Problem| JobError::data(error.after("release.json: data.format: ")))?;
    let delimiter = manifest.data.delimiter.as_ref().and_then(|text| text.bytes().next());
    // Without a record the lines of ndjson name no columns.
    let names = std::iter::once(CLASS_ID).chain(manifest.attributes.keys().map(String::as_str));
    let declared = (manifest.records == 0).then(|| names.map(str::to_owned).collect());
    Ok(ReadOptions {
        format: Some(format),
        delimiter,
        escaped: manifest.data.escaped,
        declared,
        // Its columns are those of the manifest.
        trusts_header: true,
        may_be_empty: manifest.records == 0,
        ..ReadOptions::default()
    })
}

/// Makes the cells of suppressed records missing values in a released table, all but those of the class ids and of
/// the quasi-identifiers, where the manifest says that they show nothing.
pub fn hide_suppressed(rest: &mut Rest, manifest: &Manifest) {
    let Some(class) = rest.position(CLASS_ID).filter(|_| manifest.suppresses_records()) else { return };
    let has_class: Vec<bool> =
        rest.columns[class].values.iter().map(|id| id.parse::<u64>().is_ok()).collect();
    let suppressed: Vec<usize> =
        (0..rest.len).filter(|&row| !has_class[rest.codes[class][row] as usize]).collect();
    for (place, column) in rest.columns.iter_mut().enumerate() {
        let is_qi = manifest.has_role(&column.name, Role::QuasiIdentifier);
        if place == class || suppressed.is_empty() || is_qi {
            continue;
        }
        let codes = &mut rest.codes[place];
        suppressed.iter().for_each(|&row| codes[row] = u32::MAX);
        // Their `*` is no value of the column; the missing one is the first in canonical order.
        let mut kept = vec![false; column.values.len()];
        codes.iter().filter(|code| **code != u32::MAX).for_each(|&code| kept[code as usize] = true);
        let mut places = vec![0; kept.len()];
        let mut values = vec![NULL.to_owned()];
        for (code, value) in std::mem::take(&mut column.values).into_iter().enumerate() {
            if kept[code] && value != NULL {
                places[code] = values.len() as u32;
                values.push(value);
            }
        }
        column.values = values;
        codes.iter_mut().for_each(|code| *code = places.get(*code as usize).copied().unwrap_or(0));
    }
}

/// How a table is read that has the records and columns which the release was made of: derived ones that it lacks follow
/// from the others as the manifest says.
///
/// # Errors
/// [`JobError::data`] if an entry of the manifest does not read.
pub fn with_derived(manifest: &Manifest, read: &ReadOptions) -> Result<ReadOptions, JobError> {
    let columns = derivations(&manifest.derived);
    let columns = columns.map_err(|problem| JobError::data(problem.after("release.json: ")))?;
    let conditions = conditions(&manifest.kept);
    let conditions = conditions.map_err(|problem| JobError::data(problem.after("release.json: where: ")))?;
    let derived = Derived { columns, where_absent: true };
    let wanted = KeptRecords { conditions, where_absent: true };
    Ok(ReadOptions { derived, wanted, ..read.clone() })
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
