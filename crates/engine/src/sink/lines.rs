//! Released records as lines of text, whoever writes them.

use super::text::{json_cells, quote};
use super::{OutColumn, OutTable, batches};
use crate::format::{FileFormat, Format};

/// A run of copies of one distinct row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// The row.
    pub row: usize,
    /// How often it is written.
    pub times: u64,
}

/// The records of a table in a format of lines.
pub struct Lines<'a> {
    table: &'a OutTable,
    /// What stands before all records.
    header: Vec<u8>,
    /// Each column's cells by code, as they are written.
    cells: Vec<Vec<Vec<u8>>>,
    open: &'static [u8],
    between: u8,
    close: &'static [u8],
}

impl<'a> Lines<'a> {
    /// `None` for formats that have no lines; compression is left to who writes.
    #[must_use]
    pub fn of(table: &'a OutTable, format: FileFormat, delimiter: u8) -> Option<Self> {
        let delimiter = if format.format == Format::Tsv { b'\t' } else { delimiter };
        match format.format {
            Format::Csv | Format::Tsv => Some(Self::delimited(table, delimiter)),
            Format::Ndjson => {
                let cells = table.columns.iter().map(json_cells).collect();
                Some(Self { table, header: Vec::new(), cells, open: b"{", between: b',', close: b"}\n" })
            }
            Format::Parquet | Format::Arrow => None,
        }
    }

    fn delimited(table: &'a OutTable, delimiter: u8) -> Self {
        let cells = |column: &OutColumn| column.labels.iter().map(|label| quote(label, delimiter)).collect();
        let names: Vec<Vec<u8>> = table.columns.iter().map(|column| quote(&column.name, delimiter)).collect();
        let mut header = names.join(&delimiter);
        header.push(b'\n');
        let cells = table.columns.iter().map(cells).collect();
        Self { table, header, cells, open: b"", between: delimiter, close: b"\n" }
    }

    /// What stands before all records.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The number of records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.table.records()
    }

    /// All records in their order, cut into batches of at most `most`.
    pub fn batches(&self, most: u64) -> impl Iterator<Item = Vec<Copies>> {
        batches(&self.table.counts, most)
    }

    /// Appends the copies of a row.
    pub fn append(&self, copies: Copies, text: &mut Vec<u8>) {
        let start = text.len();
        text.extend_from_slice(self.open);
        for (column, (cells, codes)) in self.cells.iter().zip(&self.table.codes).enumerate() {
            if column > 0 {
                text.push(self.between);
            }
            text.extend_from_slice(&cells[codes[copies.row] as usize]);
        }
        text.extend_from_slice(self.close);
        let line = start..text.len();
        for _ in 1..copies.times {
            text.extend_from_within(line.clone());
        }
    }
}
