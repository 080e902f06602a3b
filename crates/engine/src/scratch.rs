//! Temporary folders of processes that hold values, and what killed ones left of them.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The file that the owner of a folder has locked as long as it lives; the system unlocks it even if it is killed.
const LOCK: &str = "in-use";

/// How often another may take a new folder for one that was left, before it is locked.
const ATTEMPTS: usize = 5;

/// A temporary folder that nobody else may read. It goes when this is dropped; where the process is killed, the next
/// one of the same prefix takes it away.
#[derive(Debug)]
pub struct Scratch {
    // Unlocked before the folder goes: an open file cannot be removed everywhere.
    _lock: File,
    folder: TempDir,
}

impl Scratch {
    /// A folder in the system's place for temporary files, after those that killed processes left are removed.
    ///
    /// # Errors
    /// If no folder can be made. That one cannot be removed is no error: it may be somebody else's.
    pub fn new(prefix: &str) -> io::Result<Self> {
        Self::within(&Self::parent(), prefix)
    }

    /// The system's place for temporary files, or that which the program was given: a page's memory has no other.
    #[must_use]
    pub fn parent() -> PathBuf {
        tempfile::env::temp_dir()
    }

    fn within(parent: &Path, prefix: &str) -> io::Result<Self> {
        for folder in left(parent, prefix) {
            let _ = std::fs::remove_dir_all(folder);
        }
        for _ in 0..ATTEMPTS {
            let folder = private(prefix).tempdir_in(parent)?;
            let lock = File::create_new(folder.path().join(LOCK))?;
            // Between these two steps another process may have taken the folder for one that was left.
            if is_taken(lock.try_lock()) && folder.path().join(LOCK).exists() {
                return Ok(Self { _lock: lock, folder });
            }
        }
        Err(io::Error::other("others take each temporary folder away"))
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether nobody else has the lock. In a page there is nobody else, and there are no locks.
fn is_taken(locked: Result<(), TryLockError>) -> bool {
    locked.is_ok()
        || matches!(locked, Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported)
}

/// Folders that nobody else may read, from the moment they are there.
fn private(prefix: &str) -> tempfile::Builder<'_, '_> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder
}

/// Folders of that prefix whose owner is gone.
fn left(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let named = entries.filter_map(Result::ok).filter(|entry| {
        entry.file_name().to_string_lossy().starts_with(prefix)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    named.map(|entry| entry.path()).filter(|folder| is_left(folder)).collect()
}

/// Whether the lock of a folder is free. A folder without one is not ours.
fn is_left(folder: &Path) -> bool {
    let Ok(lock) = File::options().read(true).write(true).open(folder.join(LOCK)) else { return false };
    !matches!(lock.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = || Scratch::within(parent.path(), "node-").unwrap();
        let (alive, killed) = (scratch(), scratch());
        std::fs::write(killed.path().join("shuffle"), "values").unwrap();
        // A killed process drops nothing, but its locks are gone.
        let Scratch { _lock: lock, folder } = killed;
        let left = folder.keep();
        drop(lock);
        let foreign = parent.path().join("node-of-somebody-else");
        std::fs::create_dir(&foreign).unwrap();
        let next = scratch();
        assert!(!left.exists());
        assert!(alive.path().exists() && foreign.exists() && next.path().exists());
        let gone = next.path().to_owned();
        drop(next);
        assert!(!gone.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_look_in() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new("velamen-test-").unwrap();
        assert_eq!(std::fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
