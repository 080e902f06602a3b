//! The two folders a run makes, each complete or not at all.
//!
//! Everything is written into temporary folders beside the targets; only when all is done are they
//! renamed, the release last. A run that fails or is interrupted removes them; one that is killed
//! leaves them behind under names that begin with a dot, never a release. A release that is
//! replaced is taken away first, so that it never stands beside another one's custodian's folder.
//!
//! A rename can reach the disk before the bytes of the files do. So that a power cut leaves no release of empty
//! files, everything is brought to the disk before the first rename, and each name before the next step.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use tempfile::TempDir;
use velamen_core::error::Problem;
use velamen_recipe::{Code, JobError, Resolved};
use velamen_report::manifest;

use crate::last::Last;
use crate::outputs::{self, Read, parent};
pub(crate) use velamen_recipe::custodian_of;

/// The file by which a custodian's folder is known.
pub const CUSTODIAN_FILE: &str = "custodian.json";

/// The file of counterfeits by class in it.
pub(crate) const COUNTERFEITS: &str = "counterfeits.csv";

/// How the names of temporary folders begin.
const TEMPORARY: &str = ".velamen-";

/// What is to be made.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// The release folder.
    pub(crate) release: &'a Path,
    /// Whether a release of that name is replaced.
    pub(crate) overwrite: bool,
    /// Whether the folders are brought to the disk.
    pub(crate) sync: bool,
    /// What the run reads.
    pub(crate) reads: &'a [Read],
}

impl<'a> Wanted<'a> {
    pub(crate) fn of(recipe: &'a Resolved, overwrite: bool) -> Self {
        Self { release: &recipe.output, overwrite, sync: recipe.sync, reads: &recipe.reads }
    }
}

/// Where a release and its custodian's folder are prepared.
#[derive(Debug)]
pub struct Folders {
    release: Pending,
    custodian: Pending,
    sync: bool,
    /// The released file on its way to the disk.
    syncing: Option<JoinHandle<std::io::Result<()>>>,
    /// Folders of other runs beside them.
    others: Vec<PathBuf>,
    /// Dropped last: it can only go when nothing is in it any more.
    made: MadeParents,
}

#[derive(Debug)]
struct Pending {
    target: PathBuf,
    prepared: TempDir,
    /// Says to other runs that this one is at work.
    _lock: Option<File>,
}

impl Folders {
    /// For the release that a recipe names; `overwrite` replaces one that is there.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::usage`] if a folder is there that may not be replaced, or none can be made.
    pub fn of(recipe: &Resolved, overwrite: bool) -> Result<Self, JobError> {
        Self::prepare(&Wanted::of(recipe, overwrite))
    }

    /// For a release at a place, by a run that reads all that; `overwrite` replaces one that is there.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn at(release: &Path, overwrite: bool, reads: &[Read]) -> Result<Self, JobError> {
        Self::prepare(&Wanted { release, overwrite, sync: true, reads })
    }

    /// Refuses targets that the run reads, or that exist, unless they are a release that may be replaced, and
    /// makes the temporary folders.
    pub(crate) fn prepare(wanted: &Wanted<'_>) -> Result<Self, JobError> {
        refuse(wanted)?;
        let Wanted { release, sync, .. } = *wanted;
        let custodian = custodian_of(release);
        let parent = parent(release);
        let made = MadeParents::make(parent)?;
        let others = left_folders(parent);
        let pending = |target: &Path| {
            let prepared = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(parent);
            let prepared = prepared.map_err(|error| JobError::io(parent, "create a folder in", &error))?;
            // Nobody else may look in before it is done: the custodian's holds the seed.
            set_mode(prepared.path(), 0o700)?;
            let lock = lock(prepared.path());
            Ok::<_, JobError>(Pending { target: target.to_owned(), prepared, _lock: lock })
        };
        Ok(Self {
            release: pending(release)?,
            custodian: pending(&custodian)?,
            sync,
            syncing: None,
            others,
            made,
        })
    }

    /// What a run that was killed has left. Not every system lets one see that a run is at work.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let warning = |folder: &PathBuf| {
            format!(
                "{}: left by a run that was killed, unless another is at work; it can hold records and a seed: remove it",
                folder.display()
            )
        };
        self.others.iter().map(warning).collect()
    }

    /// Where the release is prepared.
    #[must_use]
    pub fn release(&self) -> &Path {
        self.release.prepared.path()
    }

    /// Where the custodian's folder is prepared.
    #[must_use]
    pub fn custodian(&self) -> &Path {
        self.custodian.prepared.path()
    }

    /// Begins to bring a file of the release to the disk, which takes as long as to check it.
    pub(crate) fn begin_sync(&mut self, name: &str) {
        let path = self.release().join(name);
        let begin = || std::thread::Builder::new().spawn(move || sync_file(&path));
        // Without a thread it is brought there with the others.
        self.syncing = self.sync.then(begin).and_then(Result::ok);
    }

    /// Brings both folders to their names, the release last.
    ///
    /// # Errors
    /// [`JobError::io`]; then neither folder exists.
    pub fn publish(self) -> Result<(), JobError> {
        self.publish_with(|| Last::Done)
    }

    /// As [`Self::publish`], then takes one step more; if that is undone, so are the folders.
    pub(crate) fn publish_with(self, last: impl FnOnce() -> Last) -> Result<(), JobError> {
        let Self { made, release, custodian, sync, syncing, .. } = self;
        // The system reports a failed write once: to whom waited first.
        if let Some(Err(error)) = syncing.map(|syncing| syncing.join().expect("it does not panic")) {
            return Err(JobError::io(release.prepared.path(), "bring to the disk", &error));
        }
        let synced =
            |folder: &Path, how: fn(&Path) -> Result<(), JobError>| if sync { how(folder) } else { Ok(()) };
        for folder in [&custodian, &release] {
            synced(folder.prepared.path(), sync_tree)?;
        }
        let old_release = release.set_aside()?;
        let old_custodian = custodian.set_aside()?;
        let private = custodian.publish(0o700)?;
        let named = synced(parent(&private), sync_folder).and_then(|()| release.publish(0o755));
        let public = match named {
            Ok(public) => public,
            Err(error) => {
                // Nothing more can be done if this fails too; the first error is reported.
                let _ = std::fs::remove_dir_all(private);
                return Err(error);
            }
        };
        let last = synced(parent(&public), sync_folder).map_or_else(Last::Undone, |()| last());
        let ended = match last {
            Last::Done => Ok(()),
            Last::Unknown(error) => Err(error),
            Last::Undone(error) => {
                take_back(&public);
                take_back(&private);
                return Err(error);
            }
        };
        for old in [old_custodian, old_release].into_iter().flatten() {
            old.discard();
        }
        made.keep();
        ended
    }
}

