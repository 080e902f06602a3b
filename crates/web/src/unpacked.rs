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

/// The folder of a release: the path itself, or what a ZIP file holds, unpacked beside it.
///
/// # Errors
/// [`JobError::io`] if the archive cannot be read, [`JobError::data`] if it is none, has one name twice or is too large.
pub(crate) fn unpacked(path: &Path) -> Result<PathBuf, JobError> {
    if !path.is_file() {
        return Ok(path.to_owned());
    }
    let folder = path.with_extension("unpacked");
    let file = File::open(path).map_err(|error| JobError::io(path, "open", &error))?;
    let mut archive = ZipArchive::new(file).map_err(|error| refused(path, error))?;
    let mut left = MOST_BYTES;
    if archive.len() > MOST_FILES {
        return Err(too_large(path));
    }
    for place in 0..archive.len() {
        let entry = archive.by_index(place).map_err(|error| refused(path, error))?;
        left = written(entry, &folder, left)
            .map_err(|error| JobError::io(path, "unpack", &error))?
            .ok_or_else(|| too_large(path))?;
    }
    Ok(only_folder(&folder).unwrap_or(folder))
}

/// Writes an entry into a folder; how many bytes are left after it, `None` where there are not so many. A name that leads
/// out of the folder is none, and what systems put beside files is left out.
fn written(mut entry: ZipFile<'_, File>, folder: &Path, left: u64) -> io::Result<Option<u64>> {
    let Some(name) = entry.enclosed_name().filter(|name| entry.is_file() && !is_of_a_system(name)) else {
        return Ok(Some(left));
    };
    let to = folder.join(name);
    to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let mut file = File::create_new(&to)?;
    // One byte more than allowed shows that there are too many.
    let bytes = io::copy(&mut entry.by_ref().take(left.saturating_add(1)), &mut file)?;
    Ok(left.checked_sub(bytes))
}

fn is_of_a_system(name: &Path) -> bool {
    name.iter().any(|part| part == "__MACOSX" || part == ".DS_Store")
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

fn refused(path: &Path, error: ZipError) -> JobError {
    match error {
        ZipError::Io(error) => JobError::io(path, "unpack", &error),
        _ => {
            let problem = Problem::new(format!("{}: not a folder, and no ZIP file", path.display()));
            JobError::data(problem.expected("a release's folder, or one that is packed as ZIP"))
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
        assert!(found.ends_with("stays") && found.join("data.csv").is_file());
        let (_keep, path) = archive(&["data.csv", "release.json"]);
        assert!(unpacked(&path).unwrap().join("release.json").is_file());
    }

    #[test]
    fn no_file_is_written_outside() {
        let (keep, path) = archive(&["../outside.csv", "/outside.csv", "data.csv"]);
        let found = unpacked(&path).unwrap();
        assert!(found.join("data.csv").is_file() && !keep.path().join("outside.csv").exists());
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("release.zip");
        std::fs::write(&path, "text").unwrap();
        assert!(unpacked(&path).unwrap_err().to_string().contains("no ZIP file"));
        assert_eq!(unpacked(folder.path()).unwrap(), folder.path());
    }
}
