//! A temporary folder for tables and releases in memory. No message names it.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use tempfile::TempDir;
use velamen_patients::given_file;
use velamen_recipe::JobError;

use crate::error::raised;

/// A temporary folder, which is nowhere named.
pub(crate) struct Temporary {
    folder: TempDir,
    /// The tables whose files are in it.
    tables: Vec<String>,
}

impl Temporary {
    /// A new one, for tables of these names.
    pub(crate) fn new(py: Python<'_>, tables: Vec<String>) -> PyResult<Self> {
        let folder = tempfile::Builder::new().prefix("velamen-").tempdir().map_err(|error| {
            raised(py, &JobError::unusable(format!("a temporary folder: cannot write: {error}")))
        })?;
        Ok(Self { folder, tables })
    }

    /// Where the tables are.
    pub(crate) fn tables(&self) -> PathBuf {
        self.folder.path().join("tables")
    }

    /// Where a release is made that is to be in memory.
    pub(crate) fn release(&self) -> PathBuf {
        self.folder.path().join("release")
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder itself, which goes when that goes.
    pub(crate) fn into_folder(self) -> TempDir {
        self.folder
    }

    /// A text without the folder: its tables by their names.
    pub(crate) fn hidden(&self, text: &str) -> String {
        let tables = self.tables();
        let named = self.tables.iter().fold(text.to_owned(), |text, name| {
            let file = tables.join(given_file(name));
            text.replace(&*file.to_string_lossy(), &format!("table {name}"))
        });
        let named = named.replace(&*tables.to_string_lossy(), "the given tables");
        let inside = format!("{}/", self.path().display());
        named.replace(&inside, "").replace(&*self.path().to_string_lossy(), "the given tables")
    }
}
