//! Where a release is written before it is checked: temporary folders, or memory.

use velamen_core::context::Context;
use velamen_core::release::CatalogRow;
use velamen_engine::FileFormat;
use velamen_engine::sink::OutTable;
use velamen_engine::source::Input;
use velamen_recipe::JobError;
use velamen_report::{DataFile, Manifest};

use crate::catalog;
use crate::engine::Engine;
use crate::flat::read_options;
use crate::folders::Folders;
use crate::verify::{self, Written};

/// A place for a release.
pub(super) enum Place {
    /// Temporary folders beside those that are to be.
    Folders(Folders),
    /// The released file and the catalog.
    Memory { data: Vec<u8>, catalog: Vec<u8> },
}

impl Place {
    pub(super) fn memory() -> Self {
        Self::Memory { data: Vec::new(), catalog: Vec::new() }
    }

    /// Writes the released file; returns why parts of it had to be written again.
    pub(super) fn put_data(
        &mut self,
        engine: &Engine,
        table: &OutTable,
        file: &DataFile,
        context: &Context<'_>,
    ) -> Result<Vec<String>, JobError> {
        let format: FileFormat = file.format.parse().map_err(JobError::Data)?;
        let delimiter = file.delimiter.as_ref().and_then(|text| text.bytes().next()).unwrap_or(b',');
        match self {
            Self::Folders(folders) => {
                let path = folders.release().join(&file.file);
                let again = engine.write(table, &path, (format, delimiter), context)?;
                folders.begin_sync(&file.file);
                Ok(again)
            }
            Self::Memory { data, .. } => {
                *data = table.to_bytes(format, delimiter, context)?;
                Ok(Vec::new())
            }
        }
    }

    /// The types of the columns of what was written, in formats that have types.
    pub(super) fn types(&self, manifest: &Manifest) -> Result<Vec<String>, JobError> {
        Ok(verify::types(&self.open(manifest)?))
    }

    fn open(&self, manifest: &Manifest) -> Result<Input, JobError> {
        match self {
            Self::Folders(folders) => verify::open(folders.release(), manifest),
            Self::Memory { data, .. } => {
                let name = std::path::Path::new(&manifest.data.file);
                Ok(Input::of_bytes(name, data.clone(), &read_options(manifest)?)?)
            }
        }
    }

    /// Writes the catalog.
    pub(super) fn put_catalog(
        &mut self,
        rows: &[CatalogRow],
        sensitive: &str,
        context: &Context<'_>,
    ) -> Result<(), JobError> {
        let bytes = catalog::bytes(rows, sensitive, context)?;
        match self {
            Self::Folders(folders) => {
                let path = folders.release().join(catalog::FILE);
                std::fs::write(&path, bytes).map_err(|error| JobError::io(&path, "write", &error))
            }
            Self::Memory { catalog, .. } => {
                *catalog = bytes;
                Ok(())
            }
        }
    }

    /// What was written, read back.
    pub(super) fn written(&self, manifest: &Manifest, context: &Context<'_>) -> Result<Written, JobError> {
        let catalog = match self {
            Self::Folders(folders) => catalog::read(folders.release(), manifest)?,
            Self::Memory { catalog, .. } => catalog::of_bytes(catalog::FILE.as_ref(), catalog)?,
        };
        Written::of_run(self.open(manifest)?, catalog, context)
    }
}
