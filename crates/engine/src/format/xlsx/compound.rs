//! Compound files, which old workbooks (`.xls`) are: looked at before the library follows their chains of sectors and takes
//! memory for what they count.
//!
//! The library follows a chain until it ends, so one that leads back to itself would fill all memory. It holds a sheet as the
//! rectangle of its cells, so two of them can be as much as the largest sheet.

use crate::packing::most_unpacked;

const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Numbers from here on are no sector's.
const RESERVED: u32 = 0xffff_fffa;
/// Where the header's list of the tables' sectors begins.
const LISTED: usize = 76;
const HEADER: usize = 512;
/// Bytes of an entry of the directory.
const ENTRY: usize = 128;
/// Streams shorter than this lie in the small sectors.
const SMALL: usize = 4096;
const SMALL_SECTOR: usize = 64;
/// Rows and columns of the largest sheet of an `.xls`.
const ROWS: u64 = 1 << 16;
const COLUMNS: u64 = 1 << 8;

/// Whether a file can be given to the library: what is no compound file can, and what does not read is refused there.
pub(crate) fn is_bounded(content: &[u8]) -> bool {
    !content.starts_with(MAGIC)
        || content.len() < HEADER
        || Compound::read(content).and_then(|file| file.fits()).is_some()
}

struct Compound<'a> {
    content: &'a [u8],
    sector: usize,
    /// Which sector follows each.
    next: Vec<u32>,
}

impl<'a> Compound<'a> {
    /// `None` if the tables of sectors have no end, or are longer than the file.
    fn read(content: &'a [u8]) -> Option<Self> {
        let sector = match number(content, 30, 2)? {
            9 => 512,
            12 => 4096,
            // Another size is refused by the library.
            _ => return Some(Self { content, sector: HEADER, next: Vec::new() }),
        };
        let mut file = Self { content, sector, next: Vec::new() };
        let most = file.sectors();
        let counts = [number(content, 44, 4)?, number(content, 64, 4)?];
        // The library takes memory for so many numbers.
        let listed = u64::from(number(content, 62, 4)?).saturating_mul(4);
        if counts.iter().any(|count| *count as usize > most) || listed > most_unpacked(content.len() as u64) {
            return None;
        }
        let tables = file.tables()?;
        file.next = tables.into_iter().flat_map(|table| numbers(file.bytes(table))).collect();
        Some(file)
    }

    fn sectors(&self) -> usize {
        self.content.len() / self.sector
    }

    /// The bytes of a sector, as far as the file has them.
    fn bytes(&self, id: u32) -> &'a [u8] {
        let start = (id as usize).saturating_add(1).saturating_mul(self.sector);
        let end = start.saturating_add(self.sector).min(self.content.len());
        self.content.get(start..end).unwrap_or_default()
    }

    /// The sectors that tell which sector follows which: those that the header lists, then those of a chain of lists.
    fn tables(&self) -> Option<Vec<u32>> {
        let mut tables: Vec<u32> = numbers(self.content.get(LISTED..HEADER)?).collect();
        let mut list = number(self.content, 68, 4)?;
        for _ in 0..=self.sectors() {
            if list >= RESERVED {
                tables.retain(|id| *id < RESERVED);
                return (tables.len() <= self.sectors()).then_some(tables);
            }
            tables.extend(numbers(self.bytes(list)));
            list = tables.pop()?;
        }
        None
    }

    /// The content of a chain of sectors.
    fn content(&self, first: u32) -> Option<Vec<u8>> {
        Some(chain(&self.next, first)?.into_iter().flat_map(|id| self.bytes(id)).copied().collect())
    }

    /// Whether all chains end, and every sheet is as large as a sheet can be.
    fn fits(&self) -> Option<()> {
        let first = |bytes: &[u8], at: usize| number(bytes, at, 4).unwrap_or(RESERVED);
        let small = self.content(first(self.content, 60))?;
        let small: Vec<u32> = numbers(&small).collect();
        let directory = self.content(first(self.content, 48))?;
        let mut entries = directory.chunks_exact(ENTRY);
        let root = entries.next().unwrap_or_default();
        let stored = self.content(first(root, 116))?;
        let stored: Vec<&[u8]> = stored.chunks(SMALL_SECTOR).collect();
        let part = |id: u32| stored.get(id as usize).copied().unwrap_or_default();
        for entry in entries.filter(|entry| is_workbook(entry)) {
            let (start, length) = (first(entry, 116), first(entry, 120) as usize);
            let mut stream = match length < SMALL {
                true => chain(&small, start)?.into_iter().flat_map(part).copied().collect(),
                false => self.content(start)?,
            };
            stream.truncate(length);
            if !has_small_sheets(&stream) {
                return None;
            }
        }
        Some(())
    }
}

