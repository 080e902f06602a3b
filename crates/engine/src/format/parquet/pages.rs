//! The headers of a Parquet file's pages, looked at before the library takes memory for what they say.
//!
//! A page is unpacked as a whole, into as many bytes as its header states, and a column's dictionary is held with it. The
//! library takes that memory before it looks at the page. So every header is read here first (Thrift's compact
//! protocol), which costs a look at some bytes of each page.

use std::io::Read;

use bytes::Bytes;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::packing::most_unpacked;
use crate::source::Raw;

/// Bytes that are read for a header at first; one with long statistics takes more.
const WINDOW: u64 = 1 << 9;

/// The longest header.
const LONGEST: u64 = 16 << 20;

/// Structures of headers nest three deep.
const DEEPEST: u8 = 8;

/// Why pages are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadPages {
    /// A header does not read, or says what cannot be.
    Damaged,
    /// What is held at once would be too much.
    Unpack,
}

/// Looks at the headers of all pages of some of a row group's columns.
///
/// # Errors
/// [`BadPages`].
pub(crate) fn check(
    raw: &Raw,
    group: &RowGroupMetaData,
    wanted: impl Fn(&ColumnChunkMetaData) -> bool,
) -> Result<(), BadPages> {
    let (mut held, mut packed) = (0u64, 0u64);
    for chunk in group.columns().iter().filter(|chunk| wanted(chunk)) {
        let place = place(chunk)
            .filter(|(start, length)| start.checked_add(*length).is_some_and(|end| end <= raw.len()));
        let (start, length) = place.ok_or(BadPages::Damaged)?;
        held = held.saturating_add(largest(raw, start, length).ok_or(BadPages::Damaged)?);
        packed = packed.saturating_add(length);
    }
    if held > most_unpacked(packed) { Err(BadPages::Unpack) } else { Ok(()) }
}

/// Where a column's pages begin and how long they are together.
fn place(chunk: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    let first = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    Some((first.try_into().ok()?, chunk.compressed_size().try_into().ok()?))
}

/// The bytes of a column's largest page and its dictionary, unpacked.
fn largest(raw: &Raw, mut at: u64, length: u64) -> Option<u64> {
    let end = at.checked_add(length)?;
    let (mut dictionary, mut page) = (0u64, 0u64);
    while at < end {
        let header = header(raw, at, end - at)?;
        at = at.checked_add(header.length)?.checked_add(header.packed)?;
        if header.dictionary {
            dictionary = dictionary.saturating_add(header.unpacked);
        }
        page = page.max(header.unpacked);
    }
    (at == end).then(|| dictionary.saturating_add(page))
}

fn header(raw: &Raw, at: u64, left: u64) -> Option<PageHeader> {
    let mut window = WINDOW;
    loop {
        let bytes: Bytes = raw.get_bytes(at, window.min(left) as usize).ok()?;
        match PageHeader::read(&bytes) {
            None if window < left.min(LONGEST) => window *= 16,
            header => return header,
        }
    }
}

/// What a page's header says.
#[derive(Debug, Default, PartialEq, Eq)]
struct PageHeader {
    length: u64,
    unpacked: u64,
    packed: u64,
    dictionary: bool,
}

impl PageHeader {
    /// `None` if the bytes are too few, or none of a header.
    fn read(bytes: &[u8]) -> Option<Self> {
        let mut thrift = Thrift { bytes, at: 0 };
        let (mut header, mut field) = (Self::default(), 0);
        while let Some(kind) = thrift.field(&mut field)? {
            match (field, kind) {
                (2, INTEGER) => header.unpacked = thrift.size()?,
                (3, INTEGER) => header.packed = thrift.size()?,
                (7, STRUCTURE) => {
                    header.dictionary = true;
                    thrift.skip(kind, 0)?;
                }
                _ => thrift.skip(kind, 0)?,
            }
        }
        header.length = thrift.at as u64;
        Some(header)
    }
}

const INTEGER: u8 = 5;
const STRUCTURE: u8 = 12;

/// Thrift's compact protocol.
struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number that is not negative: its sign stands in the lowest bit.
    fn size(&mut self) -> Option<u64> {
        let number = self.number()?;
        (number & 1 == 0).then_some(number >> 1)
    }

    /// The kind of the next field, whose number is put into `field`; `None` at a structure's end.
    fn field(&mut self, field: &mut u64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *field = match byte >> 4 {
            0 => self.size()?,
            more => *field + u64::from(more),
        };
        Some(Some(byte & 15))
    }

    fn pass(&mut self, length: u64) -> Option<()> {
        self.at = self.at.checked_add(usize::try_from(length).ok()?).filter(|&at| at <= self.bytes.len())?;
        Some(())
    }

    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // A truth's value is its kind.
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.number().map(drop),
            7 => self.pass(8),
            8 => {
                let length = self.number()?;
                self.pass(length)
            }
            9 | 10 => self.skip_list(depth),
            STRUCTURE => {
                let mut field = 0;
                while let Some(kind) = self.field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            // No header has a map.
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: u8) -> Option<()> {
        let head = self.byte()?;
        let length = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        for _ in 0..length {
            // In a list a truth is a byte.
            let kind = if head & 15 <= 2 { 3 } else { head & 15 };
            self.skip(kind, depth + 1)?;
        }
        Some(())
    }
}

impl Raw {
    /// The same bytes once more; of a file, both share a position.
    pub(super) fn try_clone(&self) -> std::io::Result<Self> {
        Ok(match self {
            Self::File(file) => Self::File(file.try_clone()?),
            Self::Memory(memory) => Self::Memory(memory.clone()),
        })
    }
}

impl Length for Raw {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Memory(memory) => memory.get_ref().len() as u64,
        }
    }
}

impl ChunkReader for Raw {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Box<dyn Read>> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Memory(memory) => Box::new(memory.get_ref().get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Memory(memory) => memory.get_ref().get_bytes(start, length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_past_what_is_not_needed() {
        // Type 0, 300 bytes unpacked, 20 packed, a data page of 7 values whose statistics have a text.
        let data = [
            0x15, 0, 0x15, 0xd8, 0x04, 0x15, 40, 0x2c, 0x15, 14, 0x15, 0, 0x2c, 0x18, 2, b'a', b'b', 0, 0, 0,
        ];
        let header = PageHeader::read(&data).unwrap();
        assert_eq!(header, PageHeader { length: 20, unpacked: 300, packed: 20, dictionary: false });
        assert!((0..data.len()).all(|cut| PageHeader::read(&data[..cut]).is_none()));
        let dictionary = [0x15, 4, 0x15, 8, 0x15, 8, 0x4c, 0x15, 2, 0, 0];
        assert!(PageHeader::read(&dictionary).unwrap().dictionary);
    }

    #[test]
    fn lengths_that_no_page_has_are_none() {
        assert_eq!(PageHeader::read(&[0x25, 0x01, 0]), None, "a negative size");
        assert_eq!(
            PageHeader::read(&[0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0]),
            None,
            "a long text"
        );
        assert_eq!(PageHeader::read(&[0x1c; 4096]), None, "deep structures");
    }
}
