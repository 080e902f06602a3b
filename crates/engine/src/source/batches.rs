//! Arrow batches, of a file or in memory, one after the other, shared between workers.

use std::fs::File;
use std::io::{BufWriter, Cursor, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, Schema, SchemaRef};

use super::cells;
use super::columnar::Columns;
use super::file::SourceFile;
use super::memo::Memo;
use super::reading::Reading;
use super::share::{PartSize, Parts, run};
use crate::error::{DataProblem, EngineError};
use crate::fault::Fault;
use crate::worker::Worker;

/// Records encoded between two looks at the wish to stop.
const STEP: usize = 1 << 16;

impl Reading<'_> {
    /// The positions of the columns that are asked for in the file, ascending: those that [`Self::batches`]
    /// takes.
    ///
    /// # Errors
    /// [`EngineError::Data`] if cells of one have no text.
    pub fn positions(self) -> Result<Vec<usize>, EngineError> {
        Ok(Columns::of(self)?.indices)
    }

    /// What workers make of batches, each of the columns at [`Self::positions`]; `None` where what is read broke
    /// off.
    ///
    /// # Errors
    /// [`EngineError`]; the fault that stands first, however the batches were shared.
    pub fn batches(
        self,
        batches: impl Iterator<Item = Option<RecordBatch>> + Send,
    ) -> Result<Vec<Worker>, EngineError> {
        let columns = &Columns::of(self)?;
        run(&Flow { batches: Mutex::new((0, Some(batches))), columns, reading: self }, self, None)
    }
}

/// Arrow batches of one schema.
#[derive(Clone)]
pub struct Batches {
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// The records.
    pub batches: Vec<RecordBatch>,
}

impl Batches {
    /// How many records there are.
    #[must_use]
    pub fn records(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The batches of an Arrow file's bytes, such as a release in memory has.
    ///
    /// # Errors
    /// [`EngineError::Data`] if these are not an Arrow file.
    pub fn of_arrow(bytes: Vec<u8>) -> Result<Self, EngineError> {
        let file = SourceFile::label("memory".as_ref());
        let wrong = |error: ArrowError| file.refused(DataProblem::Format(error.to_string().into()));
        let reader = FileReader::try_new(Cursor::new(bytes), None).map_err(wrong)?;
        let schema = reader.schema();
        Ok(Self { schema, batches: reader.collect::<Result<_, _>>().map_err(wrong)? })
    }

    /// Writes them to a file as an Arrow stream, in which batches may have dictionaries of their own.
    ///
    /// # Errors
    /// [`EngineError::Io`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), EngineError> {
        let failed = |error| EngineError::io(path, "write")(without_values(error));
        let file = File::create(path).map_err(EngineError::io(path, "write"))?;
        let mut writer = StreamWriter::try_new(BufWriter::new(file), &self.schema).map_err(failed)?;
        for batch in &self.batches {
            writer.write(batch).map_err(failed)?;
        }
        writer.finish().map_err(failed)?;
        let mut file = writer.into_inner().map_err(failed)?;
        file.flush().map_err(EngineError::io(path, "write"))
    }
}

/// What failed, without Arrow's own message, which might quote a value.
fn without_values(error: ArrowError) -> std::io::Error {
    match error {
        ArrowError::IoError(_, source) => source,
        _ => std::io::Error::other("the Arrow writer failed"),
    }
}

/// Shows no cell.
impl std::fmt::Debug for Batches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batches").field("schema", &self.schema).field("records", &self.records()).finish()
    }
}

/// Refuses batches that do not have the columns of the schema.
pub(crate) fn check(file: &SourceFile, schema: &Schema, batches: &[RecordBatch]) -> Result<(), EngineError> {
    let columns = |schema: &Schema| {
        let column =
            |field: &std::sync::Arc<arrow_schema::Field>| (field.name().clone(), field.data_type().clone());
        schema.fields().iter().map(column).collect::<Vec<_>>()
    };
    let expected = columns(schema);
    match batches.iter().position(|batch| columns(&batch.schema()) != expected) {
        None => Ok(()),
        Some(place) => {
            let problem = format!("batch {} does not have the columns of the schema", place + 1);
            Err(file.refused(DataProblem::Format(problem.into())))
        }
    }
}

