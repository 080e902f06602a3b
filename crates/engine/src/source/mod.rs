//! Tables in: files of several formats to one frequency table.

#[cfg(test)]
mod agreement;
mod blocks;
mod cells;
mod columnar;
mod counted;
mod csv;
mod ipc;
mod ndjson;
mod order;
mod parquet;
mod regular;
mod rows;
mod share;
mod unchanged;
mod unlisted;

pub use self::counted::{Counted, Group};
pub use self::order::Ordered;
pub use self::rows::Rows;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_schema::DataType;
use velamen_core::context::{Context, Progress};
use velamen_core::frequency::FrequencyTable;

use self::blocks::{Blocks, Ends};
use self::share::Reading;
use self::unchanged::State;
use crate::dictionary::{ColumnRequest, Outside, Spelling};
use crate::encode::{Keep, Worker, merge};
use crate::error::{DataProblem, EngineError};
use crate::format::{Compression, FileFormat, Format};
use crate::formula::unescape;
use crate::limit::{Limit, Most};

/// How a file is to be read; what is left out is found out from its name and first bytes.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format, if the file does not tell.
    pub format: Option<FileFormat>,
    /// The delimiter of delimited text, if the header does not tell.
    pub delimiter: Option<u8>,
    /// Names of the columns of delimited text without header.
    pub columns: Option<Vec<String>>,
    /// Whether white space around the cells of delimited text is dropped.
    pub trim: bool,
    /// Cells that mean a missing value, besides the empty one.
    pub null: Vec<String>,
    /// Whether cells that look like formulas have an apostrophe more in front, as releases do.
    pub escaped: bool,
    /// Whether a quasi-identifier's cell `*`, the mark of suppression, is refused.
    pub refuse_mark: bool,
    /// Whether messages may show a cell's value.
    pub show_values: bool,
    /// What becomes of records that cannot be read or are outside their domains.
    pub outside: Outside,
    /// The columns of NDJSON, whatever keys its records have; left out: all keys that occur.
    pub declared: Option<Vec<String>>,
    /// Whether a table without a record is one. Where records are kept apart it always is.
    pub may_be_empty: bool,
}

impl ReadOptions {
    fn empty_is_a_table(&self) -> bool {
        self.may_be_empty || self.outside == Outside::Apart
    }
}

/// An input that was opened and whose columns are known.
pub struct Input {
    pub(crate) path: PathBuf,
    /// What the file is.
    pub format: FileFormat,
    /// The delimiter of delimited text.
    pub delimiter: u8,
    /// The columns' names.
    pub columns: Vec<String>,
    kinds: Option<Vec<DataType>>,
    pub(crate) spelling: Arc<Spelling>,
    pub(crate) show_values: bool,
    most: Option<Most>,
    may_be_empty: bool,
    trim: bool,
    has_header: bool,
    size: u64,
    /// The file as it was opened, if it is one.
    state: Option<State>,
    read: Arc<AtomicU64>,
    /// The records, where they are no file.
    rows: Option<Arc<dyn Rows>>,
}

impl Input {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be read, [`EngineError::Data`] if its header is unusable.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, EngineError> {
        let mut file = File::open(path).map_err(EngineError::io(path, "open"))?;
        let metadata = file.metadata().map_err(EngineError::io(path, "read"))?;
        let mut magic = [0; 8];
        let got = read_up_to(&mut file, &mut magic).map_err(EngineError::io(path, "read"))?;
        let format = match (options.format, options.outside) {
            (Some(format), _) => format,
            (None, Outside::Refused) => FileFormat::sniff(path, &magic[..got]),
            // The first bytes may be a record's.
            (None, Outside::Apart) => FileFormat::named(path).ok_or_else(|| {
                let problem = "its name does not tell what the file is; give input.format";
                EngineError::data(path, DataProblem::Format(problem.into()))
            })?,
        };
        let mut input = Self {
            path: path.to_owned(),
            format,
            delimiter: options.delimiter.unwrap_or(b','),
            columns: Vec::new(),
            kinds: None,
            spelling: Arc::new(Spelling::of(options)),
            show_values: options.show_values,
            most: None,
            may_be_empty: options.empty_is_a_table(),
            trim: options.trim,
            has_header: options.columns.is_none(),
            size: metadata.len(),
            state: State::of(&metadata),
            read: Arc::new(AtomicU64::new(0)),
            rows: None,
        };
        match format.format {
            Format::Csv | Format::Tsv => input.open_text(options)?,
            Format::Ndjson if options.declared.is_some() => {
                input.columns = options.declared.clone().unwrap_or_default();
            }
            _ => {
                let schema = columnar::schema(&input)?;
                input.columns = schema.fields().iter().map(|field| field.name().clone()).collect();
                input.kinds = Some(schema.fields().iter().map(|field| field.data_type().clone()).collect());
            }
        }
        input.check_columns()?;
        Ok(input)
    }

