//! Records that come from elsewhere than a file, as delimited text: a database's, for example.

use std::io::Read;

use super::blocks::{Blocks, Ends};
use super::delimited::{self, Dialect};
use super::reading::Reading;
use crate::error::EngineError;
use crate::worker::Worker;

/// Records that can be read from the first to the last, more than once.
///
/// The law: as long as it is not told that nobody reads any more, every reading gives the same records.
pub trait Rows: Send + Sync {
    /// The records as CSV without a header: the columns at these positions, in this order, then one
    /// cell more that is not empty, so that no record is an empty line.
    ///
    /// # Errors
    /// If they cannot be read; the message holds no cell value.
    fn open(&self, columns: &[usize]) -> std::io::Result<Box<dyn Read + Send>>;
}

/// What workers make of all records.
pub(crate) fn read(rows: &dyn Rows, reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let indices: Vec<usize> = reading.in_file().map(|(_, column)| column.index).collect();
    let reader = rows.open(&indices).map_err(reading.file.failed("read"))?;
    // In the order in which they come; derived columns stay beyond them all.
    let mut columns = reading.columns.to_vec();
    columns.iter_mut().for_each(|column| column.index = usize::MAX);
    reading.in_file().enumerate().for_each(|(place, (request, _))| columns[request].index = place);
    let dialect = Dialect { delimiter: b',', trim: false, width: indices.len() + 1, header_lines: None };
    let blocks = Blocks::new(reader, Vec::new(), false, Ends::Delimited { delimiter: b',' });
    delimited::records(blocks, &dialect, Reading { columns: &columns, ..reading })
}
