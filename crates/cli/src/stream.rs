//! `-`: a table from standard input, a result to standard output.
//!
//! Tables are read more than once, from any place and by several threads, and outputs are written beside their place
//! and renamed. So both pass through a private temporary folder, which goes when the command ends.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;
use velamen_recipe::JobError;

use crate::terminal;

/// What stands for standard input or output.
const DASH: &str = "-";

/// A table's file, or what came from standard input.
pub(crate) struct TableInput {
    pub(crate) path: PathBuf,
    /// Gone with this.
    _folder: Option<TempDir>,
}

impl TableInput {
    /// The file of that name; for `-` standard input, kept in a temporary file that only its owner can read.
    ///
    /// # Errors
    /// [`JobError::io`] if standard input cannot be read or kept, [`JobError::interrupted`] after Ctrl-C.
    pub(crate) fn of(named: PathBuf, cancel: &AtomicBool) -> Result<Self, JobError> {
        if named != Path::new(DASH) {
            return Ok(Self { path: named, _folder: None });
        }
        let folder = private()?;
        let path = folder.path().join("standard-input");
        terminal::alias(&path, "standard input");
        let failed = |error| JobError::io(&path, "keep a copy", &error);
        let mut file = File::create_new(&path).map_err(failed)?;
        copy(&mut std::io::stdin().lock(), &mut file, cancel).map_err(failed)?;
        if cancel.load(Ordering::Relaxed) {
            return Err(JobError::interrupted());
        }
        if !terminal::is_quiet() {
            let place = folder.path().display();
            terminal::note(format_args!(
                "standard input is kept in a private file under {place} until the command ends"
            ));
        }
        Ok(Self { path, _folder: Some(folder) })
    }
}

/// Copies until the end, or until the run is to stop.
fn copy(from: &mut impl Read, to: &mut impl Write, cancel: &AtomicBool) -> std::io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    while !cancel.load(Ordering::Relaxed) {
        match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => to.write_all(&bytes[..read])?,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A file to write, or what goes to standard output.
pub(crate) struct Output {
    pub(crate) path: PathBuf,
    folder: Option<TempDir>,
}

impl Output {
    /// The file of that name; for `-` a private temporary file that [`Self::finish`] prints.
    ///
    /// # Errors
    /// [`JobError::io`] if there is no place for a temporary file.
    pub(crate) fn of(named: PathBuf) -> Result<Self, JobError> {
        if named != Path::new(DASH) {
            return Ok(Self { path: named, folder: None });
        }
        let folder = private()?;
        let path = folder.path().join("standard-output.csv");
        terminal::alias(&path, "standard output");
        terminal::hush();
        Ok(Self { path, folder: Some(folder) })
    }

    /// Prints what was written for standard output.
    ///
    /// # Errors
    /// [`JobError::io`] if the temporary file is gone. A full disk or closed pipe ends it as any other result.
    pub(crate) fn finish(self) -> Result<(), JobError> {
        if self.folder.is_none() {
            return Ok(());
        }
        let failed = |error| JobError::io(&self.path, "read", &error);
        let mut file = File::open(&self.path).map_err(failed)?;
        terminal::keep(std::io::copy(&mut file, &mut std::io::stdout()).map(drop));
        Ok(())
    }
}

/// A folder that only its owner can look into.
fn private() -> Result<TempDir, JobError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("velamen-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o700));
    }
    let place = std::env::temp_dir();
    builder.tempdir().map_err(|error| JobError::io(&place, "create a folder in", &error))
}
