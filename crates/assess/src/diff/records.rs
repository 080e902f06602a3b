//! The released records of two releases, as bags: how many stand in both, how many in one alone.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_job::flat::{open_flat, per_row, read_options};
use velamen_recipe::JobError;
use velamen_report::Manifest;

/// How the records of two releases differ. Records are compared by the columns that both have, except for the ids of
/// classes, which number them anew.
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordsDiff {
    /// The columns that were compared.
    pub columns: Vec<String>,
    /// Columns of the first release alone.
    pub columns_before: Vec<String>,
    /// Columns of the second release alone.
    pub columns_after: Vec<String>,
    /// Records that stand in both.
    pub both: u64,
    /// Records of the first release that the second does not have.
    pub only_before: u64,
    /// Records of the second release that the first does not have.
    pub only_after: u64,
}

impl RecordsDiff {
    /// Whether both have the same columns and records.
    #[must_use]
    pub fn is_same(&self) -> bool {
        let columns = self.columns_before.is_empty() && self.columns_after.is_empty();
        columns && self.only_before == 0 && self.only_after == 0
    }
}

/// Compares the records of two releases, each a folder with its manifest.
pub(super) fn diff(
    releases: [(&Path, &Manifest); 2],
    context: &Context<'_>,
) -> Result<RecordsDiff, JobError> {
    let [(first, before), (second, after)] = releases;
    Ok(of_tables(&table(first, before, context)?, &table(second, after, context)?))
}

/// The released file as it stands there.
fn table(folder: &Path, manifest: &Manifest, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
    let role = |name: &str| (name != CLASS_ID).then_some(Role::Insensitive);
    let (input, requests) =
        open_flat(&velamen_report::data_path(&manifest.data, folder)?, &read_options(manifest)?, role, &[])?;
    Ok(input.read(&requests, context)?)
}

fn of_tables(before: &FrequencyTable, after: &FrequencyTable) -> RecordsDiff {
    let names = |table: &FrequencyTable| -> Vec<String> {
        table.rest.columns.iter().map(|column| column.name.clone()).collect()
    };
    let (first, second) = (names(before), names(after));
    let (columns, columns_before): (Vec<_>, Vec<_>) =
        first.into_iter().partition(|name| second.contains(name));
    let columns_after = second.into_iter().filter(|name| !columns.contains(name)).collect();
    let mut bag: BTreeMap<Vec<&str>, [u64; 2]> = BTreeMap::new();
    for (side, table) in [before, after].into_iter().enumerate() {
        for (row, count) in rows(table, &columns) {
            bag.entry(row).or_default()[side] += count;
        }
    }
    let mut found = RecordsDiff { columns, columns_before, columns_after, ..RecordsDiff::default() };
    for [one, other] in bag.into_values() {
        found.both += one.min(other);
        found.only_before += one.saturating_sub(other);
        found.only_after += other.saturating_sub(one);
    }
    found
}

/// The cells of each distinct row, in the order of the columns that are named, and how often it occurs.
fn rows<'a>(
    table: &'a FrequencyTable,
    columns: &[String],
) -> impl Iterator<Item = (Vec<&'a str>, u64)> + use<'a> {
    let rest = &table.rest;
    let places: Vec<usize> = columns.iter().filter_map(|name| rest.position(name)).collect();
    let cell = move |column: usize, row: usize| {
        rest.columns[column].values[rest.codes[column][row] as usize].as_str()
    };
    let row = move |(row, count): (usize, u64)| {
        (places.iter().map(|&column| cell(column, row)).collect::<Vec<_>>(), count)
    };
    per_row(table).into_iter().enumerate().map(row)
}
