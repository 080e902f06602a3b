//! Folders and files that only their owner may look into.

use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;

/// Makes a folder of mode 700, if it is not there already.
pub(crate) fn folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Whether others than its owner may read or change a file, as far as its own mode and that of its folder show.
#[cfg(unix)]
pub(crate) fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |of| of.permissions().mode());
    let (file, folder) = (mode(path), path.parent().map_or(0, mode));
    // First the group, then everyone: the folder has to be open to them as well.
    [3, 0].iter().any(|bits| file >> bits & 0o6 != 0 && folder >> bits & 0o1 != 0)
}

/// Modes say nothing here.
#[cfg(not(unix))]
pub(crate) fn is_open(_path: &Path) -> bool {
    false
}

/// Writes a file of mode 600, in full or not at all; one that is there is replaced.
pub(crate) fn file(path: &Path, content: &str) -> Result<()> {
    let folder = path.parent().ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
    // Temporary files are of mode 600 from the beginning.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
