//! Tables to files of any format.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use velamen_core::context::Context;
use velamen_core::error::Problem;

use super::delimited;
use super::lines::Lines;
use super::out::Out;
use super::table::{OutColumn, OutTable};
use crate::error::EngineError;
use crate::format::{FileFormat, Writer};
use crate::packing::Compression;

impl OutTable {
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
        self.write_to(file, path, (format, delimiter), context)
    }

    /// The bytes of the file that [`OutTable::write`] writes.
    ///
    /// Memory: these, and as [`OutTable::write`].
    ///
    /// # Errors
    /// [`EngineError::Interrupted`].
    pub fn to_bytes(
        &self,
        format: FileFormat,
        delimiter: u8,
        context: &Context<'_>,
    ) -> Result<Vec<u8>, EngineError> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes, Path::new("memory"), (format, delimiter), context)?;
        Ok(bytes)
    }

    fn write_to(
        &self,
        out: impl Write + Send,
        label: &Path,
        (format, delimiter): (FileFormat, u8),
        context: &Context<'_>,
    ) -> Result<(), EngineError> {
        let packing = if format.format.facts.packs_itself { Compression::None } else { format.compression };
        packing.packed(out, EngineError::io(label, "write"), |to| match format.format.writer {
            Writer::Lines(lines) => lines(self, delimiter).write(to, label, context),
            Writer::Unwritten => {
                let problem = Problem::new(format!("{} files are read, not written", format.format.name))
                    .mend("choose csv or parquet");
                Err(EngineError::io(label, "write")(std::io::Error::other(problem)))
            }
            Writer::Batches(begin) => {
                let mut file = begin(self, Out { to, label })?;
                file.write_all(self, context)?;
                file.finish()
            }
        })
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
        delimited::lines(self, b',').write_records(out, label, context)
    }
}

impl FileFormat {
    /// The records of a table as lines; `None` for formats that have none.
    #[must_use]
    pub fn lines(self, table: &OutTable, delimiter: u8) -> Option<Lines<'_>> {
        match self.format.writer {
            Writer::Lines(lines) => Some(lines(table, delimiter)),
            Writer::Batches(_) | Writer::Unwritten => None,
        }
    }

    /// Writes records that come in parts, each part given by its codes per column, to a new file.
    ///
    /// Memory: one part where the format has batches, else all.
    ///
    /// # Errors
    /// [`EngineError`], or what a part is.
    pub fn write_parts<E: From<EngineError>>(
        self,
        columns: Vec<OutColumn>,
        parts: impl Iterator<Item = Result<Vec<Vec<u32>>, E>>,
        path: &Path,
        context: &Context<'_>,
    ) -> Result<(), E> {
        let mut table = OutTable { columns, ..OutTable::default() };
        let Writer::Batches(begin) = self.format.writer else {
            table.codes = vec![Vec::new(); table.columns.len()];
            for part in parts {
                table.codes.iter_mut().zip(part?).for_each(|(all, mut part)| all.append(&mut part));
            }
            table.counts = ones(&table);
            return Ok(table.write(path, self, b',', context)?);
        };
        let mut file = File::create(path).map_err(EngineError::io(path, "create"))?;
        let mut out = begin(&table, Out { to: &mut file, label: path })?;
        for part in parts {
            table.codes = part?;
            table.counts = ones(&table);
            out.write_all(&table, context)?;
        }
        Ok(out.finish()?)
    }
}

/// Each row once.
fn ones(table: &OutTable) -> Vec<u64> {
    vec![1; table.codes.first().map_or(0, Vec::len)]
}
