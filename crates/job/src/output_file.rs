//! A single output file, complete or not at all.

use std::path::Path;

use velamen_recipe::JobError;

use crate::folders::{sync_file, sync_folder};
use crate::outputs::parent;

/// Lets `write` fill a temporary file beside the target, then renames it. What exists and is no
/// regular file (a device, a pipe) is written to directly.
pub fn write(target: &Path, write: impl FnOnce(&Path) -> Result<(), JobError>) -> Result<(), JobError> {
    if target.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return write(target);
    }
    let parent = parent(target);
    let temporary = readable(tempfile::Builder::new().prefix(".velamen-")).tempfile_in(parent);
    let temporary = temporary.map_err(|error| no_file_in(parent, &error))?.into_temp_path();
    write(&temporary)?;
    // The name must not reach the disk before the bytes.
    let synced = sync_file(&temporary);
    synced.map_err(|error| JobError::io(target, "bring to the disk", &error))?;
    let placed = temporary.persist(target);
    placed.map_err(|error| JobError::io(target, "put the file in place", &error.error))?;
    sync_folder(parent)
}

/// The error of the system names the temporary file, which nobody asked for.
fn no_file_in(parent: &Path, error: &std::io::Error) -> JobError {
    if parent.is_dir() {
        return JobError::io(parent, "create a file in", &error.kind().into());
    }
    JobError::io(parent, "write there", &std::io::Error::new(error.kind(), "there is no such folder"))
}

/// As any new file, not for the owner alone.
#[cfg(unix)]
fn readable<'a, 'b>(builder: &'a mut tempfile::Builder<'b, 'b>) -> &'a mut tempfile::Builder<'b, 'b> {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable<'a, 'b>(builder: &'a mut tempfile::Builder<'b, 'b>) -> &'a mut tempfile::Builder<'b, 'b> {
    builder
}
