//! Parquet files, packed with zstd. The columns of a row group are encoded on all cores; the bytes are those of one.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory, compute_leaves,
};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;

use super::groups::refused;
use crate::error::EngineError;
use crate::sink::out::{self, BatchWriter, Out};
use crate::sink::table::{Copies, OutTable};
use crate::sink::typed::{self, Typed};
use crate::source::file::SourceFile;

/// Records of a row group: several groups, so that readers can share a file's.
const ROW_GROUP: usize = 1 << 18;

fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        // Types that only Arrow has become ones that every reader knows.
        .set_coerce_types(true)
        .build()
}

/// A row group that grows.
struct Group {
    columns: Vec<ArrowColumnWriter>,
    rows: usize,
}

/// A file that grows, the bytes of which [`ArrowWriter`] would write: it encodes one column after the other.
struct GroupWriter<'a> {
    file: SerializedFileWriter<&'a mut (dyn Write + Send)>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    group: Option<Group>,
}

impl<'a> GroupWriter<'a> {
    fn new(to: &'a mut (dyn Write + Send), schema: SchemaRef) -> ParquetResult<Self> {
        let writer = ArrowWriter::try_new(to, Arc::clone(&schema), Some(properties()))?;
        let (file, factory) = writer.into_serialized_writer()?;
        Ok(Self { file, factory, schema, group: None })
    }

    /// Adds a batch, cut where a row group is full.
    fn write(&mut self, batch: &RecordBatch) -> ParquetResult<()> {
        let mut at = 0;
        while at < batch.num_rows() {
            let mut group = match self.group.take() {
                Some(group) => group,
                None => self.begun()?,
            };
            let rows = (ROW_GROUP - group.rows).min(batch.num_rows() - at);
            group.write(&self.schema, &batch.slice(at, rows))?;
            at += rows;
            self.group = Some(group);
            self.end_full()?;
        }
        Ok(())
    }

    fn begun(&self) -> ParquetResult<Group> {
        let number = self.file.flushed_row_groups().len();
        Ok(Group { columns: self.factory.create_column_writers(number)?, rows: 0 })
    }

    fn end_full(&mut self) -> ParquetResult<()> {
        match self.group.take_if(|group| group.rows == ROW_GROUP) {
            Some(full) => self.end(full),
            None => Ok(()),
        }
    }

    fn end(&mut self, group: Group) -> ParquetResult<()> {
        let mut to = self.file.next_row_group()?;
        for chunk in group.closed()? {
            chunk.append_to_row_group(&mut to)?;
        }
        to.close().map(drop)
    }

    fn close(mut self) -> ParquetResult<()> {
        if let Some(last) = self.group.take() {
            self.end(last)?;
        }
        self.file.close().map(drop)
    }
}

impl Group {
    fn write(&mut self, schema: &SchemaRef, batch: &RecordBatch) -> ParquetResult<()> {
        let fields = schema.fields().par_iter().zip(batch.columns());
        let leaves: Vec<Vec<ArrowLeafColumn>> =
            fields.map(|(field, column)| compute_leaves(field, column)).collect::<ParquetResult<_>>()?;
        let leaves: Vec<ArrowLeafColumn> = leaves.into_iter().flatten().collect();
        self.rows += batch.num_rows();
        self.columns.par_iter_mut().zip(leaves).try_for_each(|(column, leaf)| column.write(&leaf))
    }

    fn closed(self) -> ParquetResult<Vec<ArrowColumnChunk>> {
        self.columns.into_par_iter().map(ArrowColumnWriter::close).collect()
    }
}

/// A file that grows by a table's rows.
struct ParquetOut<'a> {
    writer: GroupWriter<'a>,
    typed: Typed,
    label: &'a Path,
}

/// Writes the records of a file again, in batches of as many as [`begin`]'s are written in.
pub(super) fn rewrite(file: &SourceFile, _: u8, out: Out<'_>) -> Result<(), EngineError> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file.raw()?).map_err(|error| refused(file, error))?;
    let schema = Arc::new(typed::bare(reader.schema()));
    let reader = reader.with_batch_size(out::BATCH as usize).build().map_err(|error| refused(file, error))?;
    let writer = GroupWriter::new(out.to, Arc::clone(&schema));
    let mut writer = writer.map_err(|error| failed(out.label, error))?;
    for batch in reader {
        let columns = batch.map_err(|error| refused(file, error.into()))?.columns().to_vec();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns);
        let written = batch.map_err(ParquetError::from).and_then(|batch| writer.write(&batch));
        written.map_err(|error| failed(out.label, error))?;
    }
    writer.close().map_err(|error| failed(out.label, error))
}

pub(super) fn begin<'a>(table: &OutTable, out: Out<'a>) -> Result<Box<dyn BatchWriter + 'a>, EngineError> {
    let typed = Typed::new(table);
    let writer = GroupWriter::new(out.to, Arc::clone(&typed.schema));
    let writer = writer.map_err(|error| failed(out.label, error))?;
    Ok(Box::new(ParquetOut { writer, typed, label: out.label }))
}

impl BatchWriter for ParquetOut<'_> {
    fn write(&mut self, table: &OutTable, copies: &[Copies]) -> Result<(), EngineError> {
        let batch = self.typed.batch(table, copies, is_text);
        let batch = batch.map_err(|error| failed(self.label, error.into()))?;
        self.writer.write(&batch).map_err(|error| failed(self.label, error))
    }

    fn finish(self: Box<Self>) -> Result<(), EngineError> {
        self.writer.close().map_err(|error| failed(self.label, error))
    }
}

fn failed(label: &Path, error: ParquetError) -> EngineError {
    EngineError::io(label, "write")(io_of_parquet(error))
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8)
}

fn io_of_parquet(error: ParquetError) -> std::io::Error {
    let failed = || std::io::Error::other("the Parquet writer failed");
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(io) => *io,
            Err(_) => failed(),
        },
        _ => failed(),
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int64Array, StringArray};
    use arrow_schema::{Field, Schema};

    use super::*;

    fn table(rows: usize) -> RecordBatch {
        let texts: StringArray =
            (0..rows).map(|row| (row % 7 > 0).then(|| format!("t{}", row % 1000))).collect();
        let numbers: Int64Array = (0..rows as i64).map(|row| (row % 5 > 0).then_some(row * row)).collect();
        let fields = [Field::new("text", DataType::Utf8, true), Field::new("number", DataType::Int64, true)];
        RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), vec![Arc::new(texts), Arc::new(numbers)])
            .unwrap()
    }

    #[test]
    fn the_bytes_are_those_of_one_core() {
        let whole = table(ROW_GROUP + 4321);
        for step in [100_000, whole.num_rows()] {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let mut writer = GroupWriter::new(&mut ours, whole.schema()).unwrap();
            let mut library = ArrowWriter::try_new(&mut theirs, whole.schema(), Some(properties())).unwrap();
            for at in (0..whole.num_rows()).step_by(step) {
                let batch = whole.slice(at, step.min(whole.num_rows() - at));
                writer.write(&batch).unwrap();
                library.write(&batch).unwrap();
            }
            writer.close().unwrap();
            library.close().unwrap();
            assert!(ours == theirs, "batches of {step}");
        }
    }

    #[test]
    fn a_table_without_records_is_a_file() {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        GroupWriter::new(&mut ours, table(0).schema()).unwrap().close().unwrap();
        ArrowWriter::try_new(&mut theirs, table(0).schema(), Some(properties())).unwrap().close().unwrap();
        assert_eq!(ours, theirs);
    }
}
