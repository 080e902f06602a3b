//! What is known of a file format.

use velamen_core::registry::Named;

use crate::error::{DataProblem, EngineError};
use crate::sink::lines::Lines;
use crate::sink::out::{BatchWriter, Out};
use crate::sink::table::OutTable;
use crate::source::file::SourceFile;
use crate::source::form::{CountedRecords, Form, Header};
use crate::source::reading::Reading;
use crate::worker::Worker;

/// A file format: its names, what is peculiar to it, how it is read and how it is written.
#[derive(Debug)]
pub struct Entry {
    /// The name, with which the names of its files end, too.
    pub name: &'static str,
    /// Further names that messages tell.
    pub also: &'static [&'static str],
    /// Further ends of the names of its files; they are known as names, too.
    pub extensions: &'static [&'static str],
    /// How its files begin, where that sets them apart from others.
    pub sign: Option<Sign>,
    /// What is peculiar to it.
    pub facts: Facts,
    /// How it is read.
    pub reader: Reader,
    /// How it is written.
    pub writer: Writer,
    /// How the records of a file are written again in their order, with nothing of the file besides.
    pub rewrite: Rewrite,
    /// How others read it.
    pub programs: Programs,
    /// The feature that this build lacks for it: its files are known, and refused with that name.
    pub lacks: Option<&'static str>,
}

impl Entry {
    /// What a build without a feature has in place of a format; its names and facts are to be filled in.
    pub(super) const fn left_out(feature: &'static str) -> Self {
        Self {
            name: "",
            also: &[],
            extensions: &[],
            sign: None,
            facts: Facts { delimited: None, keyed: false, packs_itself: false, media_type: "" },
            reader: Reader {
                open: |file, _| Err(refused(file, "read")),
                read: |reading| Err(refused(reading.file, "read")),
                count: None,
            },
            writer: Writer::Unwritten,
            rewrite: |file, _, _| Err(refused(file, "written")),
            programs: Programs::NONE,
            lacks: Some(feature),
        }
    }

    /// Whether files of that ending are of this format.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.also.contains(&name) || self.extensions.contains(&name)
    }

    /// Whether its files can be written, too.
    #[must_use]
    pub fn is_written(&self) -> bool {
        !matches!(self.writer, Writer::Unwritten)
    }

    /// Whether a file that begins so is of this format, as a sign of this kind shows.
    pub(crate) fn is_told(&self, sure: bool, first: &[u8]) -> bool {
        self.sign.is_some_and(|sign| sign.sure == sure && first.starts_with(sign.bytes))
    }
}

/// Of a format that is not read or not written.
fn refused(file: &SourceFile, what: &str) -> EngineError {
    file.refused(DataProblem::Format(format!("files of this format are not {what}").into()))
}

impl Named for Entry {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// The line that reads a file into `data` in other programs, each empty where a program cannot; `{file}` and
/// `{delimiter}` stand for the file's name and what delimits its cells.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Programs {
    pub pandas: &'static str,
    pub polars: &'static str,
    pub r: &'static str,
    pub duckdb: &'static str,
}

impl Programs {
    /// Of a format that nothing is written in.
    pub const NONE: Self = Self { pandas: "", polars: "", r: "", duckdb: "" };
}

/// How the files of a format begin.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// The first bytes, at most 8.
    pub bytes: &'static [u8],
    /// Whether they tell more than the file's name does.
    pub sure: bool,
}

/// What is peculiar to a format.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Delimited text, which has no types, and knows formulas.
    pub delimited: Option<Delimited>,
    /// Each record names its columns: which ones a table has, and in what order, depends on its records.
    pub keyed: bool,
    /// Its files pack their own parts and are never packed as a whole.
    pub packs_itself: bool,
    /// What the web calls its files (IANA's media types).
    pub media_type: &'static str,
}

/// What delimits the cells of delimited text.
#[derive(Debug, Clone, Copy)]
pub struct Delimited {
    /// The usual delimiter.
    pub usual: u8,
    /// Whether a file can have another one.
    pub free: bool,
}

/// How a format is read.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// Finds out the columns of a file.
    pub open: fn(&SourceFile, &Form) -> Result<Header, EngineError>,
    /// Reads what is asked for of all records. What workers make of them must not depend on how the records were
    /// shared.
    pub read: fn(Reading<'_>) -> Result<Vec<Worker>, EngineError>,
    /// Counts the records, of formats that a cluster reads by itself: it takes what is not delimited for Parquet.
    pub count: Option<fn(Reading<'_>) -> Result<CountedRecords, EngineError>>,
}

/// How a format is written.
#[derive(Debug, Clone, Copy)]
pub enum Writer {
    /// As lines of text, cells parted by a delimiter if the format lets it choose.
    Lines(for<'a> fn(&'a OutTable, u8) -> Lines<'a>),
    /// As batches.
    Batches(Begin),
    /// Not at all: its files are only read.
    Unwritten,
}

/// Writes a file's records again as [`Writer`] writes them; the byte is the delimiter, where the format lets it choose. An
/// error if one of them cannot have been written so.
pub type Rewrite = fn(&SourceFile, u8, Out<'_>) -> Result<(), EngineError>;

/// Begins a file with a table's columns.
pub type Begin = for<'a> fn(&OutTable, Out<'a>) -> Result<Box<dyn BatchWriter + 'a>, EngineError>;
