//! Parquet: row groups, or parts of them, shared between workers.

use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;

use super::Input;
use super::cells::{self, Memo};
use super::columnar::Columns;
use super::share::{Fault, Parts, Reading, Size, run};
use crate::encode::Worker;
use crate::error::{DataProblem, EngineError};

/// Records decoded at once.
const BATCH: usize = 1 << 15;

/// A row group is cut only into parts of at least this many records.
const PART: usize = 1 << 16;

/// The columns' types.
pub(super) fn schema(input: &Input) -> Result<Schema, EngineError> {
    Ok(metadata(input)?.schema().as_ref().clone())
}

/// The number of records, from the footer.
pub(super) fn records(input: &Input) -> Result<u64, EngineError> {
    let metadata = metadata(input)?;
    Ok(metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64).sum())
}

/// Reads all records on all cores.
pub(super) fn read(reading: Reading<'_>, columns: &Columns) -> Result<Vec<Worker>, EngineError> {
    let metadata = with_dictionaries(metadata(reading.input)?);
    check_compression(reading.input, &metadata, columns)?;
    let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.indices.iter().copied());
    let file = Groups {
        total: metadata.metadata().row_groups().iter().map(|group| group.num_rows() as u64).sum(),
        parts: parts(&metadata),
        metadata,
        mask,
        columns,
        reading,
        next: AtomicUsize::new(0),
        done: AtomicU64::new(0),
    };
    run(&file, reading, 0)
}

fn metadata(input: &Input) -> Result<ArrowReaderMetadata, EngineError> {
    let file = open(input)?;
    ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(|error| refused(input, error))
}

fn open(input: &Input) -> Result<File, EngineError> {
    File::open(&input.path).map_err(EngineError::io(&input.path, "open"))
}

fn refused(input: &Input, error: ParquetError) -> EngineError {
    if let ParquetError::External(inner) = error
        && let Ok(io) = inner.downcast::<std::io::Error>()
    {
        return EngineError::io(&input.path, "read")(*io);
    }
    EngineError::data(
        &input.path,
        DataProblem::Format("this is no Parquet file, or it is encrypted, cut off or damaged".into()),
    )
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
    input: &Input,
    metadata: &ArrowReaderMetadata,
    columns: &Columns,
) -> Result<(), EngineError> {
    let descriptor = metadata.parquet_schema();
    for chunk in metadata.metadata().row_groups().iter().flat_map(|group| group.columns()) {
        let root = chunk.column_path().parts().first();
        let wanted = columns.indices.iter().any(|&index| {
            root.is_some_and(|root| root == descriptor.root_schema().get_fields()[index].name())
        });
        let name = match chunk.compression() {
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            _ => continue,
        };
        if wanted {
            let problem =
                format!("its columns are packed with {name}, which is not supported; use zstd or snappy");
            return Err(EngineError::data(&input.path, DataProblem::Format(problem)));
        }
    }
    Ok(())
}

/// Consecutive records of one row group.
#[derive(Clone, Copy)]
struct Part {
    group: usize,
    offset: usize,
    len: usize,
}

fn parts(metadata: &ArrowReaderMetadata) -> Vec<Part> {
    let groups = metadata.metadata().row_groups();
    let threads = rayon::current_num_threads();
    // With few groups each is cut, though workers then skip over what others read.
    let pieces = if groups.len() < 4 * threads { threads } else { 1 };
    let cut = |(group, rows): (usize, usize)| {
        let len = rows.div_ceil(pieces).max(PART);
        (0..rows).step_by(len).map(move |offset| Part { group, offset, len: len.min(rows - offset) })
    };
    groups.iter().map(|group| group.num_rows() as usize).enumerate().flat_map(cut).collect()
}

struct Groups<'a> {
    metadata: ArrowReaderMetadata,
    mask: ProjectionMask,
    columns: &'a Columns,
    reading: Reading<'a>,
    parts: Vec<Part>,
    next: AtomicUsize,
    total: u64,
    done: AtomicU64,
}

impl Parts for Groups<'_> {
    type Part = Part;
    /// The worker's own file, as clones of one would share its position.
    type Scratch = (Option<File>, Vec<Memo>);

    fn next(&self) -> Result<Option<(u64, Part)>, EngineError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Ok(self.parts.get(number).map(|part| (number as u64, *part)))
    }

    fn encode(
        &self,
        part: Part,
        worker: &mut Worker,
        (file, memos): &mut Self::Scratch,
    ) -> Result<Size, Fault> {
        let own = match file.take() {
            Some(file) => file,
            None => open(self.reading.input)?,
        };
        let clone = own.try_clone().map_err(EngineError::io(&self.reading.input.path, "read"))?;
        *file = Some(own);
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(clone, self.metadata.clone())
            .with_row_groups(vec![part.group])
            .with_projection(self.mask.clone())
            .with_offset(part.offset)
            .with_limit(part.len)
            .with_batch_size(BATCH)
            .build()
            .map_err(|_| cells::damaged())?;
        let mut records = 0;
        for batch in reader {
            self.reading.context.check()?;
            let batch: Option<RecordBatch> = batch.ok();
            let encoded = match &batch {
                Some(batch) => cells::encode(batch.columns(), &self.columns.requests, worker, memos),
                None => Err(cells::damaged()),
            };
            encoded.map_err(|fault| Fault { record: fault.record + records, ..fault })?;
            let rows = batch.map_or(0, |batch| batch.num_rows());
            worker.flush(rows)?;
            records += rows as u64;
            let done = self.done.fetch_add(rows as u64, Ordering::Relaxed) + rows as u64;
            self.reading.context.progress.step("reading", done, self.total);
        }
        if records != part.len as u64 {
            return Err(cells::damaged());
        }
        Ok(Size { records, lines: 0 })
    }
}
