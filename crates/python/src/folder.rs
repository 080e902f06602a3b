//! The folder of a release.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder with a release's files, made for as long as it is held where the release is in memory.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) held: Option<TempDir>,
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
