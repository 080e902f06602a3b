//! Delimited text straight to dictionary codes.
//!
//! Blocks without a quote are split by their delimiters and line ends; blocks with quotes go
//! through the csv crate. All ways read the same language: fields may be quoted, quotes doubled
//! inside, `\n`, `\r` and `\r\n` end records, empty lines are skipped.

use std::io::Read;
use std::sync::{Mutex, PoisonError};

use super::blocks::{Block, Blocks, Ends, LONGEST_RECORD, ends_outside_quotes, line_of_record};
use super::file::SourceFile;
use super::form::{CountedRecords, Form, Header};
use super::heading::LOOKED_AT;
use super::reading::Reading;
use super::regular;
use super::share::{PartSize, Parts, run};
use super::text::{LONGEST_HEADER, MARK, bom, first_record, head, header_end, unmarked};
use crate::error::{DataProblem, EngineError};
use crate::fault::{Fault, FaultKind};
use crate::formula::unescape;
use crate::worker::Worker;

/// How the text is to be read.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    pub(crate) delimiter: u8,
    pub(crate) trim: bool,
    /// Columns in the file.
    pub(crate) width: usize,
    /// Lines before the first record; `None` where the text is no file, whose lines could be looked up.
    pub(crate) header_lines: Option<u64>,
}

/// Reads the header; `usual` is the delimiter if none was given, `None` to find it out.
pub(crate) fn open(file: &SourceFile, form: &Form, usual: Option<u8>) -> Result<Header, EngineError> {
    let (head, ended, _) = head(file, form.delimiter.unwrap_or(b','))?;
    let text = &head[bom(&head)..];
    // What stands in a file without header are records.
    if !form.by_lines() || form.has_header() {
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(file.refused(DataProblem::Utf16));
        }
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(file.refused(DataProblem::Empty));
        }
    }
    let delimiter = form.delimiter.or(usual).unwrap_or_else(|| sniff_delimiter(text));
    let columns = match form.has_header() {
        false => form.without_header(first_record(text, delimiter).1.len()),
        // What was looked through has no line end.
        true if !ended && header_end(&head, delimiter) == head.len() => {
            return Err(file.refused(DataProblem::RecordTooLong { limit: LONGEST_HEADER }));
        }
        true => {
            let names = names(text, delimiter, form.escaped);
            let names = names.map_err(|_| file.refused(DataProblem::HeaderEncoding))?;
            form.judge(&names, &below(text, delimiter, names.len()))
                .map_err(|problem| file.refused(problem))?;
            names
        }
    };
    Ok(Header { columns, kinds: None, delimiter: Some(delimiter) })
}

fn names(text: &[u8], delimiter: u8, escaped: bool) -> Result<Vec<String>, std::str::Utf8Error> {
    let spelled = |name: &[u8]| {
        let name = std::str::from_utf8(name)?.trim();
        Ok(if escaped { unescape(name) } else { name }.to_owned())
    };
    first_record(text, delimiter).1.iter().map(spelled).collect()
}

/// Some of the records below the header; those of another width are left out.
fn below(text: &[u8], delimiter: u8, width: usize) -> Vec<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let records = reader.byte_records().skip(1).filter_map(Result::ok).filter(|record| record.len() == width);
    let cells = |record: csv::ByteRecord| {
        record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
    };
    records.take(LOOKED_AT).map(cells).collect()
}

/// The candidate that splits the header into most fields; a comma if none does.
fn sniff_delimiter(text: &[u8]) -> u8 {
    let fields = |delimiter: u8| first_record(text, delimiter).1.len();
    let candidates = [b',', b';', b'\t', b'|'];
    candidates.into_iter().rev().max_by_key(|&delimiter| fields(delimiter)).unwrap_or(b',')
}

/// Reads all records of a file on all cores.
pub(crate) fn read(reading: Reading<'_>) -> Result<Vec<Worker>, EngineError> {
    let Reading { form, delimiter, .. } = reading;
    let (head, ended, reader) = head(reading.file, delimiter)?;
    let start = if form.has_header() { header_end(&head, delimiter) } else { bom(&head) };
    let lines = reading.file.above() + memchr::memchr_iter(b'\n', &head[..start]).count() as u64;
    let (trim, width) = (form.trim, reading.names.len());
    let dialect = Dialect { delimiter, trim, width, header_lines: Some(lines) };
    let ends = if form.by_lines() { Ends::Returns } else { Ends::Delimited { delimiter } };
    records(Blocks::new(reader, head[start..].to_vec(), ended, ends), &dialect, reading)
}

