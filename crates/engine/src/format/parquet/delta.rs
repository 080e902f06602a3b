//! Delta-coded Parquet pages, looked at before the library takes memory for what they say.
//!
//! Such a page holds lengths as differences: a few bytes can state a thousand million of them, or texts that each
//! repeat a long beginning of the one before. The library takes memory for all of them at once, so they are counted
//! here first, page by page, on their way to it.

use std::sync::Arc;

use bytes::Bytes;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescPtr;

use crate::packing::most_unpacked;
use crate::source::Raw;

/// A row group whose pages are looked at as they are read.
pub(crate) struct CheckedGroup<'a> {
    pub(crate) file: Arc<Raw>,
    pub(crate) metadata: &'a ParquetMetaData,
    pub(crate) group: usize,
}

impl CheckedGroup<'_> {
    fn group(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.group)
    }
}

impl RowGroups for CheckedGroup<'_> {
    fn num_rows(&self) -> usize {
        self.group().num_rows() as usize
    }

    fn column_chunks(&self, column: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.group().column(column);
        let pages = SerializedPageReader::new(Arc::clone(&self.file), chunk, self.num_rows(), None)?;
        Ok(Box::new(OneChunk(Some(CheckedPages { pages, column: chunk.column_descr_ptr() }))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.group()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}

struct OneChunk(Option<CheckedPages>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as Box<dyn PageReader>))
    }
}

impl PageIterator for OneChunk {}

struct CheckedPages {
    pages: SerializedPageReader<Raw>,
    column: ColumnDescPtr,
}

impl CheckedPages {
    fn checked(&self, page: Page) -> Result<Page> {
        let is_fit = match page.encoding() {
            Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY => {
                values(&page, &self.column).is_some_and(|bytes| fits(bytes, page.encoding()))
            }
            _ => true,
        };
        if is_fit { Ok(page) } else { Err(ParquetError::General("damaged".into())) }
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// The bytes of a page behind its levels, which say where cells are missing.
fn values<'a>(page: &'a Page, column: &ColumnDescPtr) -> Option<&'a [u8]> {
    let bytes: &Bytes = page.buffer();
    match page {
        Page::DataPageV2 { def_levels_byte_len, rep_levels_byte_len, .. } => {
            bytes.get(def_levels_byte_len.checked_add(*rep_levels_byte_len)? as usize..)
        }
        _ => {
            let levels = [column.max_rep_level(), column.max_def_level()];
            levels.iter().filter(|&&most| most > 0).try_fold(&bytes[..], |bytes, _| {
                let (length, rest) = bytes.split_first_chunk()?;
                rest.get(u32::from_le_bytes(*length) as usize..)
            })
        }
    }
}

/// Whether what the library would hold for a page is in proportion to the page.
fn fits(bytes: &[u8], encoding: Encoding) -> bool {
    let most = most_unpacked(bytes.len() as u64);
    let repeats = encoding == Encoding::DELTA_BYTE_ARRAY;
    let repeated = if repeats { Lengths::read(bytes, most) } else { Some((Lengths::default(), bytes)) };
    let all = repeated.and_then(|(repeated, rest)| Some((repeated, Lengths::read(rest, most)?.0)));
    all.is_some_and(|(repeated, own)| {
        let held = [repeated.number, own.number].map(|number| number.saturating_mul(size_of::<i32>() as u64));
        held.iter().fold(repeated.sum.saturating_add(own.sum), |all, &some| all.saturating_add(some)) <= most
    })
}

/// Lengths that are coded as differences.
#[derive(Debug, Default, PartialEq, Eq)]
struct Lengths {
    number: u64,
    sum: u64,
}

impl Lengths {
    /// Also the bytes behind them. `None` if they do not read, are negative, or come to more than `most`.
    fn read(bytes: &[u8], most: u64) -> Option<(Self, &[u8])> {
        let mut reader = DeltaReader { bytes };
        let (block, parts) = (reader.number()?, reader.number()?);
        let (number, first) = (reader.number()?, reader.signed()?);
        if parts == 0 || block % 128 != 0 || block % parts != 0 || number > most / size_of::<i32>() as u64 {
            return None;
        }
        let mut lengths = Self { number, sum: 0 };
        let (mut length, mut left) = (first, number);
        let mut add = |length: i64| {
            lengths.sum = lengths.sum.checked_add(u64::try_from(length).ok()?).filter(|&sum| sum <= most)?;
            Some(())
        };
        if left > 0 {
            add(length)?;
            left -= 1;
        }
        while left > 0 {
            let least = reader.signed()?;
            for width in reader.pass(parts)? {
                if left == 0 {
                    break;
                }
                let packed = reader.pass((block / parts).checked_mul(u64::from(*width))?.div_ceil(8))?;
                let here = left.min(block / parts);
                for place in 0..here {
                    let step = bits(packed, place, *width)?.wrapping_add(least);
                    // What the library computes in, too.
                    length = i64::from((length as i32).wrapping_add(step as i32));
                    add(length)?;
                }
                left -= here;
            }
        }
        Some((lengths, reader.bytes))
    }
}

/// The number at a place of a list of numbers of as many bits each, the lowest first.
fn bits(packed: &[u8], place: u64, width: u8) -> Option<i64> {
    if width == 0 {
        return Some(0);
    }
    if width > 64 {
        return None;
    }
    let at = place * u64::from(width);
    let bytes = packed.get((at / 8) as usize..)?;
    let mut number = [0; 16];
    let taken = bytes.len().min(number.len());
    number[..taken].copy_from_slice(&bytes[..taken]);
    let number = u128::from_le_bytes(number) >> (at % 8) & ((1 << width) - 1);
    Some(number as i64)
}

struct DeltaReader<'a> {
    bytes: &'a [u8],
}

impl<'a> DeltaReader<'a> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Its sign stands in the lowest bit.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn pass(&mut self, length: u64) -> Option<&'a [u8]> {
        let (passed, rest) = self.bytes.split_at_checked(usize::try_from(length).ok()?)?;
        self.bytes = rest;
        Some(passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of 128 in 4 parts; numbers 7, 5, 3, 1, 2, 3, 4, 5, of the format's description: least difference -2,
    /// the others two bits each.
    const DESCRIBED: [u8; 18] = [0x80, 1, 4, 8, 14, 3, 2, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0, 0, 0];

    #[test]
    fn the_formats_own_example() {
        let bytes = [&DESCRIBED[..], b"rest"].concat();
        let (lengths, rest) = Lengths::read(&bytes, 1 << 20).unwrap();
        assert_eq!((lengths, rest), (Lengths { number: 8, sum: 30 }, &b"rest"[..]));
        assert!((0..DESCRIBED.len()).all(|cut| Lengths::read(&DESCRIBED[..cut], 1 << 20).is_none()));
        assert_eq!(Lengths::read(&DESCRIBED, 29), None, "more than the most");
    }

    #[test]
    fn many_lengths_in_few_bytes_are_refused() {
        // A block of 2^31 lengths, one part, of no bits each.
        let forged = [0x80, 0x80, 0x80, 0x80, 8, 1, 0x80, 0x80, 0x80, 0x80, 4, 0, 0, 0];
        assert!(!fits(&forged, Encoding::DELTA_LENGTH_BYTE_ARRAY));
        // 2^24 lengths of 1: what they come to is held for each.
        let few = [0x80, 0x80, 0x80, 8, 1, 0x80, 0x80, 0x80, 8, 2, 0, 0];
        assert!(Lengths::read(&few, 1 << 26).is_some() && Lengths::read(&few, 1 << 25).is_none());
    }
}