    /// The file, or what records that are no file are called.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets [`Input::read`] and [`Input::survey`] stop at tables of which more would be held.
    pub fn hold_at_most(&mut self, most: Option<Most>) {
        self.most = most;
    }

    /// The type of each column's values; `None` for delimited text, which has no types.
    #[must_use]
    pub fn kinds(&self) -> Option<Vec<DataType>> {
        self.kinds.as_ref().map(|kinds| kinds.iter().map(cells::value_type).collect())
    }

    /// Reads the requested columns of all records into a frequency table.
    ///
    /// Time: linear in the file; memory: distinct combinations of the requested columns.
    ///
    /// # Errors
    /// [`EngineError`]; data errors tell record, line and column, never the value unless the
    /// options allow it. [`EngineError::TooMany`] and [`EngineError::TooLong`] beyond what [`Input::hold_at_most`] allows.
    pub fn read(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, EngineError> {
        let limit = Limit::new(self.most);
        let reading = Reading { input: self, columns, context, keep: Keep::Counts(&limit) };
        let workers = self.workers(reading).map_err(|error| self.with_unlisted(error, columns, context))?;
        let table = merge(workers, columns)?;
        limit.check(table.len() as u64)?;
        if table.is_empty() && !self.may_be_empty {
            return Err(EngineError::data(&self.path, DataProblem::NoRecords));
        }
        Ok(table)
    }

    /// What workers saw of all records.
    pub(crate) fn tallies(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<Vec<Worker>, EngineError> {
        let limit = Limit::new(self.most);
        self.workers(Reading { input: self, columns, context, keep: Keep::Tally(&limit) })
    }

    /// What workers make of all records.
    fn workers(&self, reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
        let workers = self.encoded(reading);
        // A fault may come from the change.
        if !matches!(workers, Err(EngineError::Interrupted(_))) {
            self.state.map_or(Ok(()), |state| state.check(&self.path))?;
        }
        workers
    }

    fn encoded(&self, reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
        if let Some(rows) = &self.rows {
            return rows::read(&**rows, reading);
        }
        match self.format.format {
            Format::Csv | Format::Tsv => {
                let (head, ended, reader) = self.text_reader()?;
                let start = if self.has_header { self.header_end(&head) } else { bom(&head) };
                let lines = memchr::memchr_iter(b'\n', &head[..start]).count() as u64;
                let dialect = csv::Dialect {
                    delimiter: self.delimiter,
                    trim: self.trim,
                    width: self.columns.len(),
                    header_lines: lines,
                };
                let ends = match self.spelling.outside {
                    Outside::Refused => Ends::Delimited { delimiter: self.delimiter },
                    Outside::Apart => Ends::Returns,
                };
                let blocks = Blocks::new(reader, head[start..].to_vec(), ended, ends);
                csv::read(blocks, &dialect, reading)
            }
            _ => columnar::read(reading, self.kinds.as_deref().unwrap_or_default()),
        }
    }

    /// Opens the file for reading from its start, decompressed, counting what is read.
    pub(crate) fn reader(&self) -> Result<Box<dyn Read + Send>, EngineError> {
        let mut file = File::open(&self.path).map_err(EngineError::io(&self.path, "open"))?;
        file.seek(SeekFrom::Start(0)).map_err(EngineError::io(&self.path, "read"))?;
        self.read.store(0, Ordering::Relaxed);
        let metered = Metered { file, read: Arc::clone(&self.read) };
        Ok(match self.format.compression {
            Compression::None => Box::new(metered),
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(metered)),
            Compression::Zstd => Box::new(
                zstd::stream::read::Decoder::new(metered).map_err(EngineError::io(&self.path, "read"))?,
            ),
        })
    }

    /// Whether quotes of delimited text hold no line ends.
    fn every_line_is_a_record(&self) -> bool {
        self.spelling.outside == Outside::Apart
    }

    pub(crate) fn report(&self, progress: &dyn Progress) {
        progress.step("reading", self.read.load(Ordering::Relaxed), self.size);
    }

    /// The first bytes of the text, at least one record unless the file is shorter, and the rest.
    fn text_reader(&self) -> Result<Head, EngineError> {
        let mut reader = self.reader()?;
        let mut head = Vec::new();
        loop {
            let chunk = 1 << 16;
            let read = reader.by_ref().take(chunk).read_to_end(&mut head);
            let read = read.map_err(EngineError::io(&self.path, "read"))?;
            let ended = (read as u64) < chunk;
            if ended || self.header_end(&head) < head.len() || head.len() > 1 << 26 {
                return Ok((head, ended, reader));
            }
        }
    }

    fn open_text(&mut self, options: &ReadOptions) -> Result<(), EngineError> {
        let refuse = |problem| EngineError::data(&self.path, problem);
        let (head, _, _) = self.text_reader()?;
        let text = &head[bom(&head)..];
        // What stands in a file without header are records.
        if options.outside == Outside::Refused || options.columns.is_none() {
            if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
                return Err(refuse(DataProblem::Utf16));
            }
            if text.iter().all(u8::is_ascii_whitespace) {
                return Err(refuse(DataProblem::Empty));
            }
        }
        self.delimiter = options.delimiter.unwrap_or_else(|| match self.format.format {
            Format::Tsv => b'\t',
            _ => sniff_delimiter(text),
        });
        self.columns = match &options.columns {
            Some(columns) => columns.clone(),
            None => {
                let header = first_record(text, self.delimiter).1;
                let names = header.iter().map(|name| std::str::from_utf8(name).map(|n| n.trim().to_owned()));
                let names: Result<Vec<String>, _> = names.collect();
                let spelled = |name: String| if options.escaped { unescape(&name).to_owned() } else { name };
                names.map_err(|_| refuse(DataProblem::HeaderEncoding))?.into_iter().map(spelled).collect()
            }
        };
        Ok(())
    }

