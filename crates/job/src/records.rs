//! The records of a released file as Arrow batches, in the order of the file.

use std::path::Path;

use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_engine::format::IN_MEMORY;
use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
use velamen_engine::source::{Batches, Input};
use velamen_recipe::JobError;
use velamen_report::Manifest;

use crate::flat::{flat, read_options};

/// The records of a release's folder. Columns have the types of the file; of text formats they are text.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if the folder holds no readable release.
pub fn records(folder: &Path, context: &Context<'_>) -> Result<Batches, JobError> {
    let manifest = velamen_report::load(folder)?;
    in_order(
        Input::open(&velamen_report::data_path(&manifest.data, folder)?, &read_options(&manifest)?)?,
        context,
    )
}

/// The records of a released file's bytes, as its manifest describes them.
///
/// # Errors
/// [`JobError::data`] if these are not such a file.
pub fn records_of(manifest: &Manifest, bytes: Vec<u8>, context: &Context<'_>) -> Result<Batches, JobError> {
    if manifest.data.format == IN_MEMORY.format.name {
        return Ok(Batches::of_arrow(bytes)?);
    }
    let name = Path::new(&manifest.data.file);
    in_order(Input::of_bytes(name, bytes, &read_options(manifest)?)?, context)
}

fn in_order(input: Input, context: &Context<'_>) -> Result<Batches, JobError> {
    let (input, requests) = flat(input, |_| Some(Role::Insensitive), &[])?;
    let ordered = input.read_in_order(&requests, context)?;
    let kinds = input.kinds();
    let kind = |column: usize| match &kinds {
        Some(kinds) => ColumnKind::As(kinds[column].clone()),
        None if input.columns[column] == CLASS_ID => ColumnKind::Integer,
        None => ColumnKind::Text,
    };
    let columns = ordered.values.into_iter().enumerate();
    let columns = columns.map(|(column, labels)| OutColumn {
        name: input.columns[column].clone(),
        labels,
        kind: kind(column),
    });
    let records = ordered.codes.first().map_or(0, Vec::len);
    let table = OutTable { columns: columns.collect(), codes: ordered.codes, counts: vec![1; records] };
    Ok(Batches::of_arrow(table.to_bytes(IN_MEMORY, b',', context)?)?)
}
