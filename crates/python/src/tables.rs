//! Several tables of the caller's memory: in a temporary folder for as long as they are read.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::source::Batches;
use velamen_patients::given_file;
use velamen_recipe::{JobError, Origin};

use crate::error::usage;
use crate::table::GivenTable;
use crate::temporary::Temporary;

/// The name of a table that the caller gave none.
const ONLY: &str = "persons";

/// Tables by name.
pub(crate) struct GivenTables(Vec<(String, Arc<Batches>)>);

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

    /// A temporary folder for them.
    pub(crate) fn folder(&self, py: Python<'_>) -> PyResult<Temporary> {
        Temporary::new(py, self.0.iter().map(|(name, _)| name.clone()).collect())
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
