//! Files that are read as a whole: plain ones, of a size that is held without trouble.
//!
//! A pipe without a writer is waited for without end, and a device such as `/dev/zero` has none. So what is to be opened is
//! looked at first.

use std::fs::FileType;

use std::path::Path;
use velamen_core::error::Problem;

use crate::{Code, JobError};

/// The most bytes of a file that is read as a whole: hierarchies, domains, a release's manifest.
pub const MOST: u64 = 256 << 20;

/// The content of a plain file, or of one that a link leads to.
///
/// # Errors
/// [`JobError::io`] if it cannot be read, [`JobError::data`] if it is a pipe or a device, or larger than [`MOST`].
pub fn read(path: &Path, action: &str) -> Result<Vec<u8>, JobError> {
    let failed = |error| JobError::io(path, action, &error);
    let found = path.metadata().map_err(failed)?;
    if is_special(found.file_type()) {
        return Err(not_plain(path, Problem::from(LINK).expected("a plain file")));
    }
    if found.len() > MOST {
        let problem = format!("the file is larger than {} MB, the most that is read as a whole", MOST >> 20);
        return Err(JobError::data(format!("{}: {problem}", path.display())).coded(Code::UNPACKS));
    }
    std::fs::read(path).map_err(failed)
}

/// Refuses a release's folder that holds anything but files and folders: a link leads out of it, and a pipe or a device
/// never ends.
///
/// # Errors
/// [`JobError::data`]. What cannot be listed is for whoever reads it to refuse.
pub fn folder(folder: &Path) -> Result<(), JobError> {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let kind = entry.file_type().ok();
        if kind.is_some_and(|kind| kind.is_symlink() || is_special(kind)) {
            return Err(not_plain(
                &entry.path(),
                Problem::from(LINK)
                    .expected("plain files alone in a release")
                    .mend("remove it, or copy the file itself"),
            ));
        }
    }
    Ok(())
}

fn is_special(kind: FileType) -> bool {
    !kind.is_file() && !kind.is_dir() && !kind.is_symlink()
}

const LINK: &str = "is a link, a pipe or a device";

fn not_plain(path: &Path, problem: Problem) -> JobError {
    JobError::data(problem.after(&format!("{}: ", path.display()))).coded(Code::NOT_PLAIN)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_are_read() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::write(at("a.csv"), "x").unwrap();
        std::os::unix::fs::symlink(at("a.csv"), at("link.csv")).unwrap();
        assert_eq!(read(&at("link.csv"), "read").unwrap(), b"x");
        let zero = read(Path::new("/dev/zero"), "read").unwrap_err();
        assert!(
            zero.exit_code() == 4 && zero.to_string().contains("/dev/zero: is a link, a pipe or a device"),
            "{zero}"
        );
        assert_eq!(read(&at("none"), "read").unwrap_err().exit_code(), 6);
        let linked = folder(place.path()).unwrap_err();
        assert!(linked.exit_code() == 4 && linked.to_string().contains("link.csv"), "{linked}");
        std::fs::remove_file(at("link.csv")).unwrap();
        folder(place.path()).unwrap();
    }

    #[test]
    fn a_file_larger_than_memory_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("large");
        std::fs::File::create(&path).unwrap().set_len(MOST + 1).unwrap();
        let large = read(&path, "read").unwrap_err();
        assert!(large.exit_code() == 4 && large.to_string().contains("larger than 256 MB"), "{large}");
    }
}
