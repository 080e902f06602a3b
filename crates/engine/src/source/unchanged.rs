//! Whether a file is still the one that was opened: records of two states of it are no table.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use crate::error::{DataProblem, EngineError};

/// What shows that a file was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileState {
    size: u64,
    modified: Option<SystemTime>,
}

impl FileState {
    /// `None` for what is no regular file.
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Self { size: metadata.len(), modified: metadata.modified().ok() })
    }

    /// # Errors
    /// [`EngineError::Data`] if the file is another one now, [`EngineError::Io`] if it is gone.
    pub(super) fn check(self, path: &Path) -> Result<(), EngineError> {
        let now = path.metadata().map_err(EngineError::io(path, "read"))?;
        if Self::of(&now) == Some(self) { Ok(()) } else { Err(EngineError::data(path, DataProblem::Changed)) }
    }
}
