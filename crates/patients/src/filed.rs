//! Keys and references of resources by row, in a temporary file: each is another one, and is looked at in the order of the rows.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use velamen_engine::Scratch;

use crate::uuid::{shown, uuid};

/// How many keys are read at a time.
const BLOCK: usize = 128;

/// How many bytes are held before they are written.
const HELD: usize = 1 << 16;

/// What stands before a UUID, and before a text whose length takes four bytes; anything else is the length of the text that follows.
const UUID: u8 = 255;
const LONG: u8 = 254;

/// The keys of a column by row.
///
/// Memory: eight bytes for 128 keys, and what is not written yet. In the file, a UUID takes 17 bytes.
#[derive(Debug)]
pub(crate) struct Filed {
    rows: usize,
    /// Where each block begins.
    starts: Vec<u64>,
    /// What is not in the file, from a block's first byte on.
    tail: Vec<u8>,
    /// How many bytes are in the file.
    written: u64,
    reading: Mutex<Reading>,
    /// Whether a block could not be read again.
    is_lost: AtomicBool,
    folder: Arc<Scratch>,
}

/// The block that was read last, and the key in it.
#[derive(Debug, Default)]
struct Reading {
    file: Option<File>,
    block: Option<usize>,
    bytes: Vec<u8>,
    /// The row at which `at` stands.
    row: usize,
    at: usize,
}

/// A key as it is filed.
enum Key<'a> {
    Uuid(u128),
    Text(&'a [u8]),
}

impl Filed {
    /// No keys. The file is made in a folder when they are many.
    pub(crate) fn new(folder: &Arc<Scratch>) -> Self {
        Self {
            rows: 0,
            starts: Vec::new(),
            tail: Vec::new(),
            written: 0,
            reading: Mutex::default(),
            is_lost: AtomicBool::new(false),
            folder: Arc::clone(folder),
        }
    }

    /// How many there are.
    pub(crate) const fn len(&self) -> usize {
        self.rows
    }

    /// The folder of its file.
    pub(crate) const fn folder(&self) -> &Arc<Scratch> {
        &self.folder
    }

    /// Adds the key of the next row.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn push(&mut self, key: &str) -> io::Result<()> {
        if self.rows.is_multiple_of(BLOCK) {
            if self.tail.len() >= HELD {
                self.write()?;
            }
            self.starts.push(self.written + self.tail.len() as u64);
        }
        match (uuid(key), key.len()) {
            (Some(uuid), _) => {
                self.tail.push(UUID);
                self.tail.extend_from_slice(&uuid.to_be_bytes());
            }
            (None, short) if short < usize::from(LONG) => {
                self.tail.push(short as u8);
                self.tail.extend_from_slice(key.as_bytes());
            }
            (None, long) => {
                self.tail.push(LONG);
                self.tail.extend_from_slice(&(long as u32).to_be_bytes());
                self.tail.extend_from_slice(key.as_bytes());
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn write(&mut self) -> io::Result<()> {
        let reading = self.reading.get_mut().unwrap_or_else(PoisonError::into_inner);
        if reading.file.is_none() {
            reading.file = Some(made(self.folder.path())?);
        }
        if let Some(file) = &mut reading.file {
            file.seek(SeekFrom::Start(self.written))?;
            file.write_all(&self.tail)?;
        }
        self.written += self.tail.len() as u64;
        self.tail.clear();
        Ok(())
    }

    /// The text of a key; an empty one if the file is lost.
    pub(crate) fn text(&self, row: usize) -> String {
        self.with(row, |key| match key {
            Key::Uuid(uuid) => shown(uuid),
            Key::Text(text) => String::from_utf8_lossy(text).into_owned(),
        })
        .unwrap_or_default()
    }

    /// The UUID that a key is; `None` where it is none.
    pub(crate) fn uuid(&self, row: usize) -> Option<u128> {
        self.with(row, |key| match key {
            Key::Uuid(uuid) => Some(uuid),
            Key::Text(_) => None,
        })?
    }

    /// Whether a key is empty, or the file is lost.
    pub(crate) fn is_empty(&self, row: usize) -> bool {
        self.with(row, |key| matches!(key, Key::Text([]))).unwrap_or(true)
    }

    /// Whether all keys could be read.
    ///
    /// # Errors
    /// If the file was written and cannot be read any more.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.is_lost.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(io::Error::other("a temporary file of keys cannot be read any more")),
        }
    }

