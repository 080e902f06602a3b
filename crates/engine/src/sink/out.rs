//! Where records are written to, and how formats of batches write them.

use std::io::Write;
use std::path::Path;

use velamen_core::context::Context;

use super::table::{Copies, OutTable, batches};
use crate::error::EngineError;

/// Records that are written at once as a batch.
pub(crate) const BATCH: u64 = 1 << 16;

/// What takes the bytes.
pub struct Out<'a> {
    /// Itself.
    pub to: &'a mut (dyn Write + Send),
    /// What messages call it.
    pub label: &'a Path,
}

/// A file of batches that grows.
pub trait BatchWriter {
    /// Adds copies of rows of a table that has the columns it was begun with.
    ///
    /// # Errors
    /// [`EngineError::Io`].
    fn write(&mut self, table: &OutTable, copies: &[Copies]) -> Result<(), EngineError>;

    /// Writes what stands at the end.
    ///
    /// # Errors
    /// [`EngineError::Io`].
    fn finish(self: Box<Self>) -> Result<(), EngineError>;
}

impl<'a> dyn BatchWriter + 'a {
    /// Adds all records of a table.
    pub(crate) fn write_all(&mut self, table: &OutTable, context: &Context<'_>) -> Result<(), EngineError> {
        let (mut written, total) = (0, table.records());
        for copies in batches(&table.counts, BATCH) {
            context.check()?;
            self.write(table, &copies)?;
            written += copies.iter().map(|copies| copies.times).sum::<u64>();
            context.progress.step("writing", written, total);
        }
        Ok(())
    }
}
