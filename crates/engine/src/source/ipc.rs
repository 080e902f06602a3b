//! Arrow IPC, as a file or a stream: batches shared between workers.

use std::fs::File;
use std::io::{BufReader, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};

use super::Input;
use super::cells::{self, Memo};
use super::columnar::Columns;
use super::share::{Fault, Parts, Reading, Size, run};
use crate::encode::Worker;
use crate::error::{DataProblem, EngineError};
use crate::format::Compression;

/// Records encoded between two looks at the wish to stop.
const STEP: usize = 1 << 16;

type Stream = StreamReader<BufReader<Box<dyn Read + Send>>>;

/// The columns' types.
pub(super) fn schema(input: &Input) -> Result<Schema, EngineError> {
    let schema = if is_file(input)? { file(input, None)?.schema() } else { stream(input, None)?.schema() };
    Ok(schema.as_ref().clone())
}

/// Reads all records on all cores.
pub(super) fn read(reading: Reading<'_>, columns: &Columns) -> Result<Vec<Worker>, EngineError> {
    let projection = Some(columns.indices.clone());
    if is_file(reading.input)? {
        let batches = file(reading.input, projection)?.num_batches();
        let next = AtomicUsize::new(0);
        return run(&Batches { batches, next, columns, reading }, reading, 0);
    }
    let stream = stream(reading.input, projection)?;
    run(&Flow { stream: Mutex::new((0, Some(stream))), columns, reading }, reading, 0)
}

/// A file can be read from any place, a stream only from its start.
fn is_file(input: &Input) -> Result<bool, EngineError> {
    let mut magic = Vec::new();
    let read = input.reader()?.take(6).read_to_end(&mut magic);
    read.map_err(EngineError::io(&input.path, "read"))?;
    let refuse = |problem: &str| Err(EngineError::data(&input.path, DataProblem::Format(problem.into())));
    match magic.as_slice() {
        [b'F', b'E', b'A', b'1', ..] => {
            refuse("this is a Feather file of version 1; write it again as version 2 (Arrow IPC)")
        }
        b"ARROW1" if input.format.compression != Compression::None => {
            refuse("an Arrow file packed as a whole cannot be read; unpack it first")
        }
        magic => Ok(magic == b"ARROW1"),
    }
}

fn file(input: &Input, projection: Option<Vec<usize>>) -> Result<FileReader<BufReader<File>>, EngineError> {
    let file = File::open(&input.path).map_err(EngineError::io(&input.path, "open"))?;
    FileReader::try_new_buffered(file, projection).map_err(|error| refused(input, error))
}

fn stream(input: &Input, projection: Option<Vec<usize>>) -> Result<Stream, EngineError> {
    StreamReader::try_new_buffered(input.reader()?, projection).map_err(|error| refused(input, error))
}

fn refused(input: &Input, error: ArrowError) -> EngineError {
    match error {
        ArrowError::IoError(_, source) if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            EngineError::io(&input.path, "read")(source)
        }
        _ => EngineError::data(
            &input.path,
            DataProblem::Format("this is no Arrow IPC file or stream, or it is cut off or damaged".into()),
        ),
    }
}

/// Encodes a batch of any size.
fn encode(
    batch: &RecordBatch,
    columns: &Columns,
    reading: Reading<'_>,
    worker: &mut Worker,
    memos: &mut Vec<Memo>,
) -> Result<Size, Fault> {
    for offset in (0..batch.num_rows()).step_by(STEP) {
        reading.context.check()?;
        let slice = batch.slice(offset, STEP.min(batch.num_rows() - offset));
        cells::encode(slice.columns(), &columns.requests, worker, memos)
            .map_err(|fault| Fault { record: fault.record + offset as u64, ..fault })?;
        worker.flush(slice.num_rows())?;
    }
    Ok(Size { records: batch.num_rows() as u64, lines: 0 })
}

/// The numbered batches of a file.
struct Batches<'a> {
    batches: usize,
    next: AtomicUsize,
    columns: &'a Columns,
    reading: Reading<'a>,
}

impl Parts for Batches<'_> {
    type Part = usize;
    type Scratch = (Option<FileReader<BufReader<File>>>, Vec<Memo>);

    fn next(&self) -> Result<Option<(u64, usize)>, EngineError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number >= self.batches {
            return Ok(None);
        }
        self.reading.context.progress.step("reading", number as u64, self.batches as u64);
        Ok(Some((number as u64, number)))
    }

    fn encode(
        &self,
        number: usize,
        worker: &mut Worker,
        (own, memos): &mut Self::Scratch,
    ) -> Result<Size, Fault> {
        let reader = match own {
            Some(reader) => reader,
            None => own.insert(file(self.reading.input, Some(self.columns.indices.clone()))?),
        };
        let batch = reader.set_index(number).ok().and_then(|()| reader.next()?.ok());
        let batch = batch.ok_or_else(cells::damaged)?;
        encode(&batch, self.columns, self.reading, worker, memos)
    }
}

/// The batches of a stream, one after the other.
struct Flow<'a> {
    /// How many batches came, and the stream unless it failed.
    stream: Mutex<(u64, Option<Stream>)>,
    columns: &'a Columns,
    reading: Reading<'a>,
}

impl Parts for Flow<'_> {
    /// `None` where the stream broke.
    type Part = Option<RecordBatch>;
    type Scratch = Vec<Memo>;

    fn next(&self) -> Result<Option<(u64, Self::Part)>, EngineError> {
        let mut guard = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, stream) = &mut *guard;
        let Some(batch) = stream.as_mut().and_then(Iterator::next) else { return Ok(None) };
        if batch.is_err() {
            *stream = None;
        }
        *count += 1;
        self.reading.input.report(self.reading.context.progress);
        Ok(Some((*count - 1, batch.ok())))
    }

    fn encode(&self, batch: Self::Part, worker: &mut Worker, memos: &mut Vec<Memo>) -> Result<Size, Fault> {
        encode(&batch.ok_or_else(cells::damaged)?, self.columns, self.reading, worker, memos)
    }
}