    fn with<T>(&self, row: usize, of: impl FnOnce(Key<'_>) -> T) -> Option<T> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.found(row, &mut reading);
        if found.is_none() {
            self.is_lost.store(true, Ordering::Relaxed);
        }
        found.map(of)
    }

    fn found<'r>(&self, row: usize, reading: &'r mut Reading) -> Option<Key<'r>> {
        let block = row / BLOCK;
        if reading.block != Some(block) {
            reading.block = None;
            self.load(block, reading).ok()?;
        }
        if row < reading.row {
            (reading.row, reading.at) = (block * BLOCK, 0);
        }
        while reading.row < row {
            let (_, end) = key(&reading.bytes, reading.at)?;
            (reading.row, reading.at) = (reading.row + 1, end);
        }
        key(&reading.bytes, reading.at).map(|(found, _)| found)
    }

    /// Reads a block.
    fn load(&self, block: usize, reading: &mut Reading) -> io::Result<()> {
        let start = self.starts.get(block).copied().ok_or(io::ErrorKind::UnexpectedEof)?;
        let end = self.starts.get(block + 1).copied().unwrap_or(self.written + self.tail.len() as u64);
        reading.bytes.clear();
        match (start.checked_sub(self.written), &mut reading.file) {
            (Some(from), _) => {
                reading.bytes.extend_from_slice(&self.tail[from as usize..(end - self.written) as usize]);
            }
            (None, Some(file)) => {
                reading.bytes.resize((end - start) as usize, 0);
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(&mut reading.bytes)?;
            }
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        }
        (reading.block, reading.row, reading.at) = (Some(block), block * BLOCK, 0);
        Ok(())
    }
}

/// A file of a name that no other has.
fn made(folder: &Path) -> io::Result<File> {
    let options = |number: usize| {
        let path = folder.join(format!("keys-{number}"));
        File::options().read(true).write(true).create_new(true).open(path)
    };
    let is_taken = |made: &io::Result<File>| {
        made.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists)
    };
    (0..).map(options).find(|made| !is_taken(made)).unwrap_or_else(|| Err(io::ErrorKind::Other.into()))
}

/// The key at a place, and where the next one begins.
fn key(bytes: &[u8], at: usize) -> Option<(Key<'_>, usize)> {
    let (start, length) = match *bytes.get(at)? {
        UUID => {
            let uuid = bytes.get(at + 1..at + 17)?.first_chunk()?;
            return Some((Key::Uuid(u128::from_be_bytes(*uuid)), at + 17));
        }
        LONG => (at + 5, u32::from_be_bytes(*bytes.get(at + 1..at + 5)?.first_chunk()?) as usize),
        short => (at + 1, usize::from(short)),
    };
    Some((Key::Text(bytes.get(start..start + length)?), start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key of each kind, by row.
    fn text(row: usize) -> String {
        match row % 5 {
            0 => String::new(),
            1 => format!("00000000-0000-4000-8000-{row:012x}"),
            2 => row.to_string(),
            3 => format!("FFFFFFFF-0000-4000-8000-{row:012x}"),
            _ => "é".repeat(row % 300),
        }
    }

    #[test]
    fn keys_are_found_in_any_order() {
        let folder = Arc::new(Scratch::new("velamen-test-").unwrap());
        let mut filed = Filed::new(&folder);
        let rows = 5_000;
        (0..rows).for_each(|row| filed.push(&text(row)).unwrap());
        assert!(filed.written > 0 && !filed.tail.is_empty());
        let some = (0..rows).chain((0..rows).rev().step_by(7)).chain([0, 4_999, 1, 129, 128, 127]);
        for row in some {
            assert_eq!(filed.text(row), text(row));
            assert_eq!((filed.uuid(row), filed.is_empty(row)), (uuid(&text(row)), text(row).is_empty()));
        }
        filed.check().unwrap();
        assert_eq!(filed.text(rows), "");
        assert!(filed.check().is_err());
    }

    #[test]
    fn two_columns_have_two_files() {
        let folder = Arc::new(Scratch::new("velamen-test-").unwrap());
        let mut both = [Filed::new(&folder), Filed::new(&folder)];
        for row in 0..20_000 {
            both[0].push(&row.to_string()).unwrap();
            both[1].push(&(row + 1).to_string()).unwrap();
        }
        assert_eq!([both[0].text(9), both[1].text(9)], ["9", "10"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
