//! A certified release in memory, with all that belongs to it.

use std::collections::BTreeMap;
use std::path::Path;

use velamen_checker::Finding;
use velamen_recipe::{JobError, Read};
use velamen_report::Manifest;

use crate::folders::{Folders, Wanted};

/// Files by name.
type Files = BTreeMap<String, Vec<u8>>;

/// A certified release in memory. It can be brought to folders later, with the same bytes as a run that names them.
pub struct Kept {
    pub(super) manifest: Manifest,
    pub(super) findings: Vec<Finding>,
    pub(super) warnings: Vec<String>,
    pub(super) files: Files,
    pub(super) custodian: Files,
    pub(super) reads: Vec<Read>,
    pub(super) sync: bool,
}

/// Shows nothing of the custodian's.
impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").field("files", &self.files.keys()).finish_non_exhaustive()
    }
}

impl Kept {
    /// What was done, asked and reached: `release.json`.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What the checker found: everything holds, or is stated.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What the user should know, for the custodian only.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The files of the release by name; the custodian's are not among them.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Brings the release and, beside it, the custodian's folder to their names, both or none.
    ///
    /// # Errors
    /// [`JobError::io`] if either exists or cannot be written, [`JobError::usage`] if the run read it.
    pub fn publish(&self, release: &Path) -> Result<(), JobError> {
        let wanted = Wanted { release, overwrite: false, sync: self.sync, reads: &self.reads };
        let folders = Folders::prepare(&wanted)?;
        write_all(folders.release(), &self.files)?;
        write_all(folders.custodian(), &self.custodian)?;
        folders.publish()
    }
}

pub(super) fn write_all(folder: &Path, files: &Files) -> Result<(), JobError> {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| JobError::io(&path, "write", &error))?;
    }
    Ok(())
}
