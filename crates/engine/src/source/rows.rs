//! Records that come from elsewhere than a file, as delimited text: a database's, for example.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::blocks::{Blocks, Ends};
use super::csv::{self, Dialect};
use super::share::Reading;
use super::{Input, ReadOptions};
use crate::dictionary::{ColumnRequest, Spelling};
use crate::encode::Worker;
use crate::error::EngineError;
use crate::format::{Compression, FileFormat, Format};

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

impl Input {
    /// Records that are no file; `label` is what messages call them.
    ///
    /// # Errors
    /// [`EngineError::Data`] if a column has no name, or two have the same.
    pub fn of_rows(
        label: &Path,
        columns: Vec<String>,
        rows: Arc<dyn Rows>,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        let input = Self {
            path: label.to_owned(),
            format: FileFormat { format: Format::Csv, compression: Compression::None },
            delimiter: b',',
            columns,
            kinds: None,
            spelling: Arc::new(Spelling::of(options)),
            show_values: options.show_values,
            most: None,
            may_be_empty: options.empty_is_a_table(),
            trim: false,
            has_header: false,
            size: 0,
            state: None,
            read: Arc::new(AtomicU64::new(0)),
            rows: Some(rows),
        };
        input.check_columns()?;
        Ok(input)
    }
}

/// What workers make of all records.
pub(super) fn read(rows: &dyn Rows, reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let indices: Vec<usize> = reading.columns.iter().map(|column| column.index).collect();
    let reader = rows.open(&indices).map_err(EngineError::io(&reading.input.path, "read"))?;
    let columns = reading.columns.iter().enumerate();
    let columns: Vec<ColumnRequest> =
        columns.map(|(index, column)| ColumnRequest { index, ..column.clone() }).collect();
    let dialect = Dialect { delimiter: b',', trim: false, width: columns.len() + 1, header_lines: 0 };
    let blocks = Blocks::new(reader, Vec::new(), false, Ends::Delimited { delimiter: b',' });
    csv::read(blocks, &dialect, Reading { columns: &columns, ..reading })
}
