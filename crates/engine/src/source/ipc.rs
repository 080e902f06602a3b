//! Messages of Arrow IPC, checked before the library takes memory for them.
//!
//! The library believes every length that a file states: it takes that memory first and looks at the file then, and a
//! length that no machine has ends the process. So lengths are held here against what is there, and what buffers say they
//! unpack to against [`most_unpacked`]. Other damage makes the library panic, which [`guarded`] catches.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{
    Block, Message, MessageHeader, MetadataVersion, RecordBatch as Batch, root_as_footer, root_as_message,
};
use arrow_schema::SchemaRef;

use crate::guard::guarded;
use crate::packing::most_unpacked;

/// What a file or stream begins each message with, since version 0.15 of the format.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The last bytes of a file: the length of its footer and the format's name.
const TAIL: u64 = 10;

/// The largest description of a message or file: names and places of buffers, no cells.
const MOST_DESCRIBED: u64 = 64 << 20;

/// The most records of one batch. A column of nulls has no buffer that would bound them.
const MOST_RECORDS: i64 = i32::MAX as i64;

/// Why a part cannot be read.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The system refused.
    Io(std::io::Error),
    /// It is not what it says, or cut off.
    Damaged,
    /// Its buffers unpack to more than they may.
    Unpacks,
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof { Self::Damaged } else { Self::Io(error) }
    }
}

/// The columns of a file or stream, and the dictionaries that came.
struct Decoder {
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    projection: Option<Vec<usize>>,
}

impl Decoder {
    fn new(schema: arrow_ipc::Schema<'_>, projection: Option<Vec<usize>>) -> Result<Self, Refused> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(Refused::Damaged);
        }
        let schema = Arc::new(guarded(|| fb_to_schema(schema)).ok_or(Refused::Damaged)?);
        Ok(Self { schema, dictionaries: HashMap::new(), projection })
    }

    /// Takes a dictionary, or gives the records of a batch.
    fn decode(&mut self, described: &[u8], body: &Buffer) -> Result<Option<RecordBatch>, Refused> {
        let message = root_as_message(described).map_err(|_| Refused::Damaged)?;
        let version = message.version();
        match message.header_type() {
            MessageHeader::RecordBatch => {
                let batch = message.header_as_record_batch().ok_or(Refused::Damaged)?;
                check(&batch, body)?;
                self.records(body, batch, version).map(Some)
            }
            MessageHeader::DictionaryBatch => {
                self.dictionary(&message, body, version)?;
                Ok(None)
            }
            _ => Err(Refused::Damaged),
        }
    }

    fn records(
        &self,
        body: &Buffer,
        batch: Batch<'_>,
        version: MetadataVersion,
    ) -> Result<RecordBatch, Refused> {
        let (schema, projection) = (Arc::clone(&self.schema), self.projection.as_deref());
        let read = || read_record_batch(body, batch, schema, &self.dictionaries, projection, &version);
        guarded(read).and_then(Result::ok).ok_or(Refused::Damaged)
    }

    fn dictionary(
        &mut self,
        message: &Message<'_>,
        body: &Buffer,
        version: MetadataVersion,
    ) -> Result<(), Refused> {
        let batch = message.header_as_dictionary_batch().ok_or(Refused::Damaged)?;
        check(&batch.data().ok_or(Refused::Damaged)?, body)?;
        let read = || read_dictionary(body, batch, &self.schema, &mut self.dictionaries, &version);
        guarded(read).and_then(Result::ok).ok_or(Refused::Damaged)
    }
}

