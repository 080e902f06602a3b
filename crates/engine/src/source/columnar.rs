//! The requested columns of a table whose columns have names and types.

use arrow_schema::DataType;

use super::cells;
use super::reading::Reading;
use crate::error::{DataProblem, EngineError};

/// The requested columns in the order in which they stand in the file.
pub(crate) struct Columns {
    /// Their positions, ascending.
    pub(crate) indices: Vec<usize>,
    /// Which request each answers.
    pub(crate) requests: Vec<usize>,
}

impl Columns {
    /// # Errors
    /// [`EngineError::Data`] if cells of one have no text.
    pub(crate) fn of(reading: Reading<'_>) -> Result<Self, EngineError> {
        check(reading)?;
        let mut requests: Vec<usize> = reading.in_file().map(|(request, _)| request).collect();
        requests.sort_by_key(|&request| reading.columns[request].index);
        let indices = requests.iter().map(|&request| reading.columns[request].index).collect();
        Ok(Self { indices, requests })
    }
}

/// Refuses columns of lists, structures and bytes.
///
/// # Errors
/// [`EngineError::Data`].
pub(crate) fn check(reading: Reading<'_>) -> Result<(), EngineError> {
    for column in reading.columns {
        // Columns that were declared have no types.
        let Some(kind) = reading.kinds.and_then(|kinds| kinds.get(column.index)) else { continue };
        let is_read = cells::is_plain(kind) || reading.form.lists && cells::is_list(kind);
        if !is_read {
            let problem = DataProblem::NestedColumn { column: column.name.clone(), kind: name(kind) };
            return Err(reading.file.refused(problem));
        }
    }
    Ok(())
}

/// A type's name without its parameters.
fn name(kind: &DataType) -> String {
    if let DataType::Dictionary(_, value) = kind {
        return format!("Dictionary of {}", name(value));
    }
    let text = kind.to_string();
    text.split(['(', '<']).next().unwrap_or_default().to_owned()
}
