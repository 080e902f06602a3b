//! File formats: each a file here, found by name, by extension and by first bytes in [`FORMATS`].

mod arrow;
mod csv;
mod entry;
mod ndjson;
mod parquet;
mod tsv;
mod xlsx;

pub(crate) use self::xlsx::{sheet, sheets};

pub use self::entry::{Begin, Delimited, Entry, Facts, Programs, Reader, Rewrite, Sign, Writer};

use std::path::Path;
use std::str::FromStr;

use velamen_core::error::Problem;
use velamen_core::registry::Registry;

use crate::packing::{Compression, left_out};

/// All formats.
pub static FORMATS: Registry<Entry> =
    Registry::new(&[csv::ENTRY, tsv::ENTRY, parquet::ENTRY, arrow::ENTRY, ndjson::ENTRY, xlsx::ENTRY]);

/// A format and its packing.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// The table format.
    pub format: &'static Entry,
    /// The packing.
    pub compression: Compression,
}

/// No two formats have the same name.
impl PartialEq for FileFormat {
    fn eq(&self, other: &Self) -> bool {
        (self.format.name, self.compression) == (other.format.name, other.compression)
    }
}

/// What tables in memory are: their columns have types, as those of this format.
pub const IN_MEMORY: FileFormat = FileFormat { format: &arrow::ENTRY, compression: Compression::None };

impl Default for FileFormat {
    /// Plain delimited text, which is what files are that show nothing.
    fn default() -> Self {
        Self { format: &csv::ENTRY, compression: Compression::None }
    }
}

impl FileFormat {
    /// From the file's name and first bytes; delimited text if neither decides.
    #[must_use]
    pub fn sniff(path: &Path, first: &[u8]) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let (stem, _) = Compression::of_name(&name);
        let told = |sure: bool| FORMATS.iter().find(|format| format.is_told(sure, first));
        let by_name = || format_of(stem.rsplit_once('.')?.1);
        let format = told(true).or_else(by_name).or_else(|| told(false));
        Self { format: format.unwrap_or(Self::default().format), compression: Compression::of_bytes(first) }
    }

    /// From the file's name alone; `None` if that does not tell.
    #[must_use]
    pub fn named(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_lowercase();
        let (stem, compression) = Compression::of_name(&name);
        Some(Self { format: format_of(stem.rsplit_once('.')?.1)?, compression })
    }

    /// Of a file that is to be written under that name; delimited text if the name has no extension.
    ///
    /// # Errors
    /// A [`Problem`] if the extension is that of no format that can be written.
    pub fn to_write(path: &Path) -> Result<Self, Problem> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let (stem, compression) = Compression::of_name(&name);
        let Some((_, end)) = stem.rsplit_once('.') else {
            return Ok(Self { compression, ..Self::default() });
        };
        let format = format_of(end).filter(|format| format.is_written());
        format.map(|format| Self { format, compression }).ok_or_else(|| unwritten(end))
    }

    /// Itself, or delimited text in place of a format that is only read.
    #[must_use]
    pub fn written(self) -> Self {
        if self.format.is_written() { self } else { Self::default() }
    }

    /// The file extension, without a dot in front.
    #[must_use]
    pub fn extension(self) -> String {
        format!("{}{}", self.format.name, self.compression.suffix())
    }

    /// Whether it is delimited text.
    #[must_use]
    pub fn is_delimited(self) -> bool {
        self.format.facts.delimited.is_some()
    }

    /// Whether something can stand above the table: lines of delimited text, or rows of a sheet.
    #[must_use]
    pub fn has_lines(self) -> bool {
        self.is_delimited() || !self.format.is_written()
    }

    /// The usual delimiter of delimited text that can have another one.
    #[must_use]
    pub fn free_delimiter(self) -> Option<u8> {
        self.format.facts.delimited.filter(|delimited| delimited.free).map(|delimited| delimited.usual)
    }

    /// Refuses a format or packing that this build was made without.
    ///
    /// # Errors
    /// Names the feature.
    pub(crate) fn built(self) -> Result<Self, Problem> {
        let lacks = self.format.lacks.map(|feature| (self.format.name, feature));
        let lacks = lacks.or_else(|| Some((self.compression.suffix(), self.compression.lacks()?)));
        match lacks {
            None => Ok(self),
            Some((what, feature)) => Err(left_out(what, feature)),
        }
    }

    /// Whether each record names its columns, so that records decide which ones there are.
    #[must_use]
    pub fn is_keyed(self) -> bool {
        self.format.facts.keyed
    }
}

