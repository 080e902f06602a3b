//! Several tables of the caller's memory: in a temporary folder for as long as they are read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tempfile::TempDir;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::source::Batches;
use velamen_patients::given_file;
use velamen_recipe::{JobError, Origin};

use crate::error::{raised, usage};
use crate::table::GivenTable;

/// The name of a table that the caller gave none.
const ONLY: &str = "persons";

/// Tables by name.
pub(crate) struct GivenTables(Vec<(String, Arc<Batches>)>);

/// A temporary folder, which is nowhere named.
pub(crate) struct Temporary {
    folder: TempDir,
    /// The tables whose files are in it.
    tables: Vec<String>,
}

impl GivenTables {
    /// Takes a dictionary of tables, or one table.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(dict) = given.cast::<PyDict>() else {
            return Ok(Self(vec![(ONLY.into(), held(ONLY, given)?)]));
        };
        let mut tables = Vec::new();
        for (name, table) in dict {
            let name: String = name.extract()?;
            if !is_name(&name) {
                let problem = Problem::new("a table's name has no place in a file's name");
                return Err(usage(given.py(), problem.expected("letters, digits, `_` and `-`")));
            }
            let table = held(&name, &table)?;
            tables.push((name, table));
        }
        match tables.is_empty() {
            true => Err(usage(given.py(), Problem::new("no table is given").mend("give one by its name"))),
            false => Ok(Self(tables)),
        }
    }

    /// Writes them into a folder.
    pub(crate) fn write(&self, into: &Temporary, context: &Context<'_>) -> Result<(), JobError> {
        let folder = into.tables();
        std::fs::create_dir(&folder).map_err(|error| JobError::io(&folder, "make", &error))?;
        for (done, (name, batches)) in self.0.iter().enumerate() {
            context.check()?;
            context.progress.step("taking the tables", done as u64, self.0.len() as u64);
            batches.write(&folder.join(given_file(name)))?;
        }
        Ok(())
    }
}

/// Whether a file can be called so.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !name.is_empty() && name.len() < 200 && name.chars().all(fits)
}

fn held(name: &str, table: &Bound<'_, PyAny>) -> PyResult<Arc<Batches>> {
    match table.extract::<GivenTable>()?.origin {
        Origin::Batches(batches) => Ok(batches),
        _ => Err(usage(
            table.py(),
            Problem::new(format!("table `{name}` is a file beside tables in memory"))
                .mend("read it into a frame, or name all files in the recipe"),
        )),
    }
}

impl Temporary {
    /// A new one, for the tables that are given.
    pub(crate) fn new(py: Python<'_>, tables: Option<&GivenTables>) -> PyResult<Self> {
        let folder = tempfile::Builder::new().prefix("velamen-").tempdir().map_err(|error| {
            raised(py, &JobError::unusable(format!("a temporary folder: cannot write: {error}")))
        })?;
        let names = tables.into_iter().flat_map(|tables| &tables.0).map(|(name, _)| name.clone());
        Ok(Self { folder, tables: names.collect() })
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