/// Counts the records of a file, which is refused where [`read`] refuses its form.
pub(crate) fn count(reading: Reading<'_>) -> Result<CountedRecords, EngineError> {
    let mut all = CountedRecords::default();
    for mut worker in read(reading)? {
        let seen = worker.seen().copied().unwrap_or_default();
        all.records += seen.records;
        all.line_ends |= seen.line_ends;
        all.marks |= seen.marks;
    }
    Ok(all)
}

/// Encodes all records of some blocks on all cores.
pub(crate) fn records(
    blocks: Blocks,
    dialect: &Dialect,
    reading: Reading<'_>,
) -> Result<Vec<Worker>, EngineError> {
    let mut wanted = vec![None; dialect.width];
    for (request, column) in reading.in_file() {
        wanted[column.index] = Some(request);
    }
    let lines = reading.form.by_lines();
    // Which record is the first of a file without header is for the other records to say.
    let unmarked = lines && reading.form.columns.is_some();
    let blocks = Mutex::new(blocks.skipping(lines));
    let text = Text { blocks, dialect, wanted, lines, unmarked, reading };
    let mut workers = run(&text, reading, dialect.header_lines)?;
    let skipped = text.blocks.into_inner().unwrap_or_else(PoisonError::into_inner).skipped();
    workers.iter_mut().take(1).for_each(|worker| worker.strays.malformed += skipped);
    Ok(workers)
}

struct Text<'a> {
    blocks: Mutex<Blocks>,
    dialect: &'a Dialect,
    /// Which request each column of the file answers.
    wanted: Vec<Option<usize>>,
    /// Whether quotes hold no line ends.
    lines: bool,
    /// Whether marks in front of records are no part of them.
    unmarked: bool,
    reading: Reading<'a>,
}

impl Parts for Text<'_> {
    type Part = Block;
    /// Where fields end.
    type Scratch = Vec<u32>;

    fn next(&self) -> Result<Option<(u64, Block)>, EngineError> {
        Blocks::hand_out(&self.blocks, self.reading)
    }

    fn encode(&self, block: Block, worker: &mut Worker, ends: &mut Vec<u32>) -> Result<PartSize, Fault> {
        let records = self.records(&block, worker, ends)?;
        worker.flush(records as usize).map_err(|fault| self.in_line(&block, fault))?;
        let lines = memchr::memchr_iter(b'\n', &block.bytes).count() as u64;
        Blocks::take_back(&self.blocks, block);
        Ok(PartSize { records, lines })
    }
}

impl Text<'_> {
    /// A fault of a record, with the line that it begins in.
    #[cold]
    fn in_line(&self, block: &Block, fault: Fault) -> Fault {
        let is_placed = !matches!(fault.kind, FaultKind::Other(_));
        let line = || line_of_record(&block.bytes, self.dialect.delimiter, fault.record);
        Fault { line: is_placed.then(line), ..fault }
    }

    fn records(&self, block: &Block, worker: &mut Worker, ends: &mut Vec<u32>) -> Result<u64, Fault> {
        let quoted = memchr::memchr(b'"', &block.bytes).is_some();
        if let Some(seen) = worker.seen() {
            seen.marks |= memchr::memmem::find(&block.bytes, MARK).is_some();
        }
        let marked = self.unmarked && memchr::memmem::find(&block.bytes, MARK).is_some();
        if !quoted && !marked && !self.dialect.trim {
            let delimiter = self.dialect.delimiter;
            if let Some(records) = regular::encode(&block.bytes, delimiter, &self.wanted, worker, ends) {
                return Ok(records);
            }
        }
        let mut rows = BlockRows { text: self, worker, block, records: 0, column: 0 };
        let read = match quoted {
            // Only here lines are seen to be too long.
            _ if self.lines && (quoted || marked || block.bytes.len() > LONGEST_RECORD) => rows.lines(),
            true => rows.quoted(),
            false => rows.plain(),
        };
        read.map_err(|kind| rows.fault(kind))?;
        Ok(rows.records)
    }
}

/// Gives the fields of a line to `take`, and returns whether its last quote is closed.
///
/// As the csv crate reads them: a quote opens a field only at its start, a doubled one within quotes is one,
/// and what follows a closing quote belongs to the field.
fn split(
    line: &[u8],
    delimiter: u8,
    cell: &mut Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<(), FaultKind>,
) -> Result<bool, FaultKind> {
    let mut rest = Some(line);
    while let Some(field) = rest {
        let end = |text: &[u8]| memchr::memchr(delimiter, text).unwrap_or(text.len());
        let Some(mut quoted) = field.strip_prefix(b"\"") else {
            take(&field[..end(field)])?;
            rest = field.get(end(field) + 1..);
            continue;
        };
        cell.clear();
        loop {
            let Some(quote) = memchr::memchr(b'"', quoted) else { return Ok(false) };
            cell.extend_from_slice(&quoted[..quote]);
            quoted = &quoted[quote + 1..];
            let Some(after) = quoted.strip_prefix(b"\"") else { break };
            cell.push(b'"');
            quoted = after;
        }
        cell.extend_from_slice(&quoted[..end(quoted)]);
        take(cell)?;
        rest = quoted.get(end(quoted) + 1..);
    }
    Ok(true)
}

