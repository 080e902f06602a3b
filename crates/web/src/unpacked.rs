//! A release that comes as one ZIP file.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use velamen_core::error::Problem;
use velamen_recipe::JobError;
use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

/// So many files may an archive hold, and so many bytes in all: the page's memory ends at 4 GiB.
const MOST_FILES: usize = 10_000;
const MOST_BYTES: u64 = 3 << 30;
/// So many folders may a file be in, its own name included.
const MOST_FOLDERS: usize = 12;

/// The folder of a release: the path itself, or what a ZIP file holds, unpacked beside it.
///
/// # Errors
/// [`JobError::io`] if the archive cannot be read, [`JobError::data`] if it is none, has one name twice, holds what is neither
/// a file nor a folder within it, or is too large.
pub(crate) fn unpacked(path: &Path) -> Result<Unpacked, JobError> {
    if !path.is_file() {
        return Ok(Unpacked { folder: path.to_owned(), left_out: 0 });
    }
    let folder = path.with_extension("unpacked");
    let file = File::open(path).map_err(|error| JobError::io(path, "open", &error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| refused(path, error))?;
    let (mut left, mut left_out) = (MOST_BYTES, 0);
    if archive.len() > MOST_FILES {
        return Err(too_large(path));
    }
    // What comes later hides what comes first, and programs do not agree which of them they unpack.
    if velamen_patients::entries_of_zip(path).is_some_and(|entries| entries != archive.len()) {
        return Err(odd(path, "two entries have one name"));
    }
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| refused(path, error))?;
        if entry.is_dir() {
            continue;
        }
        let name = entry.enclosed_name().filter(|name| entry.is_file() && is_plain(&entry, name));
        let name = name.ok_or_else(|| odd(path, "an entry is no file within it"))?;
        if is_of_a_system(&name) {
            left_out += 1;
            continue;
        }
        left = written(entry, &folder.join(name), left)
            .map_err(|error| JobError::io(path, "unpack", &error))?
            .ok_or_else(|| too_large(path))?;
    }
    Ok(Unpacked { folder: only_folder(&folder).unwrap_or(folder), left_out })
}

/// A folder of a release.
#[derive(Debug)]
pub(crate) struct Unpacked {
    pub(crate) folder: PathBuf,
    /// How many files of the archive were left out, which a system puts beside those of a person.
    pub(crate) left_out: usize,
}

/// Whether a name is one that every system reads alike, and not deeper than folders of releases are.
fn is_plain(entry: &ZipFile<'_, File>, name: &Path) -> bool {
    !entry.name().contains(['\0', '\\']) && name.iter().count() <= MOST_FOLDERS
}

/// Writes an entry; how many bytes are left after it, `None` where there are not so many.
fn written(mut entry: ZipFile<'_, File>, to: &Path, left: u64) -> io::Result<Option<u64>> {
    to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let mut file = File::create_new(to)?;
    // One byte more than allowed shows that there are too many.
    let bytes = io::copy(&mut entry.by_ref().take(left.saturating_add(1)), &mut file)?;
    Ok(left.checked_sub(bytes))
}

fn is_of_a_system(name: &Path) -> bool {
    name.starts_with("__MACOSX") || name.file_name().is_some_and(|name| name == ".DS_Store")
}

/// The folder in which all files are, where the archive has it as its only entry.
fn only_folder(folder: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder).ok()?.flatten();
    let only = entries.next()?.path();
    (entries.next().is_none() && only.is_dir()).then_some(only)
}

fn too_large(path: &Path) -> JobError {
    let problem = Problem::new(format!("{}: too large to unpack here", path.display()));
    JobError::data(problem.expected("at most 3 GiB in 10,000 files").mend("take `velamen verify`"))
}

fn odd(path: &Path, what: &str) -> JobError {
    let problem = Problem::new(format!("{}: {what}", path.display()));
    JobError::data(problem.expected("the files of a release, each once").mend("pack its folder anew"))
}

fn refused(path: &Path, error: ZipError) -> JobError {
    match error {
        ZipError::Io(error) => JobError::io(path, "unpack", &error),
        _ => {
            let problem =
                Problem::new(format!("{}: not a folder, and no ZIP file that can be read", path.display()));
            JobError::data(
                problem.expected("a release's folder, or one that is packed as ZIP, not encrypted"),
            )
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
        let path = folder.path().join("release.zip");
        let mut writer = ZipWriter::new(File::create(&path).unwrap());
        for name in names {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(name.as_bytes()).unwrap();
        }
        writer.finish().unwrap();
        (folder, path)
    }

    #[test]
    fn the_only_folder_is_the_release() {
        let (_keep, path) = archive(&["stays/data.csv", "stays/release.json", "__MACOSX/stays/._data.csv"]);
        let found = unpacked(&path).unwrap();
        assert!(found.folder.ends_with("stays") && found.folder.join("data.csv").is_file());
        assert_eq!(found.left_out, 1);
        let (_keep, path) = archive(&["data.csv", "release.json"]);
        assert!(unpacked(&path).unwrap().folder.join("release.json").is_file());
    }

    #[test]
    fn no_file_is_written_outside() {
        let deep = "d/".repeat(20);
        for odd in ["../outside.csv", "a\\b.csv", "a\0b.csv", &format!("{deep}x")] {
            let (keep, path) = archive(&["data.csv", odd]);
            assert!(unpacked(&path).unwrap_err().to_string().contains("no file within it"), "{odd:?}");
            assert!(!keep.path().join("outside.csv").exists());
        }
    }

    #[test]
    fn a_name_stands_once() {
        let (_keep, path) = archive(&["data.csv", "date.csv"]);
        let mut bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() - 8 {
            if bytes[at..].starts_with(b"date.csv") {
                bytes[at + 3] = b'a';
            }
        }
        std::fs::write(&path, bytes).unwrap();
        assert!(unpacked(&path).unwrap_err().to_string().contains("two entries have one name"));
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("release.zip");
        std::fs::write(&path, "text").unwrap();
        assert!(unpacked(&path).unwrap_err().to_string().contains("no ZIP file"));
        assert_eq!(unpacked(folder.path()).unwrap().folder, folder.path());
    }
}
