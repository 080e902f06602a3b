//! Formats whose columns have names and types: Parquet, Arrow IPC and NDJSON.

use arrow_schema::{DataType, Schema};

use super::share::Reading;
use super::{Input, cells, ipc, ndjson, parquet};
use crate::encode::Worker;
use crate::error::{DataProblem, EngineError};
use crate::format::{Compression, Format};

/// The requested columns in the order in which they stand in the file.
pub(super) struct Columns {
    /// Their positions, ascending.
    pub(super) indices: Vec<usize>,
    /// Which request each answers.
    pub(super) requests: Vec<usize>,
}

/// The columns' names and types.
pub(super) fn schema(input: &Input) -> Result<Schema, EngineError> {
    match input.format.format {
        Format::Ndjson => ndjson::schema(input),
        Format::Parquet if input.format.compression != Compression::None => {
            let problem = "a Parquet file packed as a whole cannot be read; unpack it first";
            Err(EngineError::data(&input.path, DataProblem::Format(problem.into())))
        }
        Format::Parquet => parquet::schema(input),
        _ => ipc::schema(input),
    }
}

/// Reads all records on all cores.
pub(super) fn read(reading: Reading<'_>, kinds: &[DataType]) -> Result<Vec<Worker>, EngineError> {
    let mut order: Vec<usize> = (0..reading.columns.len()).collect();
    order.sort_by_key(|&request| reading.columns[request].index);
    let columns = Columns {
        indices: order.iter().map(|&request| reading.columns[request].index).collect(),
        requests: order,
    };
    for column in reading.columns {
        // Columns that were declared have no types.
        let Some(kind) = kinds.get(column.index) else { continue };
        if !cells::is_plain(kind) {
            let problem = DataProblem::NestedColumn { column: column.name.clone(), kind: name(kind) };
            return Err(EngineError::data(&reading.input.path, problem));
        }
    }
    match reading.input.format.format {
        Format::Ndjson => ndjson::read(reading),
        Format::Parquet => parquet::read(reading, &columns),
        _ => ipc::read(reading, &columns),
    }
}

/// A type's name without its parameters.
fn name(kind: &DataType) -> String {
    let text = kind.to_string();
    text.split(['(', '<']).next().unwrap_or_default().to_owned()
}
