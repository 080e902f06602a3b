//! The command line: the wheel's command `velamen`, and `python -m velamen`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command line, the program's name first, and gives its exit code. A process does so once: threads, Ctrl-C and the log
/// belong to it.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| velamen_cli::run(arguments))
}