/// What workers make of batches in memory.
pub(crate) fn read(batches: &[RecordBatch], reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let columns = &Columns::of(reading)?;
    let steps =
        |(batch, held): (usize, &RecordBatch)| (0..held.num_rows()).step_by(STEP).map(move |at| (batch, at));
    let parts: Vec<(usize, usize)> = batches.iter().enumerate().flat_map(steps).collect();
    run(
        &HeldBatches { batches, parts, next: AtomicUsize::new(0), done: AtomicU64::new(0), columns, reading },
        reading,
        None,
    )
}

/// Encodes a batch of any size.
pub(crate) fn encode(
    batch: &RecordBatch,
    columns: &Columns,
    reading: Reading<'_>,
    worker: &mut Worker,
    memos: &mut Vec<Memo>,
) -> Result<PartSize, Fault> {
    for offset in (0..batch.num_rows()).step_by(STEP) {
        reading.context.check()?;
        let slice = batch.slice(offset, STEP.min(batch.num_rows() - offset));
        cells::encode(slice.columns(), &columns.requests, worker, memos)
            .map_err(|fault| fault.after(offset as u64))?;
        worker.flush(slice.num_rows()).map_err(|fault| fault.after(offset as u64))?;
    }
    Ok(PartSize { records: batch.num_rows() as u64, lines: 0 })
}

/// Batches in memory, in parts that are slices of them: one batch can be the whole table.
struct HeldBatches<'a> {
    batches: &'a [RecordBatch],
    /// Batches and where each part of them begins.
    parts: Vec<(usize, usize)>,
    next: AtomicUsize,
    done: AtomicU64,
    columns: &'a Columns,
    reading: Reading<'a>,
}

impl Parts for HeldBatches<'_> {
    type Part = RecordBatch;
    type Scratch = Vec<Memo>;

    fn next(&self) -> Result<Option<(u64, RecordBatch)>, EngineError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(&(batch, at)) = self.parts.get(number) else { return Ok(None) };
        let held = &self.batches[batch];
        let part =
            held.project(&self.columns.indices).map(|held| held.slice(at, STEP.min(held.num_rows() - at)));
        let wrong =
            |_| self.reading.file.refused(DataProblem::Format("its batches differ from their schema".into()));
        Ok(Some((number as u64, part.map_err(wrong)?)))
    }

    fn encode(
        &self,
        part: RecordBatch,
        worker: &mut Worker,
        memos: &mut Vec<Memo>,
    ) -> Result<PartSize, Fault> {
        let size = encode(&part, self.columns, self.reading, worker, memos)?;
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.reading.context.progress.step("reading", done, self.parts.len() as u64);
        Ok(size)
    }
}

/// Batches in their order.
struct Flow<'a, B> {
    /// How many batches came, and those that follow unless they broke off.
    batches: Mutex<(u64, Option<B>)>,
    columns: &'a Columns,
    reading: Reading<'a>,
}

impl<B: Iterator<Item = Option<RecordBatch>> + Send> Parts for Flow<'_, B> {
    /// `None` where they broke off.
    type Part = Option<RecordBatch>;
    type Scratch = Vec<Memo>;

    fn next(&self) -> Result<Option<(u64, Self::Part)>, EngineError> {
        let mut guard = self.batches.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, batches) = &mut *guard;
        let Some(batch) = batches.as_mut().and_then(Iterator::next) else { return Ok(None) };
        if batch.is_none() {
            *batches = None;
        }
        *count += 1;
        self.reading.file.report(self.reading.context.progress);
        Ok(Some((*count - 1, batch)))
    }

    fn encode(
        &self,
        batch: Self::Part,
        worker: &mut Worker,
        memos: &mut Vec<Memo>,
    ) -> Result<PartSize, Fault> {
        encode(&batch.ok_or_else(cells::damaged)?, self.columns, self.reading, worker, memos)
    }
}
