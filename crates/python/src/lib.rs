//! The compiled part of the Python package `velamen`: it takes tables, calls `job` and `assess`, and gives JSON and
//! Arrow. What Python sees is written in `python/velamen`; no rule of the program stands in either.

mod arrow;
mod assess;
mod command;
mod error;
mod folder;
mod hierarchy;
mod json;
mod linked;
mod linked_release;
mod options;
mod recipe;
mod release;
mod released;
mod run;
mod sign;
mod synth;
mod table;
mod tables;
mod temporary;

#[cfg(feature = "toy")]
#[path = "../../../testsuite/tests/toys/operation.rs"]
mod toy;

use pyo3::prelude::pymodule;

/// Adds the operation of the tests.
#[cfg(feature = "toy")]
fn add_toy() -> pyo3::PyResult<()> {
    let added = velamen_assess::operation::OPERATIONS.add(&toy::ENTRY);
    added.map_err(|taken| pyo3::exceptions::PyValueError::new_err(taken.to_string()))
}

#[cfg(not(feature = "toy"))]
#[allow(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn add_toy() -> pyo3::PyResult<()> {
    Ok(())
}

/// The compiled part of the package `velamen`.
#[pymodule]
mod _velamen {
    #[pymodule_export]
    use super::arrow::{Records, rows};
    #[pymodule_export]
    use super::assess::{call, query, suggest};
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::error::{codes, explain};
    #[pymodule_export]
    use super::hierarchy::{hierarchy_build, hierarchy_check, hierarchy_export, hierarchy_show};
    #[pymodule_export]
    use super::linked::anonymize_linked;
    #[pymodule_export]
    use super::linked_release::LinkedRelease;
    #[pymodule_export]
    use super::recipe::{Recipe, form_text, schema};
    #[pymodule_export]
    use super::release::{anonymize, records, report, truthful, truthful_file};
    #[pymodule_export]
    use super::released::Release;
    #[pymodule_export]
    use super::sign::{new_keys, sign};
    #[pymodule_export]
    use super::synth::synth_nps;
    #[pymodule_export]
    use super::table::is_taken;

    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        super::add_toy()
    }

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
