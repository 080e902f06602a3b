//! What calls are asked for besides their table, as Python's dictionaries have it.

use std::path::PathBuf;

use pyo3::prelude::*;
use velamen_assess::operation;
use velamen_engine::source::ReadOptions;
use velamen_recipe::JobError;

/// Threads and who is told of progress.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Common {
    /// How many threads work; as many as there are cores when left out.
    pub(crate) threads: Option<u16>,
    /// Called with step, done and total.
    pub(crate) progress: Option<Py<PyAny>>,
}

/// How a table is to be read that no recipe describes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ReadingOptions {
    null: Vec<String>,
    format: Option<String>,
    delimiter: Option<String>,
}

impl ReadingOptions {
    /// As the engine has it. No exception shows a cell, whatever a result shows.
    pub(crate) fn options(&self) -> Result<ReadOptions, JobError> {
        let Self { null, format, delimiter } = self;
        let (null, format, delimiter) = (null.clone(), format.clone(), delimiter.clone());
        operation::Reading { null, format, delimiter, ..operation::Reading::default() }.options()
    }
}

/// Of `anonymize`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Anonymizing {
    pub(crate) output: Option<PathBuf>,
    pub(crate) seed: Option<String>,
    pub(crate) overwrite: bool,
    pub(crate) after: Option<PathBuf>,
    pub(crate) redraw: bool,
}

/// Of `query`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Querying {
    pub(crate) as_released: bool,
    pub(crate) groups: usize,
    pub(crate) memory: usize,
    pub(crate) seconds: f64,
}
