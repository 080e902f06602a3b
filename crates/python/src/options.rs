//! What calls are asked for besides their table, as Python's dictionaries have it.

use std::path::PathBuf;

use pyo3::prelude::*;
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
pub(crate) struct Reading {
    null: Vec<String>,
    format: Option<String>,
    delimiter: Option<String>,
}

impl Reading {
    /// As the engine has it. No exception shows a cell, whatever a result shows.
    pub(crate) fn options(&self) -> Result<ReadOptions, JobError> {
        let format = self.format.as_ref().map(|format| format.parse()).transpose();
        let delimiter = match self.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([byte]) if byte.is_ascii() => Some(*byte),
            Some(_) => return Err(JobError::Usage("delimiter: expected one ASCII character".into())),
        };
        Ok(ReadOptions {
            format: format.map_err(|error| JobError::Usage(format!("format: {error}")))?,
            delimiter,
            null: self.null.clone(),
            ..ReadOptions::default()
        })
    }
}

/// Of `profile` and of the suggestion of a recipe.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Profiling {
    pub(crate) sample: Option<String>,
    pub(crate) seed: String,
    pub(crate) by: String,
    pub(crate) threshold: Option<f64>,
    pub(crate) top: Option<usize>,
    pub(crate) show_values: bool,
    pub(crate) reading: Reading,
}

/// Of `check`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Checking {
    pub(crate) data: bool,
    pub(crate) output: Option<PathBuf>,
    pub(crate) overwrite: bool,
}

/// Of `anonymize`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Anonymizing {
    pub(crate) output: Option<PathBuf>,
    pub(crate) seed: Option<String>,
    pub(crate) overwrite: bool,
    pub(crate) after: Option<PathBuf>,
}

/// Of `measure`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Measuring {
    pub(crate) qi: Vec<String>,
    pub(crate) sensitive: Vec<String>,
    pub(crate) l: Option<u32>,
    pub(crate) reading: Reading,
}

/// Of `risk`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Risking {
    pub(crate) qi: Vec<String>,
    pub(crate) population_size: Option<u64>,
    pub(crate) threshold: Option<f64>,
    pub(crate) special_uniques: usize,
    pub(crate) rows: usize,
    pub(crate) show_values: bool,
    pub(crate) reading: Reading,
}

/// Of `compare`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Comparing {
    pub(crate) only: Vec<String>,
    pub(crate) queries: u32,
    pub(crate) workload: Option<PathBuf>,
    pub(crate) show_queries: bool,
    pub(crate) target: Option<String>,
    pub(crate) classifier_records: u32,
    pub(crate) folds: u32,
    pub(crate) seed: String,
    pub(crate) reading: Reading,
}

/// Of `attack`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Attacking {
    pub(crate) attacks: Vec<String>,
    pub(crate) targets: u64,
    pub(crate) confidence: f64,
    pub(crate) background: u64,
    pub(crate) trials: u64,
    pub(crate) from_data: u64,
    pub(crate) seed: String,
    pub(crate) show_values: bool,
    pub(crate) reading: Reading,
}

/// Of `leak`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Leaking {
    pub(crate) attributes: Vec<String>,
    pub(crate) up_to: usize,
    pub(crate) top: Option<usize>,
    pub(crate) reading: Reading,
}

/// Of `audit`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Auditing {
    pub(crate) trials: u64,
    pub(crate) confidence: f64,
    pub(crate) from_data: u64,
    pub(crate) ordinary: bool,
    pub(crate) seed: Option<String>,
    pub(crate) show_values: bool,
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
