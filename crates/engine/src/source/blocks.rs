//! A text file in blocks that end where a record ends.

use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::reading::Reading;
use crate::error::{DataProblem, EngineError};

/// Bytes of a block, as a rule: with what is made of it, it fits a core's cache.
const BLOCK: usize = 1 << 17;

/// A record longer than this is a mistake of delimiter or quote.
pub(crate) const LONGEST_RECORD: usize = 256 << 20;

/// What ends a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// A line feed, wherever it stands.
    Lines,
    /// A line feed or a carriage return, wherever it stands.
    Returns,
    /// A line end outside quotes.
    Delimited {
        /// After which, as after a line end, a quote opens a field.
        delimiter: u8,
    },
}

/// Hands out blocks in order. Each begins at the start of a record.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    /// Bytes read but not handed out.
    carry: Vec<u8>,
    ended: bool,
    next: u64,
    ends: Ends,
    block: usize,
    longest: usize,
    /// Whether longer records are passed over, and how many were.
    skips: bool,
    skipped: u64,
    /// Buffers that came back.
    spare: Vec<Vec<u8>>,
}

/// A block and its place in the file.
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Whether nothing follows.
    pub(crate) last: bool,
}

/// Reading failed, or the content is hopeless.
#[derive(Debug)]
pub(crate) enum BlockError {
    Io(std::io::Error),
    Data(DataProblem),
}

impl BlockError {
    pub(crate) fn explain(self, path: &Path) -> EngineError {
        match self {
            Self::Io(source) => EngineError::io(path, "read")(source),
            Self::Data(problem) => EngineError::data(path, problem),
        }
    }
}

impl Blocks {
    pub(crate) fn new(reader: Box<dyn Read + Send>, carry: Vec<u8>, ended: bool, ends: Ends) -> Self {
        Self {
            reader,
            carry,
            ended,
            next: 0,
            ends,
            block: BLOCK,
            longest: LONGEST_RECORD,
            skips: false,
            skipped: 0,
            spare: Vec::new(),
        }
    }

    #[cfg(test)]
    pub(crate) fn with_block_size(mut self, block: usize) -> Self {
        self.block = block;
        self
    }

    #[cfg(test)]
    pub(crate) fn with_longest(mut self, longest: usize) -> Self {
        self.longest = longest;
        self
    }

    /// The same that passes over records that are too long, if that is asked for.
    pub(crate) fn skipping(mut self, skips: bool) -> Self {
        self.skips = skips;
        self
    }

    /// How many records were passed over.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next block and its number, for one of several workers.
    pub(crate) fn hand_out(
        blocks: &Mutex<Self>,
        reading: Reading<'_>,
    ) -> Result<Option<(u64, Block)>, EngineError> {
        let next = blocks.lock().unwrap_or_else(PoisonError::into_inner).next();
        reading.file.report(reading.context.progress);
        next.map_err(|error| error.explain(reading.file.path()))
    }

    /// Takes a block's memory for one that follows.
    pub(crate) fn take_back(blocks: &Mutex<Self>, mut block: Block) {
        block.bytes.clear();
        blocks.lock().unwrap_or_else(PoisonError::into_inner).spare.push(block.bytes);
    }

    /// The next block; `None` at the end and after an error.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Block)>, BlockError> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.append(&mut self.carry);
        let filled = self.fill(&mut bytes);
        self.ended |= filled.is_err();
        let end = filled?;
        self.carry.extend_from_slice(&bytes[end..]);
        bytes.truncate(end);
        if bytes.is_empty() {
            return Ok(None);
        }
        let number = self.next;
        self.next += 1;
        Ok(Some((number, Block { bytes, last: self.ended && self.carry.is_empty() })))
    }

    /// Reads until a record is complete and returns where the last complete one ends.
    fn fill(&mut self, bytes: &mut Vec<u8>) -> Result<usize, BlockError> {
        let mut wanted = self.block;
        loop {
            if !self.ended && bytes.len() < wanted {
                let missing = wanted - bytes.len();
                bytes.reserve(missing);
                let read =
                    self.reader.by_ref().take(missing as u64).read_to_end(bytes).map_err(BlockError::Io)?;
                self.ended = read < missing;
            }
            let end = if self.ended { bytes.len() } else { last_record_end(bytes, self.ends) };
            if end > 0 || self.ended {
                return Ok(end);
            }
            if bytes.len() > self.longest && self.skips {
                self.skip(bytes).map_err(BlockError::Io)?;
                wanted = self.block;
                continue;
            }
            if bytes.len() > self.longest {
                return Err(BlockError::Data(DataProblem::RecordTooLong { limit: self.longest }));
            }
            // One byte more shows that it is too long.
            wanted = (bytes.len().max(self.block) * 2).min(self.longest.max(bytes.len()) + 1);
        }
    }
}

