//! Folders that are packed as one ZIP file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen_core::error::Problem;
use velamen_engine::{FileFormat, Scratch};
use velamen_recipe::JobError;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use crate::fhir::{Held, Places};
use crate::stop::{self, Stop, Stoppable};

/// What the names of temporary folders begin with.
const PREFIX: &str = "velamen-zip-";

/// The unpacked tables of an archive; they go when this is dropped.
#[derive(Debug)]
pub(crate) struct Unpacked {
    _scratch: Arc<Scratch>,
    folder: PathBuf,
    /// Where rows of its tables stood before.
    places: Places,
    /// What was left out on the way.
    notes: Vec<String>,
    /// What shows that several rows of persons are of one.
    several: Option<String>,
    /// The rows of tables whose files have a header alone.
    rows: BTreeMap<String, Held>,
}

impl Unpacked {
    /// A folder within a temporary one.
    pub(crate) fn new(scratch: Arc<Scratch>, folder: PathBuf) -> Self {
        Self {
            _scratch: scratch,
            folder,
            places: Places::default(),
            notes: Vec::new(),
            several: None,
            rows: BTreeMap::new(),
        }
    }

    /// With the places of its tables' rows, and what was left out on the way.
    pub(crate) fn placed(self, places: Places, notes: Vec<String>) -> Self {
        Self { places, notes, ..self }
    }

    /// With what shows that several rows of persons are of one.
    pub(crate) fn with_several(self, several: Option<String>) -> Self {
        Self { several, ..self }
    }

    /// What shows that several rows of persons are of one.
    pub(crate) fn several(&self) -> Option<&str> {
        self.several.as_deref()
    }

    /// With the rows of tables whose files have a header alone.
    pub(crate) fn with_rows(self, rows: BTreeMap<String, Held>) -> Self {
        Self { rows, ..self }
    }

    /// The rows of tables whose files have a header alone, of which nothing is left here.
    pub(crate) fn take_rows(&mut self) -> BTreeMap<String, Held> {
        std::mem::take(&mut self.rows)
    }

    /// What was left out on the way.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where rows of its tables stood before.
    pub(crate) const fn places(&self) -> &Places {
        &self.places
    }

    /// The folder of the tables.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Unpacks the tables of an archive; nothing of a folder.
///
/// # Errors
/// [`JobError::io`] if it cannot be read, [`JobError::data`] if it is a file and no archive, [`JobError::interrupted`].
pub(crate) fn unpacked(path: &Path, stop: Stop<'_>) -> Result<Option<Unpacked>, JobError> {
    if !path.is_file() {
        return Ok(None);
    }
    let file = File::open(path).map_err(|error| JobError::io(path, "open", &error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| refused(path, error))?;
    if entries_of_zip(path).is_some_and(|entries| entries != archive.len()) {
        let problem = Problem::new(format!("{}: two entries have one name", path.display()));
        return Err(JobError::data(problem.expected("each table once")));
    }
    let scratch = Scratch::new(PREFIX).map_err(|error| JobError::io(&Scratch::parent(), "use", &error))?;
    let scratch = Arc::new(scratch);
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| refused(path, error))?;
        let unpacked = table(entry, scratch.path(), stop);
        stop::check(stop)?;
        unpacked.map_err(|error| JobError::io(path, "unpack", &error))?;
    }
    let folder = only_folder(scratch.path()).unwrap_or_else(|| scratch.path().to_owned());
    Ok(Some(Unpacked::new(scratch, folder)))
}

/// How many entries an archive says that it has: its reader counts those of one name once. Nothing, where it has more than
/// the number at its end can say.
#[must_use]
pub fn entries_of_zip(path: &Path) -> Option<usize> {
    const RECORD: usize = 22;
    let mut file = File::open(path).ok()?;
    let end = file.seek(io::SeekFrom::End(0)).ok()?;
    // A comment may stand behind the record.
    file.seek(io::SeekFrom::Start(end.saturating_sub(RECORD as u64 + u64::from(u16::MAX)))).ok()?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).ok()?;
    let at = tail.windows(RECORD).rposition(|record| record.starts_with(b"PK\x05\x06"))?;
    let number = u16::from_le_bytes([*tail.get(at + 10)?, *tail.get(at + 11)?]);
    (number != u16::MAX).then_some(usize::from(number))
}

/// Writes an entry that is a table into a folder; names that lead out of it are none.
fn table(entry: ZipFile<'_, File>, folder: &Path, stop: Stop<'_>) -> io::Result<()> {
    let Some(name) = entry.enclosed_name().filter(|name| is_table(name)) else { return Ok(()) };
    if !entry.is_file() {
        return Ok(());
    }
    let to = folder.join(name);
    to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let mut file = File::create_new(&to)?;
    io::copy(&mut Stoppable { file: entry, stop }, &mut file).map(|_| ())
}

/// Hidden files and those of a system's own are no tables.
fn is_table(name: &Path) -> bool {
    let mut parts = name.iter().map(|part| part.to_string_lossy());
    parts.all(|part| !part.starts_with('.') && part != "__MACOSX") && FileFormat::named(name).is_some()
}

/// The folder in which all tables are, where the archive has it as its only one.
fn only_folder(folder: &Path) -> Option<PathBuf> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        match entry.path() {
            path if path.is_dir() => folders.push(path),
            path if FileFormat::named(&path).is_some() => return None,
            _ => {}
        }
    }
    folders.pop().filter(|_| folders.is_empty())
}

fn refused(path: &Path, error: ZipError) -> JobError {
    match error {
        ZipError::Io(error) => JobError::io(path, "unpack", &error),
        _ => {
            let problem = Problem::new(format!("{}: not a folder, and no ZIP file", path.display()));
            JobError::data(problem.expected("a folder of tables, or one that is packed as ZIP"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    fn archive(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.zip");
        let mut writer = ZipWriter::new(File::create(&path).unwrap());
        for name in names {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(b"a\n1\n").unwrap();
        }
        writer.finish().unwrap();
        (folder, path)
    }

    #[test]
    fn tables_are_unpacked_and_go_again() {
        let (_folder, path) =
            archive(&["omop/person.csv", "omop/death.csv", "__MACOSX/omop/._person.csv", "readme"]);
        let unpacked = unpacked(&path, &|| false).unwrap().unwrap();
        let folder = unpacked.folder().to_owned();
        assert!(folder.ends_with("omop"));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
        drop(unpacked);
        assert!(!folder.exists());
    }

    #[test]
    fn two_entries_of_one_name_are_refused() {
        let (_folder, path) = archive(&["Patient.ndjson", "Qatient.ndjson"]);
        let mut bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() - 1 {
            if bytes[at..].starts_with(b"Qatient") {
                bytes[at] = b'P';
            }
        }
        std::fs::write(&path, bytes).unwrap();
        assert!(unpacked(&path, &|| false).unwrap_err().to_string().contains("two entries have one name"));
    }

    #[test]
    fn names_lead_nowhere_else() {
        let (_folder, path) = archive(&["../person.csv", "death.csv"]);
        let unpacked = unpacked(&path, &|| false).unwrap().unwrap();
        assert!(unpacked.folder().join("death.csv").exists());
        assert!(!unpacked.folder().join("../person.csv").exists());
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("person.csv");
        std::fs::write(&path, "a\n").unwrap();
        assert!(unpacked(&path, &|| false).unwrap_err().to_string().contains("no ZIP file"));
        assert!(unpacked(folder.path(), &|| false).unwrap().is_none());
    }
}
