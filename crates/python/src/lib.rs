//! The compiled part of the Python package `velamen`: it takes tables, calls `job` and `assess`, and gives JSON and
//! Arrow. What Python sees is written in `python/velamen`; no rule of the program stands in either.

mod arrow;
mod assess;
mod error;
mod folder;
mod hierarchy;
mod json;
mod options;
mod recipe;
mod release;
mod released;
mod run;
mod sign;
mod synth;
mod table;

use pyo3::prelude::pymodule;

/// The compiled part of the package `velamen`.
#[pymodule]
mod _velamen {
    #[pymodule_export]
    use super::arrow::{Records, rows};
    #[pymodule_export]
    use super::assess::{
        attack, audit, compare, diff, estimate, explore, leak, measure, profile, query, risk, suggest,
    };
    #[pymodule_export]
    use super::error::{codes, explain};
    #[pymodule_export]
    use super::hierarchy::{hierarchy_build, hierarchy_check, hierarchy_export, hierarchy_show};
    #[pymodule_export]
    use super::recipe::{Recipe, check, form_text, schema};
    #[pymodule_export]
    use super::release::{anonymize, report, truthful, truthful_file, verify};
    #[pymodule_export]
    use super::released::Release;
    #[pymodule_export]
    use super::sign::{new_keys, sign};
    #[pymodule_export]
    use super::synth::synth_nps;
    #[pymodule_export]
    use super::table::is_taken;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
