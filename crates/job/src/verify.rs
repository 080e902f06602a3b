//! Reads a release back and checks every promise with the independent checker.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::release::certify::{Finding, Published, certify};
use velamen_engine::FileFormat;
use velamen_engine::source::ReadOptions;

use crate::catalog;
use crate::error::JobError;
use crate::manifest::Manifest;
use crate::table::open_flat;

/// Checks a release folder; the findings tell which promises hold.
///
/// # Errors
/// [`JobError::Io`] or [`JobError::Data`] if the folder holds no readable release.
pub fn verify(folder: &Path, context: &Context<'_>) -> Result<Vec<Finding>, JobError> {
    let manifest = Manifest::load(folder)?;
    check(folder, &manifest, context)
}

/// Checks the file in `folder` against a manifest.
pub(crate) fn check(
    folder: &Path,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let path = folder.join(&manifest.data.file);
    let (input, requests) = open_flat(&path, &read_options(manifest)?, |_| Some(Role::Insensitive), &[])?;
    let table = input.read(&requests, context)?;
    let promises = manifest.promises(catalog::read(folder)?)?;
    let counts = per_row(&table);
    let published = Published { table: &table.rest, counts: &counts };
    certify(&published, &promises).map_err(|error| JobError::Data(format!("{}: {error}", path.display())))
}

/// How the manifest says the released file is to be read.
pub(crate) fn read_options(manifest: &Manifest) -> Result<ReadOptions, JobError> {
    let format: FileFormat = manifest
        .data
        .format
        .parse()
        .map_err(|error| JobError::Data(format!("release.json: data.format: {error}")))?;
    let delimiter = manifest.data.delimiter.as_ref().and_then(|text| text.bytes().next());
    Ok(ReadOptions { format: Some(format), delimiter, ..ReadOptions::default() })
}

/// Records by combination of the rest; where no column is a quasi-identifier that is by row.
pub(crate) fn per_row(table: &velamen_core::frequency::FrequencyTable) -> Vec<u64> {
    let mut counts = vec![0; table.rest.len];
    for (&rest, &count) in table.rest_index.iter().zip(&table.counts) {
        counts[rest as usize] += count;
    }
    counts
}
