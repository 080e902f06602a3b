//! The truthful version of a release, for recipients.

use std::path::Path;
use velamen_core::error::Problem;
use velamen_report::OfMethod;

use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::{Rest, Role};
use velamen_core::hierarchy::TOP;
use velamen_core::release::truthful::{Remaining, TruthfulRow, truthful};
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_recipe::JobError;
use velamen_search::method::Records;

use crate::flat::{open_flat, per_row, read_options};
use crate::outputs::{self, Read};
use crate::{catalog, estimate, output_file};

/// What the truthful version came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Records written: as many as the original had, or were drawn from it.
    pub records: u64,
    /// Records whose quasi-identifiers are all `*`.
    pub suppressed: u64,
    /// Whether the release is of a random sample.
    pub sample: bool,
    /// Counterfeits that were dropped.
    pub dropped: u64,
    /// Insensitive columns that are left out: of records that are alike but for them the catalog does not say
    /// which ones are counterfeits.
    pub left_out: usize,
}

/// Writes the truthful version of a release to a file.
///
/// # Errors
/// [`JobError`] of reading the release or writing the file.
pub fn write_truthful(folder: &Path, output: &Path, context: &Context<'_>) -> Result<Summary, JobError> {
    outputs::refuse(output, &[Read::release(folder)])?;
    let format = outputs::format_of(output)?;
    outputs::refuse_existing(output)?;
    let Version { mut table, delimiter, summary } = version(folder, context)?;
    if velamen_report::load(folder)?.data.escaped && format.is_delimited() {
        table.escape_formulas();
    }
    output_file::write(output, |path| Ok(table.write(path, format, delimiter, context)?))?;
    Ok(summary)
}

/// The truthful version of a release.
pub struct Version {
    /// Its records.
    pub table: OutTable,
    /// The delimiter of the release.
    delimiter: u8,
    summary: Summary,
}

/// Makes the truthful version of a release.
///
/// # Errors
/// [`JobError`] of reading the release, or if it has no such version.
pub fn version(folder: &Path, context: &Context<'_>) -> Result<Version, JobError> {
    let manifest = velamen_report::load(folder)?;
    let counterfeits = manifest.counterfeits.ok_or_else(|| untold(folder))?;
    if manifest.is_noisy() {
        let what = if manifest.is_invented() { "invented" } else { "noisy counts" };
        let message = format!("the records are {what}, of which no truthful version exists");
        return Err(JobError::usage(format!("{}: {message}", folder.display())));
    }
    let moved = manifest.facts().records == Records::Relocated;
    if moved || manifest.truthful == Some(false) {
        let message = "the method changes values: they are means, or another group's, of which no truthful version exists";
        return Err(JobError::usage(format!("{}: {message}", folder.display())));
    }
    let rows = catalog::read(folder, &manifest)?;
    let promises = manifest.promises(rows.clone())?;
    let path = velamen_report::data_path(&manifest.data, folder)?;
    let (mut input, requests) =
        open_flat(&path, &read_options(&manifest)?, |_| Some(Role::Insensitive), &[CLASS_ID])?;
    let table = estimate::read(&mut input, &requests, context)?;
    let counts = per_row(&table);
    let position = |name: &str| table.rest.columns.iter().position(|column| column.name == name);
    let class = position(CLASS_ID).expect("the column was asked for");
    let sensitive = promises.sensitive.as_deref().and_then(position);
    let class_id =
        |row: usize| table.rest.columns[class].values[table.rest.codes[class][row] as usize].parse().ok();
    let seen: Vec<TruthfulRow> = (0..table.rest.len)
        .map(|row| TruthfulRow {
            class: class_id(row),
            sensitive: sensitive.map_or(0, |s| table.rest.codes[s][row]),
            count: counts[row],
        })
        .collect();
    let values = sensitive.map_or(&[][..], |s| &table.rest.columns[s].values);
    let remaining = truthful(&seen, &rows, values);
    let qis: Vec<usize> = promises.qis.iter().filter_map(|qi| position(&qi.name)).collect();
    let mut out = applied(&table.rest, &remaining, class, &qis);
    let told = |column: usize| column == class || qis.contains(&column) || Some(column) == sensitive;
    let left_out = if counterfeits > 0 { keep(&mut out, told) } else { 0 };
    if out.records().checked_add(counterfeits) != Some(manifest.records) {
        let message = Problem::new("the catalog does not account for the counterfeits of the data")
            .mend("see `velamen verify`");
        return Err(JobError::promise(message.after(&format!("{}: ", folder.display()))));
    }
    let summary = Summary {
        records: out.records(),
        sample: manifest.is_sampled(),
        suppressed: remaining.iter().map(|left| left.suppressed).sum(),
        dropped: rows.iter().fold(0, |all, row| all.saturating_add(row.count)),
        left_out,
    };
    Ok(Version { table: out, delimiter: input.delimiter, summary })
}

/// The rows that remain: those that are kept, then those that are suppressed.
fn applied(rest: &Rest, remaining: &[Remaining], class: usize, qis: &[usize]) -> OutTable {
    let mut out = OutTable { columns: columns(rest, class, qis), ..OutTable::default() };
    let stars: Vec<u32> = out.columns.iter().map(|column| column.labels.len() as u32 - 1).collect();
    out.codes = vec![Vec::new(); out.columns.len()];
    for (row, left) in remaining.iter().enumerate() {
        push(&mut out, left.kept, |column| rest.codes[column][row]);
    }
    for (row, left) in remaining.iter().enumerate() {
        let hidden = |column| column == class || qis.contains(&column);
        push(&mut out, left.suppressed, |c| if hidden(c) { stars[c] } else { rest.codes[c][row] });
    }
    out
}

fn untold(folder: &Path) -> JobError {
    JobError::data(format!(
        "{}: the method does not tell its counterfeits, so that no version without them can be made",
        folder.display()
    ))
}

/// Keeps some columns; returns how many are left out.
fn keep(out: &mut OutTable, wanted: impl Fn(usize) -> bool) -> usize {
    let all = out.columns.len();
    let (columns, codes) = (std::mem::take(&mut out.columns), std::mem::take(&mut out.codes));
    for (_, (column, codes)) in columns.into_iter().zip(codes).enumerate().filter(|(at, _)| wanted(*at)) {
        out.columns.push(column);
        out.codes.push(codes);
    }
    all - out.columns.len()
}

/// The released columns with one label more for what is hidden: no class, or `*`.
fn columns(rest: &Rest, class: usize, qis: &[usize]) -> Vec<OutColumn> {
    let labels = |column: usize| {
        let hidden = if column == class { "" } else { TOP };
        let extra = (column == class || qis.contains(&column)).then(|| hidden.to_owned());
        rest.columns[column].values.iter().cloned().chain(extra).collect()
    };
    (0..rest.columns.len())
        .map(|column| OutColumn {
            name: rest.columns[column].name.clone(),
            labels: labels(column),
            kind: if column == class { ColumnKind::Integer } else { ColumnKind::Text },
        })
        .collect()
}

fn push(out: &mut OutTable, count: u64, code: impl Fn(usize) -> u32) {
    if count > 0 {
        for (column, codes) in out.codes.iter_mut().enumerate() {
            codes.push(code(column));
        }
        out.counts.push(count);
    }
}
