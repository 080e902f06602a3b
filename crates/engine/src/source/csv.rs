//! Delimited text straight to dictionary codes.
//!
//! Blocks without a quote take a fast path that looks at eight bytes at a time for delimiters and
//! line ends; blocks with quotes go through the csv crate. Both read the same language: fields may
//! be quoted, quotes doubled inside, `\n`, `\r` and `\r\n` end records, empty lines are skipped.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use velamen_core::context::Context;

use super::Input;
use super::blocks::{Block, BlockError, Blocks};
use crate::dictionary::{BadCell, ColumnRequest};
use crate::encode::Worker;
use crate::error::{DataProblem, EngineError, Place};

/// How the text is to be read.
#[derive(Debug, Clone)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) trim: bool,
    /// Columns in the file.
    pub(super) width: usize,
    /// Lines before the first record.
    pub(super) header_lines: u64,
}

/// Which request each column of the file answers.
type Wanted = Vec<Option<usize>>;

/// What stopped a worker, still relative to its block.
struct Fault {
    block: u64,
    record: u64,
    line: u64,
    kind: FaultKind,
}

enum FaultKind {
    Ragged { found: usize },
    Cell { request: usize, cell: BadCell, value: Vec<u8> },
    OpenQuote,
}

struct BlockCount {
    number: u64,
    records: u64,
    lines: u64,
}

/// What a worker brings home.
struct Harvest {
    worker: Worker,
    blocks: Vec<BlockCount>,
    fault: Option<Fault>,
}

/// Reads all records on all cores.
pub(super) fn read(
    blocks: Blocks,
    dialect: &Dialect,
    input: &Input,
    columns: &[ColumnRequest],
    context: &Context<'_>,
) -> Result<Vec<Worker>, EngineError> {
    let mut wanted: Wanted = vec![None; dialect.width];
    for (request, column) in columns.iter().enumerate() {
        wanted[column.index] = Some(request);
    }
    let reading = Reading {
        blocks: Mutex::new(blocks),
        first_bad: AtomicU64::new(u64::MAX),
        dialect,
        wanted,
        input,
        context,
    };
    let threads = rayon::current_num_threads();
    let harvests: Vec<Result<Harvest, EngineError>> = std::thread::scope(|scope| {
        let work = || reading.work(Worker::new(columns, &input.nulls));
        let spawned: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        std::iter::once(own).chain(spawned.into_iter().map(join)).collect()
    });
    let harvests = harvests.into_iter().collect::<Result<Vec<Harvest>, _>>()?;
    match first_fault(&harvests, dialect) {
        Some((fault, place)) => Err(reading.explain(fault, place, columns)),
        None => Ok(harvests.into_iter().map(|harvest| harvest.worker).collect()),
    }
}

fn join<T>(handle: std::thread::ScopedJoinHandle<'_, T>) -> T {
    handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The earliest fault and its place in the file.
fn first_fault<'a>(harvests: &'a [Harvest], dialect: &Dialect) -> Option<(&'a Fault, Place)> {
    let fault = harvests.iter().filter_map(|h| h.fault.as_ref()).min_by_key(|fault| fault.block)?;
    let earlier = harvests.iter().flat_map(|h| &h.blocks).filter(|block| block.number < fault.block);
    let (records, lines) = earlier.fold((0, 0), |(r, l), block| (r + block.records, l + block.lines));
    let line = Some(dialect.header_lines + lines + fault.line);
    Some((fault, Place { record: records + fault.record, line }))
}

struct Reading<'a> {
    blocks: Mutex<Blocks>,
    first_bad: AtomicU64,
    dialect: &'a Dialect,
    wanted: Wanted,
    input: &'a Input,
    context: &'a Context<'a>,
}

impl Reading<'_> {
    fn work(&self, worker: Worker) -> Result<Harvest, EngineError> {
        let mut harvest = Harvest { worker, blocks: Vec::new(), fault: None };
        while let Some(block) = self.next_block()? {
            // A block before the first bad one must still be counted and may hold an earlier fault.
            if block.number > self.first_bad.load(Ordering::Relaxed) {
                break;
            }
            self.context.check()?;
            let parsed = self.parse(&block, &mut harvest.worker);
            match parsed {
                Ok(records) => {
                    let lines = memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
                    harvest.blocks.push(BlockCount { number: block.number, records, lines });
                    harvest.worker.flush(records as usize)?;
                }
                Err(fault) => {
                    self.first_bad.fetch_min(block.number, Ordering::Relaxed);
                    harvest.fault = Some(fault);
                    break;
                }
            }
        }
        Ok(harvest)
    }

    fn next_block(&self) -> Result<Option<Block>, EngineError> {
        let mut blocks = self.blocks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let next = blocks.next().map_err(|error| match error {
            BlockError::Io(source) => EngineError::io(&self.input.path, "read")(source),
            BlockError::Data(problem) => EngineError::data(&self.input.path, problem),
        });
        self.input.report(self.context.progress);
        next
    }

    fn parse(&self, block: &Block, worker: &mut Worker) -> Result<u64, Fault> {
        let mut rows = Rows { reading: self, worker, block, records: 0, column: 0 };
        if memchr::memchr(b'"', &block.bytes).is_some() {
            rows.quoted()?;
        } else {
            rows.plain()?;
        }
        Ok(rows.records)
    }

    fn explain(&self, fault: &Fault, place: Place, columns: &[ColumnRequest]) -> EngineError {
        let name = |request: usize| columns[request].name.clone();
        let problem = match &fault.kind {
            FaultKind::Ragged { found } => {
                DataProblem::Ragged { place, found: *found, expected: self.dialect.width }
            }
            FaultKind::OpenQuote => DataProblem::OpenQuote { line: place.line.unwrap_or(0) },
            FaultKind::Cell { request, cell: BadCell::Encoding, .. } => {
                DataProblem::Encoding { place, column: name(*request) }
            }
            FaultKind::Cell { request, cell: BadCell::NotInHierarchy, value } => {
                DataProblem::NotInHierarchy {
                    place,
                    column: name(*request),
                    expected: columns[*request].rule.expectation(),
                    value: self.input.show_values.then(|| String::from_utf8_lossy(value).into_owned()),
                }
            }
        };
        EngineError::data(&self.input.path, problem)
    }
}

