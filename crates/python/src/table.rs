//! Tables that callers give: paths, data frames by Arrow's C stream, releases.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use tempfile::TempDir;
use velamen_engine::source::Batches;
use velamen_recipe::{JobError, Origin};

use crate::error::raised;
use crate::release::Release;

/// A table or a release's folder.
pub(crate) struct Table {
    pub(crate) origin: Origin,
    /// A release in memory, for as long as its files are read.
    _held: Option<TempDir>,
}

impl<'py> FromPyObject<'_, 'py> for Table {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(release) = given.cast::<Release>() {
            let Folder { path, held } = release.get().folder(given.py())?;
            return Ok(Self { origin: path.into(), _held: held });
        }
        let origin = match given.extract::<PathBuf>() {
            Ok(path) => path.into(),
            Err(_) => batches(&given)?.into(),
        };
        Ok(Self { origin, _held: None })
    }
}

/// A folder with a release's files, made for as long as it is held where the release is in memory.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) held: Option<TempDir>,
}

impl<'py> FromPyObject<'_, 'py> for Folder {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.cast::<Release>() {
            Ok(release) => release.get().folder(given.py()),
            Err(_) => Ok(Self { path: given.extract()?, held: None }),
        }
    }
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The records of what has `__arrow_c_stream__`, without a copy.
///
/// What the producer says when it fails can hold cells: it is not passed on.
fn batches(given: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let kind = given.get_type().fully_qualified_name()?;
    if !given.hasattr("__arrow_c_stream__")? {
        return Err(PyTypeError::new_err(format!(
            "{kind} is no table: expected a path, or a table with __arrow_c_stream__ as polars, pandas, pyarrow and DuckDB have"
        )));
    }
    let (batches, schema) = match given.extract::<PyTable>() {
        Ok(table) => table.into_inner(),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(given.py()) => {
            return Err(error);
        }
        Err(error) => {
            let class = error.get_type(given.py()).name()?;
            let problem = format!(
                "{kind} cannot be handed over as Arrow ({class}); its own message is left out, since it can hold cells: a \
                 column that mixes types, or a package that is missing (pandas needs pyarrow), are the usual causes"
            );
            return Err(raised(given.py(), &JobError::Data(problem)));
        }
    };
    Ok(Batches { schema, batches })
}