/// Refuses targets that the run reads, or that exist, unless they are a release that may be replaced.
pub(crate) fn refuse(wanted: &Wanted<'_>) -> Result<(), JobError> {
    let Wanted { release, overwrite, reads, .. } = *wanted;
    outputs::refuse_dash(release)?;
    if release.file_name().is_none() {
        return Err(JobError::usage(format!("{}: not a folder that can be made", release.display())));
    }
    let custodian = custodian_of(release);
    for (target, mark) in [(release, manifest::FILE), (&custodian, CUSTODIAN_FILE)] {
        outputs::refuse(target, reads)?;
        refuse_existing(target, mark, overwrite)?;
    }
    Ok(())
}

/// The temporary folders in a folder, in the order of their names.
fn left_folders(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let ours = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(TEMPORARY);
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| ours(&entry.file_name()) && entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| parent.join(entry.file_name()))
        .filter(|folder| !is_at_work(folder))
        .collect();
    found.sort();
    found
}

/// Locks a folder until the file is dropped, which the end of the process does as well. A file system that has no locks
/// costs a warning too many elsewhere, and nothing here.
#[cfg(unix)]
fn lock(folder: &Path) -> Option<File> {
    File::open(folder).ok().filter(|folder| folder.try_lock().is_ok())
}

/// Whether a run has locked the folder.
#[cfg(unix)]
fn is_at_work(folder: &Path) -> bool {
    let tried = File::open(folder).map(|folder| folder.try_lock_shared());
    matches!(tried, Ok(Err(std::fs::TryLockError::WouldBlock)))
}

/// Folders have no locks here.
#[cfg(not(unix))]
fn lock(_folder: &Path) -> Option<File> {
    None
}

#[cfg(not(unix))]
fn is_at_work(_folder: &Path) -> bool {
    false
}

/// Brings a file to the disk. Opened to write: on Windows nobody else may ask for that.
pub(crate) fn sync_file(path: &Path) -> std::io::Result<()> {
    File::options().write(true).open(path)?.sync_all()
}

/// Brings a folder with all that is in it to the disk.
fn sync_tree(folder: &Path) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "bring to the disk", &error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        match entry.file_type().map_err(failed)?.is_dir() {
            true => sync_tree(&entry.path())?,
            false => sync_file(&entry.path()).map_err(failed)?,
        }
    }
    sync_folder(folder)
}

/// Brings the names in a folder to the disk.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> Result<(), JobError> {
    use std::io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A folder that may be written and not read, and file systems that know no such thing.
        Err(error) if !matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => {
            Err(JobError::io(folder, "bring to the disk", &error))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_folder: &Path) -> Result<(), JobError> {
    Ok(())
}

/// Takes a folder away, first its name, so that it never stands there in part.
fn take_back(folder: &Path) {
    // Nothing more can be done if this fails; the error before it is reported.
    if let Ok(aside) = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(parent(folder)) {
        let _ = std::fs::rename(folder, aside.path().join(OLD));
    }
}

