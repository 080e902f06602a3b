//! Parquet, Arrow and NDJSON through arrow-rs.

use velamen_core::context::Context;

use super::Input;
use crate::dictionary::ColumnRequest;
use crate::encode::Worker;
use crate::error::{DataProblem, EngineError};

/// The names of the columns.
pub(super) fn columns(input: &Input) -> Result<Vec<String>, EngineError> {
    Err(EngineError::data(&input.path, DataProblem::Format("not yet".into())))
}

/// Reads all records on all cores.
pub(super) fn read(
    input: &Input,
    _columns: &[ColumnRequest],
    _context: &Context<'_>,
) -> Result<Vec<Worker>, EngineError> {
    Err(EngineError::data(&input.path, DataProblem::Format("not yet".into())))
}
