//! Arrow IPC, as a file or a stream: batches shared between workers; written packed with LZ4 as Feather files
//! are.

use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::ArrowError;
use velamen_core::error::Problem;

use super::entry::{Entry, Facts, Programs, Reader, Sign, Writer};
use crate::error::{DataProblem, EngineError};
use crate::fault::Fault;
use crate::packing::Compression;
use crate::sink::out::{BatchWriter, Out};
use crate::sink::table::{Copies, OutTable};
use crate::sink::typed::{self, Typed};
use crate::source::batches;
use crate::source::cells;
use crate::source::columnar::Columns;
use crate::source::file::SourceFile;
use crate::source::form::{Form, Header};
use crate::source::ipc::{File, Refused, Stream};
use crate::source::memo::Memo;
use crate::source::raw::Raw;
use crate::source::reading::Reading;
use crate::source::share::{PartSize, Parts, run};
use crate::worker::Worker;

pub(super) const ENTRY: Entry = Entry {
    name: "arrow",
    also: &["feather"],
    extensions: &["ipc"],
    sign: Some(Sign { bytes: b"ARROW1", sure: true }),
    facts: Facts {
        delimited: None,
        keyed: false,
        packs_itself: true,
        media_type: "application/vnd.apache.arrow.file",
    },
    reader: Reader { open: header, read, count: None },
    writer: Writer::Batches(begin),
    rewrite,
    programs: Programs {
        pandas: "data = pd.read_feather(\"{file}\")",
        polars: "data = pl.read_ipc(\"{file}\")",
        r: "data <- arrow::read_feather(\"{file}\")",
        duckdb: "",
    },
    lacks: None,
};

/// The columns and their types.
fn header(source: &SourceFile, _: &Form) -> Result<Header, EngineError> {
    Ok(match is_file(source)? {
        true => Header::typed(file(source, None)?.schema()),
        false => Header::typed(stream(source, None)?.schema()),
    })
}

/// Reads all records on all cores.
fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let columns = &Columns::of(reading)?;
    let projection = Some(columns.indices.clone());
    if is_file(reading.file)? {
        let batches = file(reading.file, projection)?.batches();
        return run(&Batches { batches, next: AtomicUsize::new(0), columns, reading }, reading, None);
    }
    let mut stream = stream(reading.file, projection)?;
    reading.batches(std::iter::from_fn(move || stream.next().transpose().map(Result::ok)))
}

/// A file can be read from any place, a stream only from its start.
fn is_file(source: &SourceFile) -> Result<bool, EngineError> {
    let mut magic = Vec::new();
    source.reader()?.take(6).read_to_end(&mut magic).map_err(source.failed("read"))?;
    let refuse = |problem: Problem| Err(source.refused(DataProblem::Format(problem)));
    match magic.as_slice() {
        [b'F', b'E', b'A', b'1', ..] => refuse(
            Problem::new("this is a Feather file of version 1")
                .mend("write it again as version 2 (Arrow IPC)"),
        ),
        b"ARROW1" if source.compression() != Compression::None => {
            refuse(Problem::new("an Arrow file packed as a whole cannot be read").mend("unpack it first"))
        }
        magic => Ok(magic == b"ARROW1"),
    }
}

fn file(source: &SourceFile, projection: Option<Vec<usize>>) -> Result<File<Raw>, EngineError> {
    File::open(source.raw()?, projection).map_err(|error| refused(source, error))
}

fn stream(
    source: &SourceFile,
    projection: Option<Vec<usize>>,
) -> Result<Stream<BufReader<Box<dyn Read + Send>>>, EngineError> {
    let reader = BufReader::new(source.reader()?);
    Stream::open(reader, projection, source.most_held()).map_err(|error| refused(source, error))
}

fn refused(source: &SourceFile, error: Refused) -> EngineError {
    match error {
        Refused::Io(error) => source.failed("read")(error),
        Refused::Unpacks => source.refused(DataProblem::Unpacks),
        Refused::Damaged => source.refused(DataProblem::Format(
            Problem::new("this is not an Arrow IPC file or stream, or it is cut off or damaged")
                .mend("copy it again, or name its `format` under [input]"),
        )),
    }
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
    type Scratch = (Option<File<Raw>>, Vec<Memo>);

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
    ) -> Result<PartSize, Fault> {
        let reader = match own {
            Some(reader) => reader,
            None => own.insert(file(self.reading.file, Some(self.columns.indices.clone()))?),
        };
        let batch = reader.batch(number).map_err(|error| match error {
            Refused::Damaged => cells::damaged(),
            error => refused(self.reading.file, error).into(),
        })?;
        batches::encode(&batch, self.columns, self.reading, worker, memos)
    }
}

/// A file that grows.
struct ArrowOut<'a> {
    writer: FileWriter<&'a mut (dyn Write + Send)>,
    typed: Typed,
    label: &'a Path,
}

fn begin<'a>(table: &OutTable, out: Out<'a>) -> Result<Box<dyn BatchWriter + 'a>, EngineError> {
    let typed = Typed::new(table);
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
    let writer = options.and_then(|options| FileWriter::try_new_with_options(out.to, &typed.schema, options));
    let writer = writer.map_err(|error| failed(out.label, error))?;
    Ok(Box::new(ArrowOut { writer, typed, label: out.label }))
}

impl BatchWriter for ArrowOut<'_> {
    fn write(&mut self, table: &OutTable, copies: &[Copies]) -> Result<(), EngineError> {
        let batch = self.typed.batch(table, copies, |_| false);
        let written = batch.and_then(|batch| self.writer.write(&batch));
        written.map_err(|error| failed(self.label, error))
    }

    fn finish(mut self: Box<Self>) -> Result<(), EngineError> {
        self.writer.finish().map_err(|error| failed(self.label, error))
    }
}

/// Writes the batches of a file again.
fn rewrite(source: &SourceFile, _: u8, out: Out<'_>) -> Result<(), EngineError> {
    let mut reader = file(source, None)?;
    let schema = Arc::new(typed::bare(reader.schema()));
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::LZ4_FRAME));
    let writer = options.and_then(|options| FileWriter::try_new_with_options(out.to, &schema, options));
    let mut writer = writer.map_err(|error| failed(out.label, error))?;
    for number in 0..reader.batches() {
        let batch = reader.batch(number).map_err(|error| refused(source, error))?;
        let batch = RecordBatch::try_new(Arc::clone(&schema), batch.columns().to_vec());
        let written = batch.and_then(|batch| writer.write(&batch));
        written.map_err(|error| failed(out.label, error))?;
    }
    writer.finish().map_err(|error| failed(out.label, error))
}

fn failed(label: &Path, error: ArrowError) -> EngineError {
    EngineError::io(label, "write")(match error {
        ArrowError::IoError(_, source) => source,
        // Arrow's own message might quote a value.
        _ => std::io::Error::other("the Arrow writer failed"),
    })
}