/// Refuses a target that exists; with `overwrite` only what is no folder with the file `mark`, so
/// that a mistyped name destroys nothing.
fn refuse_existing(target: &Path, mark: &str, overwrite: bool) -> Result<(), JobError> {
    if target.symlink_metadata().is_err() {
        return Ok(());
    }
    let (code, problem) = match overwrite {
        false => (
            Code::OUTPUT_EXISTS,
            Problem::new("already exists").mend("name another output or give --overwrite"),
        ),
        true if target.join(mark).is_file() => return Ok(()),
        true => (
            Code::NOT_OURS,
            Problem::new(format!("is not replaced: it holds no {mark}, so it was not made by velamen"))
                .mend("name another output"),
        ),
    };
    Err(JobError::unusable(problem.after(&format!("{}: ", target.display()))).coded(code))
}

/// Parent folders that had to be made, outermost first; removed again unless they are kept.
#[derive(Debug)]
struct MadeParents(Vec<PathBuf>);

impl MadeParents {
    fn make(parent: &Path) -> Result<Self, JobError> {
        let missing = parent.ancestors().take_while(|p| *p != Path::new("") && p.symlink_metadata().is_err());
        let mut made = Self(missing.map(Path::to_owned).collect());
        made.0.reverse();
        std::fs::create_dir_all(parent).map_err(|error| JobError::io(parent, "create the folder", &error))?;
        Ok(made)
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeParents {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // Another program may have put something in it, or it was never made.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// A folder that makes room for another; put back when dropped.
struct SetAside {
    target: PathBuf,
    aside: Option<TempDir>,
}

const OLD: &str = "old";

impl SetAside {
    /// Removes it for good.
    fn discard(mut self) {
        drop(self.aside.take());
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        if let Some(aside) = &self.aside {
            let _ = std::fs::rename(aside.path().join(OLD), &self.target);
        }
    }
}

impl Pending {
    /// Puts the prepared folder in its place and returns where that is.
    fn publish(self, mode: u32) -> Result<PathBuf, JobError> {
        set_mode(self.prepared.path(), mode)?;
        let prepared = self.prepared.keep();
        if let Err(error) = std::fs::rename(&prepared, &self.target) {
            let _ = std::fs::remove_dir_all(&prepared);
            return Err(JobError::io(&self.target, "put the folder in place", &error));
        }
        Ok(self.target)
    }

    /// Moves the old folder, if there is one, into a temporary one.
    fn set_aside(&self) -> Result<Option<SetAside>, JobError> {
        if self.target.symlink_metadata().is_err() {
            return Ok(None);
        }
        let failed = |error: std::io::Error| JobError::io(&self.target, "replace the folder", &error);
        let parent = self.prepared.path().parent().unwrap_or(Path::new("."));
        let aside = tempfile::Builder::new()
            .prefix(&format!("{TEMPORARY}old-"))
            .tempdir_in(parent)
            .map_err(failed)?;
        std::fs::rename(&self.target, aside.path().join(OLD)).map_err(failed)?;
        Ok(Some(SetAside { target: self.target.clone(), aside: Some(aside) }))
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

    fn prepare(release: &Path, overwrite: bool) -> Result<Folders, JobError> {
        Folders::prepare(&Wanted { release, overwrite, sync: true, reads: &[] })
    }

    #[test]
    fn nothing_is_left_behind_unless_published() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("release");
        let folders = prepare(&target, false).unwrap();
        std::fs::write(folders.release().join("data.csv"), "x").unwrap();
        drop(folders);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn only_what_nobody_works_on_was_left() {
        let parent = tempfile::tempdir().unwrap();
        let first = prepare(&parent.path().join("first"), false).unwrap();
        let left = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(parent.path()).unwrap();
        let warnings = prepare(&parent.path().join("second"), false).unwrap().warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with(&left.path().display().to_string()), "{warnings:?}");
        let Pending { prepared, _lock: lock, .. } = first.release;
        drop(lock);
        assert_eq!(prepare(&parent.path().join("third"), false).unwrap().warnings().len(), 2);
        drop(prepared);
    }

    #[test]
    fn overwrite_replaces_both_folders() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("release");
        for round in ["first", "second"] {
            let folders = prepare(&target, round == "second").unwrap();
            for file in [round, manifest::FILE] {
                std::fs::write(folders.release().join(file), "x").unwrap();
            }
            std::fs::write(folders.custodian().join(CUSTODIAN_FILE), "x").unwrap();
            folders.publish().unwrap();
        }
        assert!(prepare(&target, false).unwrap_err().to_string().contains("already exists"));
        assert!(target.join("second").exists() && !target.join("first").exists());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }

    #[test]
    fn overwrite_replaces_nothing_but_releases() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("precious");
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join("thesis.txt"), "x").unwrap();
        for target in [&target, &target.join("thesis.txt")] {
            assert!(prepare(target, true).unwrap_err().to_string().contains("not replaced"));
        }
        assert!(target.join("thesis.txt").exists());
    }

    #[test]
    fn parents_that_were_made_go_unless_published() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("a/b/release");
        drop(prepare(&target, false).unwrap());
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
        prepare(&target, false).unwrap().publish().unwrap();
        assert!(target.exists());
    }
}
