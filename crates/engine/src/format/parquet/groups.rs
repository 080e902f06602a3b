//! Row groups, or parts of them, shared between workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use velamen_core::error::Problem;

use super::delta::CheckedGroup;
use super::pages::{self, BadPages};
use crate::error::{DataProblem, EngineError};
use crate::fault::Fault;
use crate::guard::guarded;
use crate::packing;
use crate::source::cells;
use crate::source::columnar::Columns;
use crate::source::file::SourceFile;
use crate::source::form::{CountedRecords, Form, Header};
use crate::source::memo::Memo;
use crate::source::raw::Raw;
use crate::source::reading::Reading;
use crate::source::share::{PartSize, Parts, run};
use crate::worker::Worker;

/// Records decoded at once.
const BATCH: usize = 1 << 15;

/// A row group is cut only into parts of at least this many records.
const PART: usize = 1 << 16;

/// The columns and their types.
pub(super) fn header(file: &SourceFile, _: &Form) -> Result<Header, EngineError> {
    if file.compression() != packing::Compression::None {
        let problem = Problem::new("a Parquet file packed as a whole cannot be read").mend("unpack it first");
        return Err(file.refused(DataProblem::Format(problem)));
    }
    Ok(Header::typed(metadata(file)?.schema()))
}

/// The number of records, from the footer.
pub(super) fn count(reading: Reading<'_>) -> Result<CountedRecords, EngineError> {
    Ok(CountedRecords { records: records(&metadata(reading.file)?), ..CountedRecords::default() })
}

fn records(metadata: &ArrowReaderMetadata) -> u64 {
    let groups = metadata.metadata().row_groups().iter();
    groups.fold(0, |records, group| records.saturating_add(group.num_rows() as u64))
}

/// Reads all records on all cores.
pub(super) fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let columns = &Columns::of(reading)?;
    let metadata = with_dictionaries(metadata(reading.file)?);
    check_compression(reading.file, &metadata, columns)?;
    check_pages(reading.file, &metadata, columns)?;
    let levels = levels(&metadata, columns).map_err(|error| refused(reading.file, error))?;
    let file = RowGroups {
        total: records(&metadata),
        parts: parts(&metadata),
        metadata,
        levels,
        columns,
        reading,
        next: AtomicUsize::new(0),
        done: AtomicU64::new(0),
    };
    run(&file, reading, None)
}

fn metadata(file: &SourceFile) -> Result<ArrowReaderMetadata, EngineError> {
    let raw = file.raw()?;
    let loaded = guarded(|| ArrowReaderMetadata::load(&raw, ArrowReaderOptions::new()));
    let metadata = loaded.ok_or_else(|| damaged(file))?.map_err(|error| refused(file, error))?;
    // A number of records is not negative, and no file has so many.
    let most = i64::MAX / metadata.metadata().num_row_groups().max(1) as i64;
    let is_sound =
        metadata.metadata().row_groups().iter().all(|group| (0..=most).contains(&group.num_rows()));
    if is_sound { Ok(metadata) } else { Err(damaged(file)) }
}

pub(super) fn refused(file: &SourceFile, error: ParquetError) -> EngineError {
    if let ParquetError::External(inner) = error
        && let Ok(io) = inner.downcast::<std::io::Error>()
    {
        return file.failed("read")(*io);
    }
    damaged(file)
}

fn damaged(file: &SourceFile) -> EngineError {
    file.refused(DataProblem::Format(
        Problem::new("this is not a Parquet file, or it is encrypted, cut off or damaged")
            .mend("copy it again, or name its `format` under [input]"),
    ))
}

/// Text is left in the dictionaries that it has in the file.
fn with_dictionaries(metadata: ArrowReaderMetadata) -> ArrowReaderMetadata {
    let kept = |field: &Arc<Field>| match field.data_type() {
        text @ (DataType::Utf8 | DataType::LargeUtf8) => {
            let kind = DataType::Dictionary(Box::new(DataType::Int32), Box::new(text.clone()));
            Arc::new(field.as_ref().clone().with_data_type(kind))
        }
        _ => Arc::clone(field),
    };
    let schema = metadata.schema();
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(kept).collect();
    let wanted = Schema::new_with_metadata(fields, schema.metadata().clone());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(wanted));
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options).unwrap_or(metadata)
}

fn check_compression(
    file: &SourceFile,
    metadata: &ArrowReaderMetadata,
    columns: &Columns,
) -> Result<(), EngineError> {
    for chunk in metadata.metadata().row_groups().iter().flat_map(|group| group.columns()) {
        let wanted = is_wanted(chunk, metadata, columns);
        let name = match chunk.compression() {
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            _ => continue,
        };
        if wanted {
            let problem = Problem::new(format!("its columns are packed with {name}, which is not supported"))
                .mend("use zstd or snappy");
            return Err(file.refused(DataProblem::Format(problem)));
        }
    }
    Ok(())
}