/// The formats' names, as messages tell them.
pub fn names() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| std::iter::once(format.name).chain(format.also.iter().copied()))
}

fn format_of(name: &str) -> Option<&'static Entry> {
    FORMATS.iter().find(|format| format.is_called(name))
}

/// `a, b or c`.
fn one_of(names: &[&str], or: &str) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} {or} {last}", some.join(", ")),
    }
}

/// The formats whose records can be counted by another engine, as messages tell them.
pub(crate) fn counted_elsewhere() -> String {
    let counted = FORMATS.iter().filter(|format| format.reader.count.is_some());
    one_of(&counted.map(|format| format.name).collect::<Vec<_>>(), "and")
}

impl FromStr for FileFormat {
    type Err = Problem;

    /// `csv`, `tsv`, `parquet`, `arrow`, `feather`, `ndjson`, `xlsx` or `ods`; text formats also with `.gz` or `.zst`.
    fn from_str(text: &str) -> Result<Self, Problem> {
        let (name, compression) = Compression::of_name(text);
        let format = format_of(name).ok_or_else(|| unknown(text))?;
        if format.facts.packs_itself && compression != Compression::None {
            return Err(Problem::new(format!("`{text}`: {name} compresses its own columns"))
                .mend("leave the suffix out"));
        }
        Self { format, compression }.built()
    }
}

fn unwritten(end: &str) -> Problem {
    let written: Vec<_> =
        FORMATS.iter().filter(|format| format.is_written()).map(|format| format.name).collect();
    Problem::new(format!("nothing is written in the format `{end}`"))
        .expected(format!("a file name that ends in {}", one_of(&written, "or")))
}

fn unknown(text: &str) -> Problem {
    Problem::new(format!("unknown format `{text}`")).expected(one_of(&names().collect::<Vec<_>>(), "or"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_alone_decides_what_is_written() {
        let written = |name: &str| FileFormat::to_write(Path::new(name)).map(FileFormat::extension);
        assert_eq!(written("a.tsv.gz").unwrap(), "tsv.gz");
        assert_eq!(written("stays").unwrap(), "csv");
        assert_eq!(written("a.txt").unwrap(), "csv");
        for refused in ["a.docx", "a.xlsx", "a.foo.zst"] {
            assert!(written(refused).unwrap_err().to_string().contains("ends in csv, tsv, "), "{refused}");
        }
    }

    #[test]
    fn names_and_first_bytes_tell_the_format() {
        let sniff = |name: &str, magic: &[u8]| FileFormat::sniff(Path::new(name), magic).extension();
        assert_eq!(sniff("a.csv", b"x,y"), "csv");
        assert_eq!(sniff("a.CSV.gz", &[0x1f, 0x8b, 8]), "csv.gz");
        assert_eq!(sniff("a.bin", b"PAR1...."), "parquet");
        assert_eq!(sniff("a.feather", b"ARROW1.."), "arrow");
        assert_eq!(sniff("patients", b"{\"a\":1}"), "ndjson");
        assert_eq!(sniff("adult.data", b"39, S"), "csv");
        assert_eq!(sniff("patients.ods", b"PK\x03\x04...."), "xlsx");
        let named = |name: &str| FileFormat::named(Path::new(name)).map(FileFormat::extension);
        assert_eq!(
            (named("a.CSV.gz").as_deref(), named("patients"), named("a.bin")),
            (Some("csv.gz"), None, None)
        );
    }

    #[test]
    fn the_formats_that_are_named_are_listed() {
        assert_eq!(
            (IN_MEMORY.extension(), FileFormat::default().extension()),
            ("arrow".into(), "csv".into())
        );
        for named in [IN_MEMORY, FileFormat::default()] {
            assert!(FORMATS.find(named.format.name).is_some());
        }
    }

    #[test]
    fn every_extension_reads_back() {
        for name in ["csv", "csv.gz", "tsv.zst", "parquet", "arrow", "ndjson.gz"] {
            assert_eq!(name.parse::<FileFormat>().unwrap().extension(), name);
        }
        assert!("docx".parse::<FileFormat>().is_err());
        let book: FileFormat = "ods".parse().unwrap();
        assert_eq!((book.extension(), book.written().extension()), ("xlsx".into(), "csv".into()));
        assert!("parquet.gz".parse::<FileFormat>().is_err());
    }
}