/// Whether an entry of the directory is the stream that holds the sheets, by its name in UTF-16.
fn is_workbook(entry: &[u8]) -> bool {
    let named =
        |name: &str| entry.starts_with(&name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    ["Workbook\0", "Book\0"].into_iter().any(named)
}

/// Whether no record of a workbook's stream is about cells beyond the largest sheet.
fn has_small_sheets(mut stream: &[u8]) -> bool {
    while let Some((kind, length)) = number(stream, 0, 2).zip(number(stream, 2, 2)) {
        let Some(record) = stream.get(4..4 + length as usize) else { return true };
        stream = &stream[4 + length as usize..];
        let last = |at: usize| number(record, at, 2).map_or(0, u64::from);
        let extent = match (kind, record.len()) {
            (0x0200, 14) => (u64::from(number(record, 4, 4).unwrap_or(0)), last(10)),
            (0x0200, 10) => (last(2), last(6)),
            // Cells: a formula, numbers, texts, truths; of several numbers or blanks the last column stands last.
            (0x00bd | 0x00be, 6..) => (last(0), last(record.len() - 2)),
            (0x0006 | 0x00d6 | 0x00fd | 0x0201..=0x0205 | 0x027e, 4..) => (last(0), last(2)),
            _ => continue,
        };
        if extent.0 > ROWS || extent.1 > COLUMNS {
            return false;
        }
    }
    true
}

/// The sectors of a chain; `None` if it leads back to itself.
fn chain(next: &[u32], first: u32) -> Option<Vec<u32>> {
    let following = |id: &u32| next.get(*id as usize).copied().filter(|id| *id < RESERVED);
    let chain = std::iter::successors(Some(first).filter(|id| *id < RESERVED), following);
    let chain: Vec<u32> = chain.take(next.len() + 2).collect();
    (chain.len() < next.len() + 2).then_some(chain)
}

/// A number in little-endian bytes.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u32> {
    let bytes: &[u8] = bytes.get(at..at + width)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).filter_map(|bytes| number(bytes, 0, 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A workbook's stream in a compound file of five sectors: the table of sectors, the directory, and the stream in two.
    fn file(records: &[u8], next: [u32; 5]) -> Vec<u8> {
        let mut file = vec![0; 6 * 512];
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, MAGIC);
        put(30, &[9, 0, 6, 0]);
        put(44, &1u32.to_le_bytes());
        put(48, &1u32.to_le_bytes());
        put(60, &(RESERVED + 4).to_le_bytes());
        put(68, &(RESERVED + 4).to_le_bytes());
        put(LISTED, &[0xff; HEADER - LISTED]);
        put(LISTED, &0u32.to_le_bytes());
        put(512, &[0xff; 512]);
        put(512, &next.map(u32::to_le_bytes).concat());
        put(1024 + 116, &(RESERVED + 4).to_le_bytes());
        put(1024 + ENTRY, b"B\0o\0o\0k\0");
        put(1024 + ENTRY + 116, &2u32.to_le_bytes());
        put(1024 + ENTRY + 120, &(SMALL as u32).to_le_bytes());
        put(1536, records);
        file
    }

    const END: u32 = RESERVED + 4;
    const CHAINS: [u32; 5] = [END, END, 3, END, END];

    #[test]
    fn a_chain_that_leads_back_is_refused() {
        assert!(is_bounded(&file(&[], CHAINS)));
        for next in [[END, END, 2, END, END], [END, 1, 3, END, END], [END, END, 3, 2, END]] {
            assert!(!is_bounded(&file(&[], next)), "{next:?}");
        }
        let mut lists = file(&[], CHAINS);
        lists[68..72].copy_from_slice(&4u32.to_le_bytes());
        lists[6 * 512 - 4..].copy_from_slice(&4u32.to_le_bytes());
        assert!(!is_bounded(&lists), "a list of lists that is its own");
        let mut counted = file(&[], CHAINS);
        counted[46] = 1;
        assert!(!is_bounded(&counted), "more tables than sectors");
        for cut in HEADER..counted.len() {
            // Whatever it says of a file that was cut, it ends.
            is_bounded(&file(&[], CHAINS)[..cut]);
        }
    }

    #[test]
    fn a_sheet_larger_than_any_is_refused() {
        let of = |kind: u16, data: &[u8]| {
            [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
        };
        let sound = [of(0x0809, &[0; 16]), of(0x0200, &[0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 7, 0, 0, 0])].concat();
        assert!(is_bounded(&file(&sound, CHAINS)));
        for record in [
            of(0x0200, &[0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0]),
            of(0x0200, &[0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 7, 7, 0, 0]),
            of(0x0203, &[0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
            of(0x00bd, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]),
        ] {
            assert!(!is_bounded(&file(&[sound.clone(), record].concat(), CHAINS)));
        }
    }
}
