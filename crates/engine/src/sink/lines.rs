//! Released records as lines of text, whoever writes them: formatted on all cores and written in order.

use std::io::Write;
use std::path::Path;

use rayon::prelude::*;
use velamen_core::context::Context;

use super::table::{Copies, OutTable, batches};
use crate::error::EngineError;

/// Records formatted by one task.
pub(crate) const BATCH: u64 = 1 << 14;

/// Tasks whose text is held at once.
const WAVE: usize = 16;

/// The records of a table in a format of lines; compression is left to who writes.
#[derive(Debug)]
pub struct Lines<'a> {
    /// The table.
    pub table: &'a OutTable,
    /// What stands before all records.
    pub header: Vec<u8>,
    /// Each column's cells by code, as they are written.
    pub cells: Vec<Vec<Vec<u8>>>,
    /// What stands before each record.
    pub open: &'static [u8],
    /// What stands between its cells.
    pub between: Vec<u8>,
    /// What stands behind it.
    pub close: &'static [u8],
}

impl Lines<'_> {
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
                text.extend_from_slice(&self.between);
            }
            text.extend_from_slice(&cells[codes[copies.row] as usize]);
        }
        text.extend_from_slice(self.close);
        let line = start..text.len();
        for _ in 1..copies.times {
            text.extend_from_within(line.clone());
        }
    }

    /// Writes the header and all records.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        label: &Path,
        context: &Context<'_>,
    ) -> Result<(), EngineError> {
        out.write_all(&self.header).map_err(EngineError::io(label, "write"))?;
        self.write_records(out, label, context)
    }

    /// As [`Self::write`], without the header.
    pub(crate) fn write_records(
        &self,
        out: &mut dyn Write,
        label: &Path,
        context: &Context<'_>,
    ) -> Result<(), EngineError> {
        let (mut written, total) = (0, self.records());
        let mut batches = self.batches(BATCH);
        let mut next_wave = || batches.by_ref().take(WAVE).collect::<Vec<Vec<Copies>>>();
        let format = |wave: &[Vec<Copies>]| -> Vec<Vec<u8>> {
            wave.par_iter().map(|batch| self.format(batch)).collect()
        };
        let mut wave = next_wave();
        let mut texts = format(&wave);
        while !wave.is_empty() {
            context.check()?;
            let (following, mut formatted) = (next_wave(), Vec::new());
            // What follows is formatted while this is written.
            let written_out = rayon::in_place_scope(|scope| {
                scope.spawn(|_| formatted = format(&following));
                texts.iter().try_for_each(|text| out.write_all(text))
            });
            written_out.map_err(EngineError::io(label, "write"))?;
            written += wave.iter().flatten().map(|copies| copies.times).sum::<u64>();
            context.progress.step("writing", written, total);
            (wave, texts) = (following, formatted);
        }
        Ok(())
    }

    fn format(&self, batch: &[Copies]) -> Vec<u8> {
        let mut text = Vec::with_capacity(1 << 19);
        batch.iter().for_each(|copies| self.append(*copies, &mut text));
        text
    }
}
