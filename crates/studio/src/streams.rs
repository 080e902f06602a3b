//! Files that come and go piece by piece, so that they need not fit into memory.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use axum::body::{Body, Bytes};
use futures_util::stream::try_unfold;

/// The bytes of a piece.
const PIECE: usize = 1 << 16;

/// Work that waits for files or takes long, apart from the threads that answer requests; `None` if it panicked. Where the system
/// has no threads, nobody else waits.
pub(crate) async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    #[cfg(feature = "server")]
    return tokio::task::spawn_blocking(work).await.ok();
    #[cfg(not(feature = "server"))]
    return Some(work());
}

/// A file's text.
///
/// # Errors
/// Those of reading it.
pub(crate) async fn text_of(path: &Path) -> io::Result<String> {
    let path = path.to_owned();
    apart(move || std::fs::read_to_string(path)).await.unwrap_or_else(broken)
}

/// A file from where it stands, as it is read.
pub(crate) fn streamed(file: File) -> Body {
    Body::from_stream(try_unfold(file, async |file| apart(|| next(file)).await.unwrap_or_else(broken)))
}

fn next(mut file: File) -> io::Result<Option<(Bytes, File)>> {
    let mut piece = vec![0; PIECE];
    let read = file.read(&mut piece)?;
    piece.truncate(read);
    Ok((read > 0).then(|| (piece.into(), file)))
}

/// The file with one more piece.
///
/// # Errors
/// Those of writing it.
pub(crate) async fn append(mut file: File, piece: Bytes) -> io::Result<File> {
    apart(move || file.write_all(&piece).map(|()| file)).await.unwrap_or_else(broken)
}

fn broken<T>() -> io::Result<T> {
    Err(io::Error::other("the work on a file broke off"))
}
