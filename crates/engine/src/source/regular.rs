//! The fast path for delimited text: blocks without quotes whose every line has every column.
//!
//! First all delimiters and line feeds are found, 64 bytes at a time; then each requested column
//! is encoded on its own, so that its dictionary stays in the nearest cache and the look-ups do
//! not wait for each other.

use crate::dictionary::Dictionary;
use crate::worker::Worker;

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Encodes a block; `None` if it is not regular or holds a bad cell, with no record added.
///
/// Whatever is refused here is left to the path that looks at one field after the other.
pub(crate) fn encode(
    bytes: &[u8],
    delimiter: u8,
    wanted: &[Option<usize>],
    worker: &mut Worker,
    ends: &mut Vec<u32>,
) -> Option<u64> {
    ends.clear();
    // A single column's empty lines would look like empty cells.
    if wanted.len() < 2 || u32::try_from(bytes.len()).is_err() {
        return None;
    }
    find_ends(bytes, delimiter, ends);
    let carriage_returns = lines_are_regular(bytes, wanted.len(), ends)?;
    let lines = RegularLines { bytes, width: wanted.len(), ends, carriage_returns };
    for (column, request) in wanted.iter().enumerate() {
        let Some(request) = *request else { continue };
        if lines.encode(column, &mut worker.dictionaries[request], &mut worker.codes[request]).is_none() {
            worker.codes.iter_mut().for_each(Vec::clear);
            return None;
        }
    }
    Some((ends.len() / wanted.len()) as u64)
}

/// Lines of which each has `width` fields.
struct RegularLines<'a> {
    bytes: &'a [u8],
    width: usize,
    /// Where each field ends, the last of a line at its line feed.
    ends: &'a [u32],
    carriage_returns: bool,
}

impl RegularLines<'_> {
    /// Appends the codes of a column; `None` if a cell has none.
    fn encode(&self, column: usize, dictionary: &mut Dictionary, codes: &mut Vec<u32>) -> Option<()> {
        let lines = self.ends.chunks_exact(self.width);
        let strip = self.carriage_returns && column + 1 == self.width;
        let old = codes.len();
        codes.resize(old + lines.len(), 0);
        let mut line_start = 0;
        for (line, code) in lines.zip(&mut codes[old..]) {
            let start = if column == 0 { line_start } else { line[column - 1] + 1 } as usize;
            let end = line[column] as usize;
            let end = end - usize::from(strip && self.bytes[end - 1] == b'\r');
            *code = dictionary.code_within(self.bytes, start, end).ok()?;
            line_start = line[self.width - 1] + 1;
        }
        Some(())
    }
}

/// The positions of delimiters and line feeds; the end of the text closes a last line.
fn find_ends(bytes: &[u8], delimiter: u8, ends: &mut Vec<u32>) {
    let patterns = [delimiter, b'\n'].map(|byte| u64::from(byte) * LOW);
    let (chunks, tail) = bytes.as_chunks::<64>();
    let mut found = [0; 64];
    let mut base = 0;
    for chunk in chunks {
        let mut mask = 0;
        for (index, word) in chunk.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*word);
            let marks = equal_bytes(word, patterns[0]) | equal_bytes(word, patterns[1]);
            mask |= gathered(marks) << (8 * index);
        }
        let count = mask.count_ones() as usize;
        for place in &mut found[..count] {
            *place = base + mask.trailing_zeros();
            mask &= mask - 1;
        }
        ends.extend_from_slice(&found[..count]);
        base += 64;
    }
    let in_tail = (base..).zip(tail).filter(|&(_, &byte)| byte == delimiter || byte == b'\n');
    ends.extend(in_tail.map(|(position, _)| position));
    if bytes.last().is_some_and(|&byte| byte != b'\n') {
        ends.push(bytes.len() as u32);
    }
}

/// The high bit of each byte of `word` that equals the byte repeated in `pattern`.
#[inline]
fn equal_bytes(word: u64, pattern: u64) -> u64 {
    let difference = word ^ pattern;
    !(((difference & !HIGH) + !HIGH) | difference) & HIGH
}

/// The eight high bits side by side, the lowest byte's first.
#[inline]
fn gathered(marks: u64) -> u64 {
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Whether lines end with carriage returns too; `None` if some line has not `width` fields or a
/// carriage return stands elsewhere.
fn lines_are_regular(bytes: &[u8], width: usize, ends: &[u32]) -> Option<bool> {
    if !ends.len().is_multiple_of(width) {
        return None;
    }
    let line_ends = ends.chunks_exact(width).map(|line| line[width - 1] as usize);
    let feeds = line_ends.clone().filter(|&end| bytes.get(end).is_none_or(|&byte| byte == b'\n')).count();
    let unended = usize::from(bytes.last() != Some(&b'\n'));
    if feeds != ends.len() / width || feeds != memchr::memchr_iter(b'\n', bytes).count() + unended {
        return None;
    }
    let returns = memchr::memchr_iter(b'\r', bytes).count();
    let at_ends = || line_ends.filter(|&end| bytes[end - 1] == b'\r').count();
    (returns == 0 || returns == at_ends()).then_some(returns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_exact() {
        for text in [*b",,a\n,\x2d\x2c\xac", [b','; 8], [0xac; 8], [0; 8]] {
            let expected =
                text.iter().enumerate().fold(0, |mask, (i, &b)| mask | (u64::from(b == b',') << i));
            let marks = equal_bytes(u64::from_le_bytes(text), u64::from(b',') * LOW);
            assert_eq!(gathered(marks), expected);
        }
    }

    #[test]
    fn ends_are_found_across_chunks() {
        for length in 0..200 {
            let text: Vec<u8> = (0..length).map(|i| b",ab\n"[i * i % 7 % 4]).collect();
            let mut ends = Vec::new();
            find_ends(&text, b',', &mut ends);
            let mut expected: Vec<u32> =
                (0..).zip(&text).filter(|(_, b)| b",\n".contains(b)).map(|(i, _)| i).collect();
            if text.last().is_some_and(|b| *b != b'\n') {
                expected.push(length as u32);
            }
            assert_eq!(ends, expected);
        }
    }

    #[test]
    fn what_is_not_regular_is_refused() {
        let regular = |text: &str| {
            let mut ends = Vec::new();
            find_ends(text.as_bytes(), b',', &mut ends);
            lines_are_regular(text.as_bytes(), 2, &ends)
        };
        assert_eq!(regular("a,b\nc,d"), Some(false));
        assert_eq!(regular("a,b\r\nc,d\r\n"), Some(true));
        for text in ["a,b\n\nc,d\n", "a,b,c\nd\n", "a\nb,c,d\n", "a,b\rc,d\n", "a\r,b\r\n", "a,b\r\r\n", "a"]
        {
            assert_eq!(regular(text), None, "{text:?}");
        }
    }
}
