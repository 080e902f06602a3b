//! The first bytes of a text.

use std::io::Read;

use super::file::SourceFile;
use crate::error::EngineError;

/// The first bytes of a text, whether they are all, and the reader of what follows.
pub(crate) type Head = (Vec<u8>, bool, Box<dyn Read + Send>);

/// A header is searched for in so many bytes.
pub(crate) const LONGEST_HEADER: usize = 64 << 20;

/// At least one record of a text, unless it is shorter, and the rest.
pub(crate) fn head(file: &SourceFile, delimiter: u8) -> Result<Head, EngineError> {
    let mut reader = file.table_reader()?;
    let mut head = Vec::new();
    let mut chunk = 1 << 16;
    loop {
        let read = reader.by_ref().take(chunk).read_to_end(&mut head).map_err(file.failed("read"))?;
        let ended = (read as u64) < chunk;
        if ended || header_end(&head, delimiter) < head.len() || head.len() > LONGEST_HEADER {
            return Ok((head, ended, reader));
        }
        // A long record is looked through some times, not once for each of its chunks.
        chunk = head.len() as u64;
    }
}

/// The byte order mark of UTF-8.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The length of a byte order mark.
pub(crate) fn bom(bytes: &[u8]) -> usize {
    if bytes.starts_with(MARK) { MARK.len() } else { 0 }
}

/// A record of a file without header, without the marks in front of it. Which record such a file begins with depends on the
/// others, so a mark says nothing at any place.
pub(crate) fn unmarked(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_prefix(MARK) {
        line = rest;
    }
    line
}

/// Where the first record ends; the length of `head` if it does not.
pub(crate) fn header_end(head: &[u8], delimiter: u8) -> usize {
    let start = bom(head);
    start + first_record(&head[start..], delimiter).0
}

/// The end of the first record and its fields.
pub(crate) fn first_record(text: &[u8], delimiter: u8) -> (usize, csv::ByteRecord) {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(text);
    let mut record = csv::ByteRecord::new();
    // Reading from memory cannot fail, and ragged records are allowed here.
    let _ = reader.read_byte_record(&mut record);
    let mut end = reader.position().byte() as usize;
    if text.get(end) == Some(&b'\n') && end > 0 && text[end - 1] == b'\r' {
        end += 1;
    }
    (end.min(text.len()), record)
}
