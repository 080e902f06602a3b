//! Parquet, Arrow and NDJSON out, through arrow-rs.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use velamen_core::context::Context;

use super::OutTable;
use crate::error::{DataProblem, EngineError};

pub(super) fn write_parquet(
    _table: &OutTable,
    _file: File,
    path: &Path,
    _context: &Context<'_>,
) -> Result<(), EngineError> {
    Err(EngineError::data(path, DataProblem::Format("not yet".into())))
}

pub(super) fn write_arrow(
    _table: &OutTable,
    _file: File,
    path: &Path,
    _context: &Context<'_>,
) -> Result<(), EngineError> {
    Err(EngineError::data(path, DataProblem::Format("not yet".into())))
}

pub(super) fn write_ndjson(
    _table: &OutTable,
    _out: &mut dyn Write,
    path: &Path,
    _context: &Context<'_>,
) -> Result<(), EngineError> {
    Err(EngineError::data(path, DataProblem::Format("not yet".into())))
}
