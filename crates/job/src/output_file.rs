//! A single output file, complete or not at all.

use std::path::Path;

use crate::error::JobError;

/// Lets `write` fill a temporary file beside the target, then renames it. What exists and is no
/// regular file (a device, a pipe) is written to directly.
pub(crate) fn write(
    target: &Path,
    write: impl FnOnce(&Path) -> Result<(), JobError>,
) -> Result<(), JobError> {
    if target.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return write(target);
    }
    let parent = target.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let temporary = readable(tempfile::Builder::new().prefix(".velamen-")).tempfile_in(parent);
    let temporary =
        temporary.map_err(|error| JobError::io(parent, "create a file in", &error))?.into_temp_path();
    write(&temporary)?;
    temporary.persist(target).map_err(|error| JobError::io(target, "put the file in place", &error.error))
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
