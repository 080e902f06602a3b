//! Tables out: a release, or any other rows of labels, to a file.

mod arrow;
mod lines;
mod text;

pub use self::arrow::stream_parquet;
pub use self::lines::{Copies, Lines};

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use velamen_core::context::Context;

use crate::error::EngineError;
use crate::format::{Compression, FileFormat, Format};
use crate::formula::escape;

/// A column to write: its name and the labels that codes stand for.
#[derive(Debug, Clone)]
pub struct OutColumn {
    /// The header.
    pub name: String,
    /// The cells by code; an empty label is a missing value.
    pub labels: Vec<String>,
    /// What the column holds in formats with types.
    pub kind: ColumnKind,
}

/// The type of a column in formats with types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ColumnKind {
    /// Text.
    #[default]
    Text,
    /// Whole numbers; every label is one or empty.
    Integer,
    /// As the input's column was: the Arrow type to cast the labels to.
    As(arrow_schema::DataType),
}

/// Rows as codes: one entry of `codes` per column and distinct row, in order.
#[derive(Debug, Clone, Default)]
pub struct OutTable {
    /// The columns.
    pub columns: Vec<OutColumn>,
    /// Per column, the code in each distinct row.
    pub codes: Vec<Vec<u32>>,
    /// How many times each distinct row is written.
    pub counts: Vec<u64>,
}

impl OutTable {
    /// The number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Keeps spreadsheets from running cells as formulas; whether any cell or name had to be changed.
    pub fn escape_formulas(&mut self) -> bool {
        let texts = self
            .columns
            .iter_mut()
            .flat_map(|column| std::iter::once(&mut column.name).chain(column.labels.iter_mut()));
        let mut changed = false;
        for text in texts {
            if let Cow::Owned(escaped) = escape(text) {
                *text = escaped;
                changed = true;
            }
        }
        changed
    }

    /// Writes all records to a new file.
    ///
    /// Memory: the codes, plus a few blocks.
    ///
    /// # Errors
    /// [`EngineError::Io`] if the file cannot be written; it may then be there in part, so write
    /// into a folder that is only renamed when all is done.
    pub fn write(
        &self,
        path: &Path,
        format: FileFormat,
        delimiter: u8,
        context: &Context<'_>,
    ) -> Result<(), EngineError> {
        let file = File::create(path).map_err(EngineError::io(path, "create"))?;
        if let Some(lines) = Lines::of(self, format, delimiter) {
            return packed(file, path, format.compression, |out| text::write(&lines, out, path, context));
        }
        match format.format {
            Format::Parquet => arrow::write_parquet(self, file, path, context),
            _ => arrow::write_arrow(self, file, path, context),
        }
    }

    /// Writes all records as CSV without a header to what is no file; `label` is what messages call it.
    ///
    /// # Errors
    /// [`EngineError::Io`] if `out` takes no more, [`EngineError::Interrupted`].
    pub fn write_records(
        &self,
        out: &mut dyn Write,
        label: &Path,
        context: &Context<'_>,
    ) -> Result<(), EngineError> {
        let csv = FileFormat { format: Format::Csv, compression: Compression::None };
        let lines = Lines::of(self, csv, b',').expect("delimited text has lines");
        text::write_records(&lines, out, label, context)
    }
}

/// Runs a writer over a file, compressed as asked, and finishes it.
fn packed(
    file: File,
    path: &Path,
    compression: Compression,
    write: impl FnOnce(&mut dyn Write) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let failed = EngineError::io(path, "write");
    match compression {
        Compression::None => {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            write(&mut out)?;
            out.flush().map_err(failed)
        }
        Compression::Gzip => {
            let mut out = flate2::write::GzEncoder::new(file, flate2::Compression::default());
            write(&mut out)?;
            out.finish().map(drop).map_err(failed)
        }
        Compression::Zstd => {
            let mut out = zstd::stream::write::Encoder::new(file, 0).map_err(&failed)?;
            write(&mut out)?;
            out.finish().map(drop).map_err(failed)
        }
    }
}

/// Cuts the rows into batches of at most `most` records.
pub(crate) fn batches(counts: &[u64], most: u64) -> impl Iterator<Item = Vec<Copies>> {
    let (mut row, mut done) = (0, 0);
    std::iter::from_fn(move || {
        let mut batch = Vec::new();
        let mut room = most;
        while room > 0 && row < counts.len() {
            let times = room.min(counts[row] - done);
            if times > 0 {
                batch.push(Copies { row, times });
            }
            room -= times;
            done += times;
            if done == counts[row] {
                (row, done) = (row + 1, 0);
            }
        }
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_every_copy_once() {
        let counts = [3, 0, 10, 1];
        let batches: Vec<Vec<(usize, u64)>> =
            batches(&counts, 4).map(|batch| batch.iter().map(|c| (c.row, c.times)).collect()).collect();
        assert_eq!(batches, [vec![(0, 3), (2, 1)], vec![(2, 4)], vec![(2, 4)], vec![(2, 1), (3, 1)]]);
    }
}
