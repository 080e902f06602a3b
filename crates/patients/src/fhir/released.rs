//! A release's tables as files of rows or in memory, whatever they are written as.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use velamen_contract::linked::{DATA, LinkedManifest, Shape, Table};
use velamen_recipe::JobError;

use super::flatten::{Asked, Days, files_of, flattened};
use super::held::Held;
use crate::archive::Unpacked;

/// The tables of a release.
pub(crate) struct Released<'a> {
    release: &'a Path,
    flat: Option<Unpacked>,
}

impl<'a> Released<'a> {
    /// Of a release folder; resources of FHIR become tables in a temporary folder.
    ///
    /// # Errors
    /// As [`files_of`].
    pub(crate) fn of(release: &'a Path, manifest: &LinkedManifest) -> Result<Self, JobError> {
        let is_fhir = manifest.shape == Shape::Fhir;
        let flat = is_fhir.then(|| files_of(&release.join(DATA), asked()));
        let flat = flat.transpose()?;
        let released = Self { release, flat };
        if is_fhir {
            manifest
                .tables
                .iter()
                .try_for_each(|(name, table)| header(&released.file(name, table), table))?;
        }
        Ok(released)
    }

    /// The file of a table's rows.
    pub(crate) fn file(&self, name: &str, table: &Table) -> PathBuf {
        match &self.flat {
            Some(flat) => flat.folder().join(format!("{name}.csv")),
            None => self.release.join(&table.file),
        }
    }
}

/// The rows of a release's resources by kind; nothing where it has tables.
///
/// # Errors
/// As [`flattened`].
pub(crate) fn rows_of(
    release: &Path,
    manifest: &LinkedManifest,
) -> Result<Option<BTreeMap<String, Held>>, JobError> {
    let data = release.join(DATA);
    let rows = || flattened(&data, &data, asked()).map(|mut resources| resources.take_rows());
    (manifest.shape == Shape::Fhir).then(rows).transpose()
}

fn asked() -> Asked {
    Asked { days: Days::Whole, ..Asked::default() }
}

/// Writes the header of a table of which no resource is released.
fn header(file: &Path, table: &Table) -> Result<(), JobError> {
    if file.exists() {
        return Ok(());
    }
    let names: Vec<&str> = table.columns.keys().map(String::as_str).collect();
    std::fs::write(file, names.join(",") + "\n").map_err(|error| JobError::io(file, "write", &error))
}