/// What the columns of the table are read as.
fn levels(metadata: &ArrowReaderMetadata, columns: &Columns) -> Result<FieldLevels, ParquetError> {
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.indices.iter().copied());
    parquet_to_arrow_field_levels(metadata.parquet_schema(), mask, Some(metadata.schema().fields()))
}

/// Whether a column of the table has its cells there.
fn is_wanted(chunk: &ColumnChunkMetaData, metadata: &ArrowReaderMetadata, columns: &Columns) -> bool {
    let fields = metadata.parquet_schema().root_schema().get_fields();
    let root = chunk.column_path().parts().first();
    columns.indices.iter().any(|&index| root.is_some_and(|root| root == fields[index].name()))
}

/// Refuses pages that take more memory than they should, before they take it.
fn check_pages(
    file: &SourceFile,
    metadata: &ArrowReaderMetadata,
    columns: &Columns,
) -> Result<(), EngineError> {
    let raw = file.raw()?;
    for group in metadata.metadata().row_groups() {
        pages::check(&raw, group, |chunk| is_wanted(chunk, metadata, columns)).map_err(|bad| match bad {
            BadPages::Damaged => damaged(file),
            BadPages::Unpack => file.refused(DataProblem::Unpacks),
        })?;
    }
    Ok(())
}

/// Consecutive records of one row group.
#[derive(Clone, Copy)]
struct RowGroupPart {
    group: usize,
    offset: usize,
    len: usize,
}

fn parts(metadata: &ArrowReaderMetadata) -> Vec<RowGroupPart> {
    let groups = metadata.metadata().row_groups();
    let threads = rayon::current_num_threads();
    // With few groups each is cut, though workers then skip over what others read.
    let pieces = if groups.len() < 4 * threads { threads } else { 1 };
    let cut = |(group, rows): (usize, usize)| {
        let len = rows.div_ceil(pieces).max(PART);
        (0..rows).step_by(len).map(move |offset| RowGroupPart { group, offset, len: len.min(rows - offset) })
    };
    groups.iter().map(|group| group.num_rows() as usize).enumerate().flat_map(cut).collect()
}

struct RowGroups<'a> {
    metadata: ArrowReaderMetadata,
    levels: FieldLevels,
    columns: &'a Columns,
    reading: Reading<'a>,
    parts: Vec<RowGroupPart>,
    next: AtomicUsize,
    total: u64,
    done: AtomicU64,
}

impl Parts for RowGroups<'_> {
    type Part = RowGroupPart;
    /// The worker's own file, as clones of one would share its position.
    type Scratch = (Option<Raw>, Vec<Memo>);

    fn next(&self) -> Result<Option<(u64, RowGroupPart)>, EngineError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Ok(self.parts.get(number).map(|part| (number as u64, *part)))
    }

    fn encode(
        &self,
        part: RowGroupPart,
        worker: &mut Worker,
        (file, memos): &mut Self::Scratch,
    ) -> Result<PartSize, Fault> {
        let own = match file.take() {
            Some(file) => file,
            None => self.reading.file.raw()?,
        };
        let clone = own.try_clone().map_err(self.reading.file.failed("read"))?;
        *file = Some(own);
        let metadata = self.metadata.metadata();
        let group = CheckedGroup { file: Arc::new(clone), metadata, group: part.group };
        let rows = RowSelection::from(vec![RowSelector::skip(part.offset), RowSelector::select(part.len)]);
        let build =
            || ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, BATCH, Some(rows));
        let built = guarded(build).and_then(Result::ok);
        let mut reader = built.ok_or_else(cells::damaged)?;
        let mut records = 0;
        while let Some(batch) = guarded(|| reader.next()).unwrap_or(Some(Err(broken()))) {
            self.reading.context.check()?;
            let batch: Option<RecordBatch> = batch.ok();
            let encoded = match &batch {
                Some(batch) => cells::encode(batch.columns(), &self.columns.requests, worker, memos),
                None => Err(cells::damaged()),
            };
            encoded.map_err(|fault| fault.after(records))?;
            let rows = batch.map_or(0, |batch| batch.num_rows());
            worker.flush(rows).map_err(|fault| fault.after(records))?;
            records += rows as u64;
            let done = self.done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
            self.reading.context.progress.step("reading", done, self.total);
        }
        if records != part.len as u64 {
            return Err(cells::damaged());
        }
        Ok(PartSize { records, lines: 0 })
    }
}

/// What a reader that panicked says.
fn broken() -> ArrowError {
    ArrowError::ParquetError("damaged".into())
}
