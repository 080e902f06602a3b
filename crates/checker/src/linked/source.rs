//! Rows of a released file, whatever its format.

use std::fs::File;
use std::path::{Path, PathBuf};

use velamen_contract::linked::{LinkedManifest, RESOURCES, Shape, Table};

use super::fhir::Resources;
use super::rows::{Row, Source};
use super::unreadable::Unreadable;

/// The most rows of a table: numbers above this one have meanings of their own.
const MOST_ROWS: u64 = (u32::MAX - 16) as u64;

/// What the checker is lent by who calls it: no rule, and nothing of what a release promises.
pub trait Host: Sync {
    /// The rows of a file whose format is not read here, such as Parquet; `None` where nobody reads it.
    fn open<'a>(&'a self, _file: &Path) -> Option<Result<Box<dyn Source + 'a>, Unreadable>> {
        None
    }

    /// Whether the check is to end.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Lends nothing.
pub struct Alone;

impl Host for Alone {}

/// A release as it is read.
#[derive(Clone, Copy)]
pub(super) struct Folder<'a> {
    pub(super) path: &'a Path,
    pub(super) host: &'a dyn Host,
}

/// Rows between two looks at whether the check is to end.
const ROWS_AT_A_TIME: u64 = 1 << 12;

impl Folder<'_> {
    /// Ends the check where it is to end, which is looked at once in many rows, or where a file of whatever format has too many.
    pub(super) fn check(&self, row: u64) -> Result<(), Unreadable> {
        if row > MOST_ROWS {
            return Err(Unreadable::TooLong { file: self.path.to_owned() });
        }
        match row.is_multiple_of(ROWS_AT_A_TIME) && self.host.is_stopped() {
            true => Err(Unreadable::Interrupted),
            false => Ok(()),
        }
    }
}

/// Opens the file of a released table: resources of FHIR, or by its ending.
pub(super) fn of_table<'a>(
    release: Folder<'a>,
    manifest: &LinkedManifest,
    (name, table): (&str, &Table),
) -> Result<Box<dyn Source + 'a>, Unreadable> {
    let path = release.path.join(&table.file);
    match (manifest.shape, path.extension().and_then(|ending| ending.to_str())) {
        (Shape::Fhir, Some(RESOURCES)) => {
            let said = (manifest.dates, &*manifest.units);
            Ok(Box::new(Resources::open(path, name, table.columns.iter(), said)?))
        }
        (Shape::Fhir, _) => Err(Unreadable::Format { file: path }),
        _ => match open(release.path, &table.file) {
            Err(Unreadable::Format { file }) => {
                release.host.open(&path).unwrap_or(Err(Unreadable::Format { file }))
            }
            opened => opened,
        },
    }
}

/// Opens a file by its ending.
pub(super) fn open(release: &Path, file: &str) -> Result<Box<dyn Source>, Unreadable> {
    let path = release.join(file);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(Box::new(Csv::open(path)?)),
        _ => Err(Unreadable::Format { file: path }),
    }
}

/// A file of comma-separated values.
struct Csv {
    file: PathBuf,
    header: Row,
    rows: u64,
    /// The bytes of the file, and those that the rows so far need.
    bytes: u64,
    needed: u64,
    reader: csv::Reader<File>,
}

impl Csv {
    fn open(file: PathBuf) -> Result<Self, Unreadable> {
        let opened = match File::open(&file) {
            Ok(opened) => opened,
            Err(source) => return Err(Unreadable::File { file, source }),
        };
        let bytes = opened.metadata().map_or(0, |found| found.len());
        let mut reader =
            csv::ReaderBuilder::new().flexible(true).buffer_capacity(1 << 18).from_reader(opened);
        let header = match reader.headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(unreadable(file, 0, error)),
        };
        let needed = needed(&header);
        Ok(Self { file, header, rows: 0, bytes, needed, reader })
    }
}

impl Source for Csv {
    fn columns(&self) -> &Row {
        &self.header
    }

    fn next(&mut self, row: &mut Row) -> Result<bool, Unreadable> {
        let number = self.rows.saturating_add(1);
        match self.reader.read_record(row) {
            Ok(false) => return Ok(false),
            Ok(true) => self.rows = number,
            Err(error) => return Err(unreadable(self.file.clone(), number, error)),
        }
        let (cells, columns) = (row.len(), self.header.len());
        if cells != columns {
            return Err(Unreadable::Cells { file: self.file.clone(), row: number, cells, columns });
        }
        self.needed = self.needed.saturating_add(needed(row));
        Ok(true)
    }

    fn has_needless_bytes(&self) -> bool {
        self.bytes != self.needed
    }
}

/// The bytes of a row: its cells, quoted where they have to be, a comma between them and a line feed.
fn needed(row: &Row) -> u64 {
    let is_lone = row.len() == 1;
    row.iter().map(|cell| needed_of(cell, is_lone)).fold(row.len() as u64, u64::saturating_add)
}

/// The bytes of a cell; an empty one that is alone in its row is quoted.
fn needed_of(cell: &str, is_lone: bool) -> u64 {
    let quotes = cell.bytes().filter(|byte| *byte == b'"').count() as u64;
    let is_quoted = cell.contains([',', '"', '\r', '\n']) || (is_lone && cell.is_empty());
    let around = if is_quoted { quotes.saturating_add(2) } else { 0 };
    (cell.len() as u64).saturating_add(around)
}

fn unreadable(file: PathBuf, row: u64, error: csv::Error) -> Unreadable {
    match error.into_kind() {
        csv::ErrorKind::Utf8 { err, .. } => {
            Unreadable::Text { file, row, column: err.field().saturating_add(1) }
        }
        csv::ErrorKind::Io(source) => Unreadable::File { file, source },
        // The rest is about seeking and writing, neither of which happens here.
        _ => Unreadable::File { file, source: std::io::ErrorKind::InvalidData.into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::create_dir(&path).unwrap();
        let found = std::fs::read(&path).unwrap_err().kind();
        let error = Csv::open(path).err();
        assert!(
            matches!(&error, Some(Unreadable::File { source, .. }) if source.kind() == found),
            "{error:?}"
        );
    }

    #[test]
    fn a_row_has_a_number_that_means_nothing_else() {
        let check = |row| Folder { path: Path::new("release"), host: &Alone }.check(row);
        assert!(
            check(MOST_ROWS).is_ok()
                && u32::try_from(MOST_ROWS).is_ok_and(|row| row < super::super::keys::NOBODY)
        );
        assert!(matches!(check(MOST_ROWS + 1), Err(Unreadable::TooLong { .. })));
    }
}
