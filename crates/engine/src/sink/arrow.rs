//! Parquet and Arrow out, through arrow-rs.
//!
//! The labels of a column are made an array once; the records are keys into it.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;
use velamen_core::context::Context;

use super::{ColumnKind, Copies, OutColumn, OutTable, batches};
use crate::error::EngineError;

/// Records written at once.
const BATCH: u64 = 1 << 16;

/// Records of a row group: several, so that readers can share a file's.
const ROW_GROUP: usize = 1 << 18;

/// Parquet, packed with zstd.
pub(super) fn write_parquet(
    table: &OutTable,
    file: File,
    path: &Path,
    context: &Context<'_>,
) -> Result<(), EngineError> {
    let mut out = ParquetOut::begin(table, file, path)?;
    for_batches(table, context, |copies| out.write(table, copies))?;
    out.finish()
}

/// A Parquet file that grows.
struct ParquetOut<'a> {
    writer: ArrowWriter<File>,
    typed: Typed,
    path: &'a Path,
}

impl<'a> ParquetOut<'a> {
    fn begin(table: &OutTable, file: File, path: &'a Path) -> Result<Self, EngineError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            // Types that only Arrow has become ones that every reader knows.
            .set_coerce_types(true)
            .build();
        let typed = Typed::new(table);
        let writer = ArrowWriter::try_new(file, Arc::clone(&typed.schema), Some(properties));
        Ok(Self { writer: writer.map_err(|error| failed(path, error))?, typed, path })
    }

    fn write(&mut self, table: &OutTable, copies: &[Copies]) -> Result<(), EngineError> {
        let batch =
            self.typed.batch(table, copies, is_text).map_err(|error| failed(self.path, error.into()))?;
        self.writer.write(&batch).map_err(|error| failed(self.path, error))
    }

    fn finish(self) -> Result<(), EngineError> {
        self.writer.close().map(drop).map_err(|error| failed(self.path, error))
    }
}

fn failed(path: &Path, error: ParquetError) -> EngineError {
    EngineError::io(path, "write")(io_of_parquet(error))
}

/// Writes records that come in parts, each part given by its codes per column, to a new Parquet file.
///
/// Memory: one part.
///
/// # Errors
/// [`EngineError::Io`], or what a part is.
pub fn stream_parquet<E: From<EngineError>>(
    columns: Vec<OutColumn>,
    parts: impl Iterator<Item = Result<Vec<Vec<u32>>, E>>,
    path: &Path,
) -> Result<(), E> {
    let file = File::create(path).map_err(EngineError::io(path, "create"))?;
    let mut table = OutTable { columns, ..OutTable::default() };
    let mut out = ParquetOut::begin(&table, file, path)?;
    for part in parts {
        table.codes = part?;
        table.counts = vec![1; table.codes.first().map_or(0, Vec::len)];
        for copies in batches(&table.counts, BATCH) {
            out.write(&table, &copies)?;
        }
    }
    Ok(out.finish()?)
}

/// An Arrow IPC file, packed with LZ4 as Feather files are.
pub(super) fn write_arrow(
    table: &OutTable,
    file: File,
    path: &Path,
    context: &Context<'_>,
) -> Result<(), EngineError> {
    let failed = |error| EngineError::io(path, "write")(io_of_arrow(error));
    let typed = Typed::new(table);
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
    let mut writer = options
        .and_then(|options| FileWriter::try_new_with_options(file, &typed.schema, options))
        .map_err(failed)?;
    for_batches(table, context, |copies| {
        let batch = typed.batch(table, copies, |_| false).map_err(failed)?;
        writer.write(&batch).map_err(failed)
    })?;
    writer.finish().map_err(failed)
}

fn for_batches(
    table: &OutTable,
    context: &Context<'_>,
    mut write: impl FnMut(&[Copies]) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let (mut written, total) = (0, table.records());
    for copies in batches(&table.counts, BATCH) {
        context.check()?;
        write(&copies)?;
        written += copies.iter().map(|copies| copies.times).sum::<u64>();
        context.progress.step("writing", written, total);
    }
    Ok(())
}

/// A table's columns with their types.
struct Typed {
    schema: Arc<Schema>,
    /// Per column, the labels as values of its type.
    labels: Vec<ArrayRef>,
}

impl Typed {
    fn new(table: &OutTable) -> Self {
        let labels: Vec<ArrayRef> = table.columns.iter().map(typed_labels).collect();
        let fields = table.columns.iter().zip(&labels);
        let fields: Vec<Field> = fields
            .map(|(column, labels)| Field::new(&column.name, labels.data_type().clone(), true))
            .collect();
        Self { schema: Arc::new(Schema::new(fields)), labels }
    }

    /// Some records; a column stays a dictionary where `keep` says so of its type.
    fn batch(
        &self,
        table: &OutTable,
        copies: &[Copies],
        keep: impl Fn(&DataType) -> bool + Sync,
    ) -> Result<RecordBatch, ArrowError> {
        let columns = self.labels.par_iter().zip(&table.codes).map(|(labels, codes)| {
            let key = |row: usize| labels.is_valid(codes[row] as usize).then_some(codes[row] as i32);
            let rows = copies.iter().flat_map(|c| std::iter::repeat_n(key(c.row), c.times as usize));
            let keys: Int32Array = rows.collect();
            let column = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(labels))?;
            let kind = labels.data_type();
            if keep(kind) { Ok(Arc::new(column) as ArrayRef) } else { cast(&column, kind) }
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, ArrowError>>()?;
        // The Parquet writer takes a dictionary for a column of its values, a batch does not.
        let fields = self.schema.fields().iter().zip(&columns);
        let fields: Vec<Field> = fields
            .map(|(field, column)| Field::new(field.name(), column.data_type().clone(), true))
            .collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
    }
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8)
}

/// The labels as values of the column's type, or as text if one of them is none.
fn typed_labels(column: &OutColumn) -> ArrayRef {
    let labels = column.labels.iter().map(|label| (!label.is_empty()).then_some(label));
    let text: ArrayRef = Arc::new(labels.collect::<StringArray>());
    let converted = match &column.kind {
        ColumnKind::Text => None,
        ColumnKind::Integer => converted(&text, &DataType::Int64),
        ColumnKind::As(kind) => converted(&text, kind),
    };
    converted.unwrap_or(text)
}

/// `None` if some label is no such value.
fn converted(text: &ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    let values = match kind {
        DataType::Dictionary(_, value) => return converted(text, value),
        // The text is in UTC; the zone only says how to show it.
        DataType::Timestamp(unit, Some(_)) => {
            let utc = cast(text, &DataType::Timestamp(*unit, Some("+00:00".into()))).ok()?;
            cast(&utc, kind).ok()?
        }
        DataType::Float16 => cast(&cast(text, &DataType::Float32).ok()?, kind).ok()?,
        kind => cast(text, kind).ok()?,
    };
    (values.logical_null_count() == text.null_count()).then_some(values)
}

fn io_of_arrow(error: ArrowError) -> std::io::Error {
    match error {
        ArrowError::IoError(_, source) => source,
        // Arrow's own message might quote a value.
        _ => std::io::Error::other("the Arrow writer failed"),
    }
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
