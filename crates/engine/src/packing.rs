//! How files are packed as a whole.

use std::io::{BufWriter, Error, ErrorKind, Read, Write};

use velamen_core::error::Problem;

/// How a file is packed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

/// A packed stream is cut off or damaged: no fault of the system that reads it.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.problem())]
pub(crate) struct Damaged;

impl Damaged {
    pub(crate) fn problem(&self) -> Problem {
        Problem::new("the packed file is cut off or damaged").mend("copy it again")
    }
}

/// What comes out of a packed stream, whose faults are [`Damaged`] unless the system refused.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.raw_os_error() {
            None if error.kind() != ErrorKind::Interrupted => Error::new(ErrorKind::InvalidData, Damaged),
            _ => error,
        })
    }
}

/// What packed data may unpack to at a time before they count as damaged.
const FREE: u64 = 64 << 20;

/// And so much more for each of their bytes: what deflate can reach is 1,032, and LZ4 255.
const RATIO: u64 = 1000;

/// The most bytes that so many packed ones may unpack to where all are held at once: a file of a few kilobytes takes no
/// gigabytes.
#[must_use]
pub fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).saturating_add(FREE)
}

/// What this build was made without.
pub(crate) fn left_out(what: &str, feature: &str) -> Problem {
    Problem::new(format!("`{what}`: this build reads and writes no such files"))
        .mend(format!("build velamen with its feature `{feature}`"))
}

impl Compression {
    const ALL: [Self; 2] = [Self::Gzip, Self::Zstd];

    /// How the names of such files end.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }

    /// The feature that this build lacks for it.
    pub(crate) fn lacks(self) -> Option<&'static str> {
        let built = self != Self::Zstd || cfg!(feature = "zstd");
        (!built).then_some("zstd")
    }

    /// By the first bytes.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        match bytes {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            _ => Self::None,
        }
    }

    /// A name without the suffix, and what the suffix says.
    pub(crate) fn of_name(name: &str) -> (&str, Self) {
        let packed = |packing: Self| Some((name.strip_suffix(packing.suffix())?, packing));
        Self::ALL.into_iter().find_map(packed).unwrap_or((name, Self::None))
    }

    /// What comes out of a packed stream.
    pub(crate) fn unpacked(self, raw: impl Read + Send + 'static) -> std::io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(raw),
            Self::Gzip => Box::new(Unpacked(flate2::read::MultiGzDecoder::new(raw))),
            Self::Zstd => unzstd(raw)?,
        })
    }

    /// Runs a writer over a stream that is packed, and finishes it. `failed` says what a fault of the stream
    /// itself is.
    pub(crate) fn packed<E>(
        self,
        raw: impl Write + Send,
        failed: impl Fn(std::io::Error) -> E,
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::None => {
                let mut out = BufWriter::with_capacity(1 << 16, raw);
                write(&mut out)?;
                out.flush().map_err(failed)
            }
            Self::Gzip => {
                let mut out = flate2::write::GzEncoder::new(raw, flate2::Compression::default());
                write(&mut out)?;
                out.finish().map(drop).map_err(failed)
            }
            Self::Zstd => zstd(raw, failed, write),
        }
    }
}

#[cfg(feature = "zstd")]
fn unzstd(raw: impl Read + Send + 'static) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(Unpacked(zstd::stream::read::Decoder::new(raw)?)))
}

#[cfg(feature = "zstd")]
fn zstd<E>(
    raw: impl Write + Send,
    failed: impl Fn(std::io::Error) -> E,
    write: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    let mut out = zstd::stream::write::Encoder::new(raw, 0).map_err(&failed)?;
    write(&mut out)?;
    out.finish().map(drop).map_err(failed)
}

/// A build without the feature.
#[cfg(not(feature = "zstd"))]
fn unzstd(_: impl Read + Send + 'static) -> std::io::Result<Box<dyn Read + Send>> {
    Err(without_zstd())
}

/// A build without the feature.
#[cfg(not(feature = "zstd"))]
fn zstd<E>(
    _: impl Write + Send,
    failed: impl Fn(std::io::Error) -> E,
    _: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), E>,
) -> Result<(), E> {
    Err(failed(without_zstd()))
}

#[cfg(not(feature = "zstd"))]
fn without_zstd() -> Error {
    Error::new(ErrorKind::Unsupported, left_out(Compression::Zstd.suffix(), "zstd"))
}
