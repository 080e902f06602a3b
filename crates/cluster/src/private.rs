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

/// Writes a file of mode 600, in full or not at all; one that is there is replaced.
pub(crate) fn file(path: &Path, content: &str) -> Result<()> {
    let folder = path.parent().ok_or_else(|| Error::from(ErrorKind::InvalidInput))?;
    // Temporary files are of mode 600 from the beginning.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
