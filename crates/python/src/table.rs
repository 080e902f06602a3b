//! Tables that callers give: paths, data frames by Arrow's C stream, releases.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::{Field, Schema};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use tempfile::TempDir;
use velamen_core::error::Problem;
use velamen_engine::source::Batches;
use velamen_recipe::{JobError, Origin};

use crate::error::raised;
use crate::folder::Folder;
use crate::linked_release::LinkedRelease;
use crate::released::Release;

/// A table or a release's folder.
pub(crate) struct GivenTable {
    pub(crate) origin: Origin,
    /// A release in memory, for as long as its files are read.
    _held: Option<TempDir>,
}

impl<'py> FromPyObject<'_, 'py> for GivenTable {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let release = given.cast::<Release>().ok().map(|release| release.get().folder(given.py()));
        let linked =
            given.cast::<LinkedRelease>().ok().map(|release| release.get().folder(given.py(), false));
        if let Some(folder) = release.or(linked) {
            let Folder { path, held } = folder?;
            return Ok(Self { origin: path.into(), _held: held });
        }
        let origin = match given.extract::<PathBuf>() {
            Ok(path) => path.into(),
            Err(_) => batches(&given)?.into(),
        };
        Ok(Self { origin, _held: None })
    }
}

impl<'py> FromPyObject<'_, 'py> for Folder {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(release) = given.cast::<Release>() {
            return release.get().folder(given.py());
        }
        if let Ok(release) = given.cast::<LinkedRelease>() {
            return release.get().folder(given.py(), false);
        }
        let path = given.extract::<PathBuf>();
        let path = path.or_else(|_| {
            let kind = given.get_type().fully_qualified_name()?;
            Err(PyTypeError::new_err(format!(
                "{kind} is not a release: expected a Release or the path of its folder"
            )))
        });
        Ok(Self { path: path?, held: None })
    }
}

/// Whether an object can be handed over as a table.
#[pyfunction]
pub(crate) fn is_taken(table: &Bound<'_, PyAny>) -> bool {
    table.extract::<PyTable>().is_ok_and(|table| unfaithful(table.into_inner().1.as_ref()).is_none())
}

/// The records of what has `__arrow_c_stream__`, without a copy.
///
/// What the producer says when it fails can hold cells: it is not passed on.
fn batches(given: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let py = given.py();
    let kind = given.get_type().fully_qualified_name()?.to_string();
    if !given.hasattr("__arrow_c_stream__")? {
        let hint: String = calls(given, "_instead")?;
        return Err(PyTypeError::new_err(format!(
            "{kind} is no table: expected a path, or a table with __arrow_c_stream__ as polars, pandas, pyarrow and DuckDB \
             have{hint}"
        )));
    }
    let refused = |problem: Problem| Err(raised(py, &JobError::data(problem)));
    let (batches, schema) = match given.extract::<PyTable>() {
        Ok(table) => table.into_inner(),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => return Err(error),
        Err(error) => {
            let (class, hint) = (error.get_type(py).name()?, calls(given, "_hindered")?);
            return refused(Problem::new(format!(
                "{kind} cannot be handed over as Arrow ({class}){hint}; its own message is left out, since it can hold cells"
            )));
        }
    };
    if let Some(column) = unfaithful(&schema) {
        return refused(
            Problem::new(format!(
                "column `{column}` has a type of pandas of which Arrow passes numbers alone"
            ))
            .mend("cast it to text or a date before, or drop it"),
        );
    }
    if schema.fields().is_empty() {
        return refused(format!("{kind} has no column").into());
    }
    if kind.ends_with("Reader") && batches.iter().all(|batch| batch.num_rows() == 0) {
        return refused(
            Problem::new(format!("{kind} gives no record: a stream can be read once"))
                .mend("give the table itself"),
        );
    }
    Ok(Batches { schema, batches })
}

/// A column of pandas' own types, such as periods, whose meaning is lost.
fn unfaithful(schema: &Schema) -> Option<&str> {
    let own =
        |field: &&Arc<Field>| field.extension_type_name().is_some_and(|name| name.starts_with("pandas."));
    schema.fields().iter().find(own).map(|field| &**field.name())
}

/// What Python's side says of an object that was refused.
fn calls(given: &Bound<'_, PyAny>, function: &str) -> PyResult<String> {
    given.py().import("velamen._call")?.getattr(function)?.call1((given,))?.extract()
}