    /// Where the header ends; the length of `head` if it does not.
    fn header_end(&self, head: &[u8]) -> usize {
        let start = bom(head);
        start + first_record(&head[start..], self.delimiter).0
    }

    fn check_columns(&self) -> Result<(), EngineError> {
        let refuse = |problem| Err(EngineError::data(&self.path, problem));
        for (i, name) in self.columns.iter().enumerate() {
            if name.is_empty() {
                return refuse(DataProblem::EmptyHeader { column: i + 1 });
            }
            if let Some(first) = self.columns[..i].iter().position(|earlier| earlier == name) {
                return refuse(DataProblem::DuplicateHeader {
                    name: name.clone(),
                    first: first + 1,
                    column: i + 1,
                });
            }
        }
        if self.columns.is_empty() {
            return refuse(DataProblem::Empty);
        }
        Ok(())
    }
}

/// The first bytes of a text, whether they are all, and the reader of what follows.
type Head = (Vec<u8>, bool, Box<dyn Read + Send>);

/// A file that counts the bytes taken from it.
struct Metered {
    file: File,
    read: Arc<AtomicU64>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

fn read_up_to(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

/// The length of a byte order mark.
fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 }
}

/// The end of the first record and its fields.
fn first_record(text: &[u8], delimiter: u8) -> (usize, ::csv::ByteRecord) {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = ::csv::ByteRecord::new();
    // Reading from memory cannot fail, and ragged records are allowed here.
    let _ = reader.read_byte_record(&mut record);
    let mut end = reader.position().byte() as usize;
    if text.get(end) == Some(&b'\n') && end > 0 && text[end - 1] == b'\r' {
        end += 1;
    }
    (end.min(text.len()), record)
}

/// The candidate that splits the header into most fields; a comma if none does.
fn sniff_delimiter(text: &[u8]) -> u8 {
    let fields = |delimiter: u8| first_record(text, delimiter).1.len();
    let candidates = [b',', b';', b'\t', b'|'];
    candidates.into_iter().rev().max_by_key(|&delimiter| fields(delimiter)).unwrap_or(b',')
}
