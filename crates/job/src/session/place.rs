//! Where a release is written before it is checked: temporary folders, or memory. What can be asked of a release depends
//! on its place, so that the place is part of its type.

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
use crate::verify::{self, WrittenFile};

/// The released file and the catalog, held in memory.
#[derive(Default)]
pub struct Memory {
    pub(super) data: Vec<u8>,
    pub(super) catalog: Vec<u8>,
}

/// Shows how much is held, and no byte of it.
impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memory").field("bytes", &(self.data.len() + self.catalog.len())).finish()
    }
}

/// A place for a release: [`Folders`], which are temporary until the release is published, or [`Memory`].
pub(super) trait ReleasePlace: Send {
    /// Whether what is put there is published with the custodian's folder.
    const IS_PUBLISHED: bool;

    /// Writes the released file; returns why parts of it had to be written again.
    fn put_data(
        &mut self,
        engine: &Engine,
        table: &OutTable,
        file: &DataFile,
        context: &Context<'_>,
    ) -> Result<Vec<String>, JobError>;

    /// Writes the bytes of the catalog.
    fn put_catalog(&mut self, bytes: Vec<u8>) -> Result<(), JobError>;

    /// The released file as it was written, opened for reading.
    fn open(&self, manifest: &Manifest) -> Result<Input, JobError>;

    /// The catalog as it was written; empty where there is none.
    fn catalog(&self, manifest: &Manifest) -> Result<Vec<CatalogRow>, JobError>;
}

impl ReleasePlace for Folders {
    const IS_PUBLISHED: bool = true;

    fn put_data(
        &mut self,
        engine: &Engine,
        table: &OutTable,
        file: &DataFile,
        context: &Context<'_>,
    ) -> Result<Vec<String>, JobError> {
        let path = self.release().join(&file.file);
        let again = engine.write(table, &path, form(file)?, context)?;
        self.begin_sync(&file.file);
        Ok(again)
    }

    fn put_catalog(&mut self, bytes: Vec<u8>) -> Result<(), JobError> {
        let path = self.release().join(catalog::FILE);
        std::fs::write(&path, bytes).map_err(|error| JobError::io(&path, "write", &error))
    }

    fn open(&self, manifest: &Manifest) -> Result<Input, JobError> {
        verify::open(self.release(), manifest)
    }

    fn catalog(&self, manifest: &Manifest) -> Result<Vec<CatalogRow>, JobError> {
        catalog::read(self.release(), manifest)
    }
}

impl ReleasePlace for Memory {
    const IS_PUBLISHED: bool = false;

    fn put_data(
        &mut self,
        _engine: &Engine,
        table: &OutTable,
        file: &DataFile,
        context: &Context<'_>,
    ) -> Result<Vec<String>, JobError> {
        let (format, delimiter) = form(file)?;
        self.data = table.to_bytes(format, delimiter, context)?;
        Ok(Vec::new())
    }

    fn put_catalog(&mut self, bytes: Vec<u8>) -> Result<(), JobError> {
        self.catalog = bytes;
        Ok(())
    }

    fn open(&self, manifest: &Manifest) -> Result<Input, JobError> {
        let name = std::path::Path::new(&manifest.data.file);
        Ok(Input::of_bytes(name, self.data.clone(), &read_options(manifest)?)?)
    }

    fn catalog(&self, _manifest: &Manifest) -> Result<Vec<CatalogRow>, JobError> {
        catalog::of_bytes(catalog::FILE.as_ref(), &self.catalog)
    }
}

/// The format and delimiter of a released file.
fn form(file: &DataFile) -> Result<(FileFormat, u8), JobError> {
    let format = file.format.parse().map_err(JobError::data)?;
    Ok((format, file.delimiter.as_ref().and_then(|text| text.bytes().next()).unwrap_or(b',')))
}

/// What was written to a place, read back.
pub(super) fn written<P: ReleasePlace>(
    place: &P,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<WrittenFile, JobError> {
    let catalog = place.catalog(manifest)?;
    WrittenFile::of_run(place.open(manifest)?, catalog, context)
}