impl Blocks {
    /// Passes over the rest of a record, of which `bytes` is a part; what follows it is left there.
    fn skip(&mut self, bytes: &mut Vec<u8>) -> std::io::Result<()> {
        self.skipped += 1;
        loop {
            let end = match self.ends {
                Ends::Lines => memchr::memchr(b'\n', bytes),
                _ => memchr::memchr2(b'\n', b'\r', bytes),
            };
            if let Some(end) = end {
                bytes.drain(..=end);
                return Ok(());
            }
            bytes.clear();
            if self.ended {
                return Ok(());
            }
            let read = self.reader.by_ref().take(self.block as u64).read_to_end(bytes)?;
            self.ended = read < self.block;
        }
    }
}

/// The position after the last record that is complete in `bytes`; 0 if none is.
fn last_record_end(bytes: &[u8], ends: Ends) -> usize {
    let delimiter = match ends {
        Ends::Delimited { delimiter } if memchr::memchr(b'"', bytes).is_some() => delimiter,
        Ends::Delimited { .. } | Ends::Returns => {
            return memchr::memrchr2(b'\n', b'\r', bytes).map_or(0, |position| position + 1);
        }
        Ends::Lines => return memchr::memrchr(b'\n', bytes).map_or(0, |position| position + 1),
    };
    let (mut state, mut end) = (Scan::FieldStart, 0);
    for (position, &byte) in bytes.iter().enumerate() {
        state = state.after(byte, delimiter);
        if state == Scan::RecordEnd {
            end = position + 1;
            state = Scan::FieldStart;
        }
    }
    end
}

/// Whether the text does not stop inside a quoted field.
pub(crate) fn ends_outside_quotes(bytes: &[u8], delimiter: u8) -> bool {
    let mut state = Scan::FieldStart;
    for &byte in bytes {
        state = state.after(byte, delimiter).or_field_start();
    }
    state != Scan::Quoted
}

/// The line, counted from 1, on which the record of that number, counted from 1, begins.
pub(crate) fn line_of_record(bytes: &[u8], delimiter: u8, record: u64) -> u64 {
    let (mut state, mut line, mut begun, mut inside) = (Scan::FieldStart, 1, 0, false);
    for &byte in bytes {
        if !inside && byte != b'\n' && byte != b'\r' {
            begun += 1;
            inside = true;
            if begun == record {
                return line;
            }
        }
        line += u64::from(byte == b'\n');
        state = state.after(byte, delimiter);
        inside &= state != Scan::RecordEnd;
        state = state.or_field_start();
    }
    line
}

/// Where a byte leaves the reader of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scan {
    FieldStart,
    Plain,
    Quoted,
    QuoteInQuoted,
    RecordEnd,
}

impl Scan {
    fn or_field_start(self) -> Self {
        if self == Self::RecordEnd { Self::FieldStart } else { self }
    }

    fn after(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::QuoteInQuoted,
            (Self::Quoted, _) | (Self::FieldStart | Self::QuoteInQuoted, b'"') => Self::Quoted,
            (_, b'\n' | b'\r') => Self::RecordEnd,
            (_, byte) if byte == delimiter => Self::FieldStart,
            _ => Self::Plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_with_records_and_lose_nothing() {
        let text = b"a,\"x\ny\"\nb,z\n\"c\"\"\n\",1\nlast,2";
        for size in 1..text.len() + 2 {
            let ends = Ends::Delimited { delimiter: b',' };
            let mut blocks = Blocks::new(Box::new(&text[..]), Vec::new(), false, ends).with_block_size(size);
            let (mut all, mut count) = (Vec::new(), 0);
            while let Some((number, block)) = blocks.next().unwrap() {
                assert_eq!(number, count);
                assert!(block.bytes.ends_with(b"\n") || text.ends_with(&block.bytes));
                assert!(!block.bytes.starts_with(b"y"), "cut inside quotes at size {size}");
                all.extend(block.bytes);
                count += 1;
            }
            assert_eq!(all, text);
        }
    }
}
