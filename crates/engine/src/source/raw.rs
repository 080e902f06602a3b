//! Bytes that can be read from any place: a file's, or a buffer's.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};

use bytes::Bytes;

/// Where bytes are.
#[derive(Debug)]
pub enum Raw {
    /// In a file.
    File(File),
    /// In memory.
    Memory(Cursor<Bytes>),
}

impl Read for Raw {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Memory(memory) => memory.read(buffer),
        }
    }
}

impl Seek for Raw {
    fn seek(&mut self, place: SeekFrom) -> std::io::Result<u64> {
        match self {
            Self::File(file) => file.seek(place),
            Self::Memory(memory) => memory.seek(place),
        }
    }
}