/// The rows of one block on their way into a worker.
struct Rows<'a, 'r> {
    reading: &'a Reading<'r>,
    worker: &'a mut Worker,
    block: &'a Block,
    records: u64,
    column: usize,
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks the high bit of each byte of `word` that equals the byte repeated in `pattern`; bytes
/// above the first match may be marked wrongly, so each mark is checked against the byte.
#[inline]
fn matches(word: u64, pattern: u64) -> u64 {
    let difference = word ^ pattern;
    difference.wrapping_sub(LOW) & !difference & HIGH
}

impl Rows<'_, '_> {
    /// No quotes: every delimiter and line end counts.
    fn plain(&mut self) -> Result<(), Fault> {
        let bytes = &self.block.bytes;
        let delimiter = self.reading.dialect.delimiter;
        let patterns = [delimiter, b'\n', b'\r'].map(|byte| u64::from(byte) * LOW);
        let mut start = 0;
        let (words, tail) = bytes.as_chunks::<8>();
        for (index, chunk) in words.iter().enumerate() {
            let word = u64::from_le_bytes(*chunk);
            let mut marks =
                matches(word, patterns[0]) | matches(word, patterns[1]) | matches(word, patterns[2]);
            while marks != 0 {
                let position = index * 8 + (marks.trailing_zeros() / 8) as usize;
                marks &= marks - 1;
                self.boundary(bytes, &mut start, position)?;
            }
        }
        for position in bytes.len() - tail.len()..bytes.len() {
            self.boundary(bytes, &mut start, position)?;
        }
        if start < bytes.len() || self.column > 0 {
            self.field(&bytes[start..])?;
            self.end_record()?;
        }
        Ok(())
    }

    #[inline]
    fn boundary(&mut self, bytes: &[u8], start: &mut usize, position: usize) -> Result<(), Fault> {
        let byte = bytes[position];
        if byte == self.reading.dialect.delimiter {
            self.field(&bytes[*start..position])?;
        } else if byte == b'\n' || byte == b'\r' {
            let empty_line = self.column == 0 && *start == position;
            if !empty_line {
                self.field(&bytes[*start..position])?;
                self.end_record()?;
            }
        } else {
            return Ok(());
        }
        *start = position + 1;
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), Fault> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.reading.dialect.delimiter)
            .from_reader(&self.block.bytes[..]);
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            for field in &record {
                self.field(field)?;
            }
            self.end_record()?;
        }
        self.check_last_quote()
    }

    /// The file's last block may end inside quotes; the csv crate accepts that, we do not.
    fn check_last_quote(&self) -> Result<(), Fault> {
        let closed = !self.block.last
            || super::blocks::ends_outside_quotes(&self.block.bytes, self.reading.dialect.delimiter);
        if closed { Ok(()) } else { Err(self.fault(FaultKind::OpenQuote)) }
    }

    #[inline]
    fn field(&mut self, cell: &[u8]) -> Result<(), Fault> {
        if let Some(&Some(request)) = self.reading.wanted.get(self.column) {
            let cell = if self.reading.dialect.trim { cell.trim_ascii() } else { cell };
            match self.worker.dictionaries[request].code(cell) {
                Ok(code) => self.worker.codes[request].push(code),
                Err(bad) => {
                    return Err(self.fault(FaultKind::Cell { request, cell: bad, value: cell.into() }));
                }
            }
        }
        self.column += 1;
        Ok(())
    }

    #[inline]
    fn end_record(&mut self) -> Result<(), Fault> {
        if self.column != self.reading.dialect.width {
            return Err(self.fault(FaultKind::Ragged { found: self.column }));
        }
        self.records += 1;
        self.column = 0;
        Ok(())
    }

    /// A fault in the record at hand.
    #[cold]
    fn fault(&self, kind: FaultKind) -> Fault {
        let record = self.records + u64::from(!matches!(kind, FaultKind::OpenQuote));
        let line = super::blocks::line_of_record(&self.block.bytes, self.reading.dialect.delimiter, record);
        Fault { block: self.block.number, record, line, kind }
    }
}
