//! A file that is read, or a buffer as if it were one, and how far its reading is.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use velamen_core::context::Progress;

use super::decode::{Encoding, decoded};
use super::raw::Raw;
use super::unchanged::FileState;
use crate::error::{DataProblem, EngineError};
use crate::packing::{Compression, most_unpacked};

/// The first bytes of a file that a format may be told by.
pub(crate) const FIRST: usize = 8;

/// The file that a table is read from.
#[derive(Debug, Clone)]
pub struct SourceFile {
    path: PathBuf,
    compression: Compression,
    size: u64,
    /// The file as it was opened, if it is one.
    state: Option<FileState>,
    /// What would stand in the file, if it is in memory.
    memory: Option<Bytes>,
    /// How its text is encoded, if not as UTF-8.
    encoding: Option<&'static Encoding>,
    /// How many lines of it stand above the table.
    above: u64,
    read: Arc<AtomicU64>,
}

impl SourceFile {
    /// A file that is there, not known to be packed, and its first bytes.
    pub(crate) fn open(path: &Path) -> Result<(Self, Vec<u8>), EngineError> {
        // A pipe would be waited for.
        let found = path.metadata().map_err(EngineError::io(path, "open"))?;
        if !found.is_file() && !found.is_dir() {
            return Err(EngineError::data(path, DataProblem::NotPlain));
        }
        if cfg!(target_os = "wasi") {
            // In a page of the browser files are in memory, and have no second handle.
            let content = std::fs::read(path).map_err(EngineError::io(path, "read"))?;
            return Ok(Self::memory(path, content.into()));
        }
        let file = File::open(path).map_err(EngineError::io(path, "open"))?;
        let metadata = file.metadata().map_err(EngineError::io(path, "read"))?;
        let mut first = Vec::new();
        file.take(FIRST as u64).read_to_end(&mut first).map_err(EngineError::io(path, "read"))?;
        let (size, state) = (metadata.len(), FileState::of(&metadata));
        Ok((Self { size, state, ..Self::label(path) }, first))
    }

    /// A buffer, not known to be packed, and its first bytes.
    pub(crate) fn memory(label: &Path, content: Bytes) -> (Self, Vec<u8>) {
        let first = content[..content.len().min(FIRST)].to_vec();
        (Self { size: content.len() as u64, memory: Some(content), ..Self::label(label) }, first)
    }

    /// No file, but what messages call the records.
    pub(crate) fn label(path: &Path) -> Self {
        let (compression, read) = (Compression::None, Arc::default());
        Self {
            path: path.to_owned(),
            compression,
            size: 0,
            state: None,
            memory: None,
            encoding: None,
            above: 0,
            read,
        }
    }

    /// The same file, packed that way.
    pub(crate) fn packed(self, compression: Compression) -> Self {
        Self { compression, ..self }
    }

    /// The same file, whose text is encoded so.
    pub(crate) fn encoded(self, encoding: Option<&'static Encoding>) -> Self {
        Self { encoding, ..self }
    }

    /// The same file, whose table begins below so many lines.
    pub(crate) fn below(self, above: u64) -> Self {
        Self { above, ..self }
    }

    /// How many lines, or rows of a sheet, stand above the table.
    #[must_use]
    pub fn above(&self) -> u64 {
        self.above
    }

    /// Where it lies, or what messages call it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is packed as a whole.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The most bytes of its content that may be held at once.
    pub(crate) fn most_held(&self) -> u64 {
        if self.compression == Compression::None { u64::MAX } else { most_unpacked(self.size) }
    }

    /// The file as it lies there, packed or not.
    ///
    /// # Errors
    /// [`EngineError::Io`].
    pub fn raw(&self) -> Result<Raw, EngineError> {
        match &self.memory {
            Some(content) => Ok(Raw::Memory(Cursor::new(content.clone()))),
            None => File::open(&self.path).map(Raw::File).map_err(self.failed("open")),
        }
    }

    /// Its content from the start, unpacked and as UTF-8, counting what is read.
    ///
    /// # Errors
    /// [`EngineError::Io`].
    pub fn reader(&self) -> Result<Box<dyn Read + Send>, EngineError> {
        let raw = self.raw()?;
        self.read.store(0, Ordering::Relaxed);
        let metered = Metered { raw, read: Arc::clone(&self.read) };
        let content = self.compression.unpacked(metered).map_err(self.failed("read"))?;
        Ok(match self.encoding {
            Some(encoding) => decoded(content, encoding),
            None => content,
        })
    }

    /// The same without the lines above the table.
    ///
    /// # Errors
    /// [`EngineError::Io`].
    pub(crate) fn table_reader(&self) -> Result<Box<dyn Read + Send>, EngineError> {
        let content = self.reader()?;
        Ok(if self.above == 0 { content } else { Box::new(Below { content, above: self.above }) })
    }

    /// The error that the content is of.
    #[must_use]
    pub fn refused(&self, problem: DataProblem) -> EngineError {
        EngineError::data(&self.path, problem)
    }

    /// What an error of reading it is.
    pub fn failed(&self, action: &'static str) -> impl Fn(std::io::Error) -> EngineError + use<> {
        EngineError::io(&self.path, action)
    }

    pub(crate) fn report(&self, progress: &dyn Progress) {
        progress.step("reading", self.read.load(Ordering::Relaxed), self.size);
    }

    /// # Errors
    /// [`EngineError::Data`] if it is another file than the one that was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), EngineError> {
        self.state.map_or(Ok(()), |state| state.check(&self.path))
    }
}

/// Text without its first lines.
struct Below<R> {
    content: R,
    /// The lines that are still to be left out.
    above: u64,
}

impl<R: Read> Read for Below<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let read = self.content.read(buffer)?;
            if read == 0 || self.above == 0 {
                return Ok(read);
            }
            let ends =
                memchr::memchr_iter(b'\n', &buffer[..read]).take(self.above.try_into().unwrap_or(usize::MAX));
            let (passed, last) = ends.fold((0, 0), |(passed, _), end| (passed + 1, end + 1));
            self.above -= passed;
            if self.above == 0 && last < read {
                buffer.copy_within(last..read, 0);
                return Ok(read - last);
            }
        }
    }
}

/// Bytes that are counted as they are taken.
struct Metered {
    raw: Raw,
    read: Arc<AtomicU64>,
}

impl Read for Metered {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.raw.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte more each time, so that lines end anywhere in a piece.
    struct Growing<'a>(&'a [u8], usize);

    impl Read for Growing<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            let piece = self.1.min(buffer.len()).min(self.0.len());
            buffer[..piece].copy_from_slice(&self.0[..piece]);
            self.0 = &self.0[piece..];
            Ok(piece)
        }
    }

    #[test]
    fn lines_above_the_table_are_left_out_wherever_a_piece_ends() {
        let text = "Export of March\r\n\nage;sex\n41;F\n42;M\n";
        for above in 0..7 {
            let mut found = String::new();
            Below { content: Growing(text.as_bytes(), 0), above }.read_to_string(&mut found).unwrap();
            let expected: String = text.split_inclusive('\n').skip(above as usize).collect();
            assert_eq!(found, expected, "{above}");
        }
    }
}
