//! The two folders a run makes, each complete or not at all.
//!
//! Everything is written into temporary folders beside the targets; only when all is done are they
//! renamed, the release last. A run that fails or is interrupted removes them; one that is killed
//! leaves them behind under names that begin with a dot, never a release.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::JobError;

/// Where a release and its custodian's folder are prepared.
#[derive(Debug)]
pub(crate) struct Folders {
    release: Pending,
    custodian: Pending,
    overwrite: bool,
}

#[derive(Debug)]
struct Pending {
    target: PathBuf,
    prepared: TempDir,
}

/// The folder beside a release for what must not be published.
#[must_use]
pub fn custodian_of(release: &Path) -> PathBuf {
    let mut name = release.file_name().unwrap_or_default().to_os_string();
    name.push(".custodian");
    release.with_file_name(name)
}

impl Folders {
    /// Refuses targets that exist, unless they may be replaced, and makes the temporary folders.
    pub(crate) fn prepare(release: &Path, overwrite: bool) -> Result<Self, JobError> {
        if release.file_name().is_none() {
            return Err(JobError::Usage(format!("{}: not a folder that can be made", release.display())));
        }
        let custodian = custodian_of(release);
        for target in [release, &custodian] {
            if !overwrite && target.symlink_metadata().is_ok() {
                let message = "already exists; name another output or give --overwrite";
                return Err(JobError::Io(format!("{}: {message}", target.display())));
            }
        }
        let parent = match release.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        std::fs::create_dir_all(&parent)
            .map_err(|error| JobError::io(&parent, "create the folder", &error))?;
        let pending = |target: &Path| {
            let made = tempfile::Builder::new().prefix(".velamen-").tempdir_in(&parent);
            let prepared = made.map_err(|error| JobError::io(&parent, "create a folder in", &error))?;
            Ok::<_, JobError>(Pending { target: target.to_owned(), prepared })
        };
        Ok(Self { release: pending(release)?, custodian: pending(&custodian)?, overwrite })
    }

    pub(crate) fn release(&self) -> &Path {
        self.release.prepared.path()
    }

    pub(crate) fn custodian(&self) -> &Path {
        self.custodian.prepared.path()
    }

    /// Brings both folders to their names, the release last.
    pub(crate) fn publish(self) -> Result<(), JobError> {
        let private = self.custodian.publish(self.overwrite, 0o700)?;
        let public = self.release.publish(self.overwrite, 0o755);
        match public {
            Ok(replaced) => {
                drop((private, replaced));
                Ok(())
            }
            Err(error) => {
                private.undo();
                Err(error)
            }
        }
    }
}

/// A folder that was put in place, and what it replaced until that is dropped.
struct Published {
    target: PathBuf,
    replaced: Option<TempDir>,
}

const OLD: &str = "old";

impl Published {
    /// Takes the folder away again and restores what it replaced.
    fn undo(self) {
        let removed = std::fs::remove_dir_all(&self.target);
        if let (Ok(()), Some(replaced)) = (removed, &self.replaced) {
            // Nothing more can be done if this fails too; the error of the release is reported.
            let _ = std::fs::rename(replaced.path().join(OLD), &self.target);
        }
    }
}

impl Pending {
    fn publish(self, overwrite: bool, mode: u32) -> Result<Published, JobError> {
        set_mode(self.prepared.path(), mode)?;
        let replaced =
            if overwrite && self.target.symlink_metadata().is_ok() { Some(self.set_aside()?) } else { None };
        let prepared = self.prepared.keep();
        if let Err(error) = std::fs::rename(&prepared, &self.target) {
            let _ = std::fs::remove_dir_all(&prepared);
            if let Some(replaced) = &replaced {
                let _ = std::fs::rename(replaced.path().join(OLD), &self.target);
            }
            return Err(JobError::io(&self.target, "put the folder in place", &error));
        }
        Ok(Published { target: self.target, replaced })
    }

    /// Moves the old folder into a temporary one, which is removed when all is done.
    fn set_aside(&self) -> Result<TempDir, JobError> {
        let failed = |error: std::io::Error| JobError::io(&self.target, "replace the folder", &error);
        let parent = self.prepared.path().parent().unwrap_or(Path::new("."));
        let aside = tempfile::Builder::new().prefix(".velamen-old-").tempdir_in(parent).map_err(failed)?;
        std::fs::rename(&self.target, aside.path().join(OLD)).map_err(failed)?;
        Ok(aside)
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<(), JobError> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions)
        .map_err(|error| JobError::io(path, "set permissions of", &error))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> Result<(), JobError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_behind_unless_published() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("release");
        let folders = Folders::prepare(&target, false).unwrap();
        std::fs::write(folders.release().join("data.csv"), "x").unwrap();
        drop(folders);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn overwrite_replaces_both_folders() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("release");
        for round in ["first", "second"] {
            let folders = Folders::prepare(&target, round == "second").unwrap();
            std::fs::write(folders.release().join(round), "x").unwrap();
            folders.publish().unwrap();
        }
        assert!(Folders::prepare(&target, false).unwrap_err().to_string().contains("already exists"));
        assert!(target.join("second").exists() && !target.join("first").exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}
