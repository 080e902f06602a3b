//! Whether a file is what this version writes of the records in it: byte for byte, in their order.
//!
//! What a table cannot show lies between its cells: metadata, spellings of numbers, quotes, line ends, a byte-order mark,
//! parts that no reader looks at. A file that is written again the same has none of it.

use std::io::{BufReader, Read, Write};
use std::path::Path;

use velamen_core::context::Context;

use crate::error::EngineError;
use crate::format::FileFormat;
use crate::packing::Compression;
use crate::sink::out::Out;
use crate::source::SourceFile;

impl FileFormat {
    /// Whether a file of this format holds what this version writes of its records, and nothing else. A file that does not
    /// read is none.
    ///
    /// Time: that of reading and writing it; memory: a few blocks.
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be read, [`EngineError::Interrupted`].
    pub fn is_as_written(
        self,
        path: &Path,
        delimiter: u8,
        context: &Context<'_>,
    ) -> Result<bool, EngineError> {
        let (file, _) = SourceFile::open(path)?;
        let packed = if self.format.facts.packs_itself { Compression::None } else { self.compression };
        let file = file.packed(self.compression);
        let mut compared = Compared::new(BufReader::with_capacity(1 << 16, file.raw()?));
        let written = packed.packed(&mut compared, EngineError::io(path, "write"), |to| {
            (self.format.rewrite)(&file, delimiter, Out { to, label: path })
        });
        context.check()?;
        match written {
            Ok(()) => Ok(compared.ends_here()),
            // What does not read as it should is not what was written; nor can it be told from a fault of the disk.
            Err(EngineError::Interrupted(interrupted)) => Err(interrupted.into()),
            Err(_) => Ok(false),
        }
    }
}

/// What is written, compared with what is there.
struct Compared<R> {
    there: R,
    differs: bool,
    buffer: Vec<u8>,
}

impl<R: Read> Compared<R> {
    fn new(there: R) -> Self {
        Self { there, differs: false, buffer: Vec::new() }
    }

    fn ends_here(mut self) -> bool {
        !self.differs && self.there.read(&mut [0]).is_ok_and(|more| more == 0)
    }
}

impl<R: Read> Write for Compared<R> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.buffer.resize(bytes.len(), 0);
        let same = self.there.read_exact(&mut self.buffer).is_ok() && self.buffer == bytes;
        self.differs |= !same;
        // The first difference ends the writing.
        if same { Ok(bytes.len()) } else { Err(std::io::Error::other("the file is another")) }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