/// The rows of one block on their way into a worker, field by field.
struct BlockRows<'a, 'r> {
    text: &'a Text<'r>,
    worker: &'a mut Worker,
    block: &'a Block,
    records: u64,
    column: usize,
}

impl BlockRows<'_, '_> {
    /// No quotes: every delimiter and line end counts.
    fn plain(&mut self) -> Result<(), FaultKind> {
        let bytes = &self.block.bytes;
        let mut start = 0;
        for end in memchr::memchr3_iter(self.text.dialect.delimiter, b'\n', b'\r', bytes) {
            let line_ends = bytes[end] != self.text.dialect.delimiter;
            let empty_line = line_ends && self.column == 0 && start == end;
            if !empty_line {
                self.field(&bytes[start..end])?;
                if line_ends {
                    self.end_record()?;
                }
            }
            start = end + 1;
        }
        if start < bytes.len() || self.column > 0 {
            self.field(&bytes[start..])?;
            self.end_record()?;
        }
        Ok(())
    }

    fn quoted(&mut self) -> Result<(), FaultKind> {
        // The csv crate would drop a byte order mark at the block's start, which is none in the
        // middle of a file; after an empty line it does not.
        let bytes = b"\n".chain(&self.block.bytes[..]);
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.text.dialect.delimiter)
            .from_reader(bytes);
        let mut record = csv::ByteRecord::new();
        let open = self.block.last && !ends_outside_quotes(&self.block.bytes, self.text.dialect.delimiter);
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            // The csv crate accepts a field that is never closed, we do not.
            if open && reader.position().byte() as usize > self.block.bytes.len() {
                return Err(FaultKind::OpenQuote);
            }
            for field in &record {
                self.field(field)?;
            }
            self.look(&record);
            self.end_record()?;
        }
        Ok(())
    }

    /// Each line by itself: a quote that it does not close makes it malformed.
    fn lines(&mut self) -> Result<(), FaultKind> {
        let bytes = &self.block.bytes;
        let mut unquoted = Vec::new();
        let mut start = 0;
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).chain(std::iter::once(bytes.len()));
        for end in ends {
            let line = &bytes[start..end];
            let line = if self.text.unmarked { unmarked(line) } else { line };
            start = end + 1;
            if line.is_empty() {
                continue;
            }
            let closed = line.len() <= LONGEST_RECORD
                && split(line, self.text.dialect.delimiter, &mut unquoted, |cell| self.field(cell))?;
            if closed {
                self.end_record()?;
            } else {
                self.drop_malformed();
            }
        }
        Ok(())
    }

    #[cold]
    fn drop_malformed(&mut self) {
        self.worker.drop_malformed(self.records as usize);
        self.column = 0;
    }

    /// Notes line ends within cells, where nothing but that is asked for.
    fn look(&mut self, record: &csv::ByteRecord) {
        if let Some(seen) = self.worker.seen() {
            seen.line_ends |= memchr::memchr2(b'\n', b'\r', record.as_slice()).is_some();
        }
    }

    #[inline]
    fn field(&mut self, cell: &[u8]) -> Result<(), FaultKind> {
        if let Some(&Some(request)) = self.text.wanted.get(self.column) {
            let cell = if self.text.dialect.trim { cell.trim_ascii() } else { cell };
            match self.worker.dictionaries[request].code(cell) {
                Ok(code) => self.worker.codes[request].push(code),
                Err(bad) => return Err(FaultKind::Cell { request, cell: bad, value: cell.into() }),
            }
        }
        self.column += 1;
        Ok(())
    }

    #[inline]
    fn end_record(&mut self) -> Result<(), FaultKind> {
        if self.column != self.text.dialect.width && self.worker.apart {
            self.drop_malformed();
            return Ok(());
        }
        if self.column != self.text.dialect.width {
            return Err(FaultKind::Ragged(self.column, self.text.dialect.width));
        }
        self.records += 1;
        self.column = 0;
        Ok(())
    }

    /// A fault in the record at hand.
    #[cold]
    fn fault(&self, kind: FaultKind) -> Fault {
        let record = self.records + 1;
        let line = line_of_record(&self.block.bytes, self.text.dialect.delimiter, record);
        Fault { record, line: Some(line), kind }
    }
}
