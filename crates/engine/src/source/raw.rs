//! Bytes that can be read from any place: a file's, or a buffer's.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// Where bytes are.
#[derive(Debug)]
pub enum Raw {
    /// In a file.
    File(File),
    /// In memory.
    Memory(Cursor<Bytes>),
}

impl Raw {
    /// The same bytes once more; of a file, both share a position.
    pub(crate) fn try_clone(&self) -> std::io::Result<Self> {
        Ok(match self {
            Self::File(file) => Self::File(file.try_clone()?),
            Self::Memory(memory) => Self::Memory(memory.clone()),
        })
    }
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

    fn get_read(&self, start: u64) -> Result<Box<dyn Read>> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Memory(memory) => Box::new(memory.get_ref().get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Memory(memory) => memory.get_ref().get_bytes(start, length),
        }
    }
}