/// Holds the lengths that a batch states against its body.
fn check(batch: &Batch<'_>, body: &Buffer) -> Result<(), Refused> {
    if !(0..=MOST_RECORDS).contains(&batch.length()) {
        return Err(Refused::Damaged);
    }
    for node in batch.nodes().ok_or(Refused::Damaged)? {
        if !(0..=MOST_RECORDS).contains(&node.length()) || !(0..=node.length()).contains(&node.null_count()) {
            return Err(Refused::Damaged);
        }
    }
    let mut unpacked: u64 = 0;
    for buffer in batch.buffers().ok_or(Refused::Damaged)? {
        let [offset, length] =
            [buffer.offset(), buffer.length()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let bytes =
            offset.checked_add(length).and_then(|end| body.get(offset..end)).ok_or(Refused::Damaged)?;
        if batch.compression().is_some() && !bytes.is_empty() {
            unpacked = unpacked.saturating_add(unpacked_length(bytes).ok_or(Refused::Damaged)?);
        }
    }
    if unpacked > most_unpacked(body.len() as u64) { Err(Refused::Unpacks) } else { Ok(()) }
}

/// What a packed buffer says it unpacks to: its first eight bytes, -1 where it is not packed after all.
fn unpacked_length(buffer: &[u8]) -> Option<u64> {
    let stated = i64::from_le_bytes(*buffer.first_chunk()?);
    if stated == -1 { Some(0) } else { stated.try_into().ok() }
}

/// A file whose footer was read.
pub(crate) struct File<R> {
    raw: R,
    size: u64,
    batches: Vec<Block>,
    decoder: Decoder,
}

impl<R: Read + Seek> File<R> {
    pub(crate) fn open(mut raw: R, projection: Option<Vec<usize>>) -> Result<Self, Refused> {
        let size = raw.seek(SeekFrom::End(0))?;
        let tail = read_at(&mut raw, size, (size.checked_sub(TAIL).ok_or(Refused::Damaged)?, TAIL))?;
        let length = tail.first_chunk().map_or(-1, |length| i32::from_le_bytes(*length));
        let length =
            u64::try_from(length).ok().filter(|&length| length <= MOST_DESCRIBED).ok_or(Refused::Damaged)?;
        let start = (size - TAIL).checked_sub(length).ok_or(Refused::Damaged)?;
        if !tail.ends_with(b"ARROW1") {
            return Err(Refused::Damaged);
        }
        let footer = read_at(&mut raw, size, (start, length))?;
        let footer = root_as_footer(&footer).map_err(|_| Refused::Damaged)?;
        let decoder = Decoder::new(footer.schema().ok_or(Refused::Damaged)?, projection)?;
        let batches = footer.recordBatches().ok_or(Refused::Damaged)?.iter().copied().collect();
        let mut file = Self { raw, size, batches, decoder };
        for block in footer.dictionaries().into_iter().flatten() {
            file.message(block)?;
        }
        Ok(file)
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.decoder.schema
    }

    pub(crate) fn batches(&self) -> usize {
        self.batches.len()
    }

    /// The records of the batch of that number.
    pub(crate) fn batch(&mut self, number: usize) -> Result<RecordBatch, Refused> {
        let block = self.batches.get(number).copied().ok_or(Refused::Damaged)?;
        self.message(&block)?.ok_or(Refused::Damaged)
    }

    fn message(&mut self, block: &Block) -> Result<Option<RecordBatch>, Refused> {
        let number = |stated: i64| u64::try_from(stated).map_err(|_| Refused::Damaged);
        let (offset, described) = (number(block.offset())?, number(block.metaDataLength().into())?);
        if described > MOST_DESCRIBED {
            return Err(Refused::Damaged);
        }
        let head = read_at(&mut self.raw, self.size, (offset, described))?;
        let body = read_at(&mut self.raw, self.size, (offset + described, number(block.bodyLength())?))?;
        let prefix = if head.starts_with(&CONTINUATION) { 8 } else { 4 };
        self.decoder.decode(head.get(prefix..).ok_or(Refused::Damaged)?, &body)
    }
}

/// So many bytes from there on, if a file of that size has them.
fn read_at(raw: &mut (impl Read + Seek), size: u64, (offset, length): (u64, u64)) -> Result<Buffer, Refused> {
    if offset.checked_add(length).is_none_or(|end| end > size) {
        return Err(Refused::Damaged);
    }
    let length = usize::try_from(length).map_err(|_| Refused::Damaged)?;
    let mut bytes = MutableBuffer::from_len_zeroed(length);
    raw.seek(SeekFrom::Start(offset))?;
    raw.read_exact(&mut bytes)?;
    Ok(bytes.into())
}

/// A stream whose schema was read.
pub(crate) struct Stream<R> {
    reader: R,
    /// The most bytes of a message's body.
    most: u64,
    decoder: Decoder,
}

impl<R: Read> Stream<R> {
    pub(crate) fn open(mut reader: R, projection: Option<Vec<usize>>, most: u64) -> Result<Self, Refused> {
        let (described, _) = next_message(&mut reader, most)?.ok_or(Refused::Damaged)?;
        let message = root_as_message(&described).map_err(|_| Refused::Damaged)?;
        let decoder = Decoder::new(message.header_as_schema().ok_or(Refused::Damaged)?, projection)?;
        Ok(Self { reader, most, decoder })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.decoder.schema
    }

    /// The records of the next batch; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, Refused> {
        while let Some((described, body)) = next_message(&mut self.reader, self.most)? {
            if let Some(batch) = self.decoder.decode(&described, &body)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// The next message's description and its body; `None` at the end.
fn next_message(reader: &mut impl Read, most: u64) -> Result<Option<(Buffer, Buffer)>, Refused> {
    let mut length = [0; 4];
    let read = reader.by_ref().take(4).read(&mut length)?;
    if read == 0 {
        return Ok(None);
    }
    reader.read_exact(&mut length[read..])?;
    if length == CONTINUATION {
        reader.read_exact(&mut length)?;
    }
    let described = u64::try_from(i32::from_le_bytes(length)).map_err(|_| Refused::Damaged)?;
    if described == 0 {
        return Ok(None);
    }
    if described > MOST_DESCRIBED {
        return Err(Refused::Damaged);
    }
    let described = exactly(reader, described)?;
    let message = root_as_message(&described).map_err(|_| Refused::Damaged)?;
    let body = u64::try_from(message.bodyLength()).map_err(|_| Refused::Damaged)?;
    if body > most {
        return Err(Refused::Unpacks);
    }
    let body = exactly(reader, body)?;
    Ok(Some((described, body)))
}

/// So many bytes, for which memory is taken as they come: nobody knows the length of a stream beforehand.
fn exactly(reader: &mut impl Read, length: u64) -> Result<Buffer, Refused> {
    const STEP: u64 = 1 << 24;
    let mut bytes = MutableBuffer::new(0);
    while (bytes.len() as u64) < length {
        let (held, step) = (bytes.len(), STEP.max(bytes.len() as u64).min(length - bytes.len() as u64));
        bytes.resize(held + step as usize, 0);
        reader.read_exact(&mut bytes.as_slice_mut()[held..])?;
    }
    Ok(bytes.into())
}
