//! What the driver has to see of an object.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use object_store::path::Path as Key;
use object_store::{GetRange, ObjectStore, ObjectStoreExt};
use url::Url;
use velamen_core::error::Problem;
use velamen_engine::Scratch;
use velamen_sql::datafusion::execution::object_store::ObjectStoreRegistry;

use crate::client::runtime;
use crate::error::ClusterError;
use crate::location::plain;
use crate::store::Stores;

/// How much of an object's end is fetched to find a Parquet footer.
const TAIL: u64 = 1 << 16;

/// How much is fetched at once.
const PIECE: u64 = 8 << 20;

/// An object as a local file, in a folder that goes with it: text in full, since the driver counts its
/// records; of Parquet the first bytes and the footer alone, the rest being a hole. Nobody else may read it.
#[derive(Debug)]
pub struct StandIn {
    folder: Scratch,
    name: String,
}

impl StandIn {
    /// Fetches what is needed of `url`.
    ///
    /// # Errors
    /// [`ClusterError::Io`] if it cannot be fetched.
    pub fn fetch(url: &str) -> Result<Self, ClusterError> {
        let failed = |error: &dyn std::fmt::Display| {
            ClusterError::Io(format!("{url}: cannot fetch it: {error}").into())
        };
        let parsed = Url::parse(url).map_err(|error| failed(&error))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            let message = Problem::new("input.path: an address of a bucket has no credentials")
                .mend("they come from the environment");
            return Err(ClusterError::Io(message));
        }
        encrypted(|name| std::env::var(name).ok())?;
        plain(url)?;
        let name = parsed.path_segments().and_then(Iterator::last).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| failed(&"expected s3://bucket/key"))?.to_owned();
        let store = Stores::default().get_store(&parsed).map_err(|error| failed(&error))?;
        let key = Key::from_url_path(parsed.path()).map_err(|error| failed(&error))?;
        let folder = Scratch::new("velamen-object-").map_err(|error| failed(&error))?;
        let own = Self { folder, name };
        std::fs::create_dir(own.place()).map_err(|error| failed(&error))?;
        let mut file = File::create(own.path()).map_err(|error| failed(&error))?;
        runtime()?.block_on(copy(store.as_ref(), &key, &mut file)).map_err(|error| failed(&error))?;
        Ok(own)
    }

    /// A folder for nothing else: the object can have any name.
    fn place(&self) -> PathBuf {
        self.folder.path().join("object")
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.place().join(&self.name)
    }
}

/// Refuses an endpoint without TLS that nobody allowed, which the store itself refuses without telling why.
fn encrypted(variable: impl Fn(&str) -> Option<String>) -> Result<(), ClusterError> {
    let endpoints = ["AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"];
    let plain = |name: &&&str| variable(name).is_some_and(|url| url.starts_with("http://"));
    let yes = |value: String| ["1", "true", "on", "yes", "y"].contains(&&*value.to_ascii_lowercase());
    let allowed = variable("AWS_ALLOW_HTTP").is_some_and(yes);
    match endpoints.iter().find(plain) {
        Some(name) if !allowed => Err(ClusterError::Io(Problem::new(format!("{name} is an address without TLS")).mend("if the table may travel in the clear, set AWS_ALLOW_HTTP=true for this process and for every \
                node"))),
        _ => Ok(()),
    }
}

async fn copy(store: &dyn ObjectStore, key: &Key, file: &mut File) -> Result<(), Box<dyn std::error::Error>> {
    let size = store.head(key).await?.size;
    let tail = store.get_opts(key, ranged(size.saturating_sub(TAIL)..size)).await?.bytes().await?;
    let wanted = match footer(&tail) {
        Some(footer) => {
            file.set_len(size)?;
            [0..8.min(size), size.saturating_sub(footer)..size]
        }
        None => [0..size, size..size],
    };
    for range in wanted {
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start + PIECE);
            let bytes = store.get_opts(key, ranged(start..end)).await?.bytes().await?;
            file.seek(SeekFrom::Start(start))?;
            file.write_all(&bytes)?;
            start = end;
        }
    }
    Ok(())
}

fn ranged(range: std::ops::Range<u64>) -> object_store::GetOptions {
    object_store::GetOptions { range: Some(GetRange::Bounded(range)), ..Default::default() }
}

/// The bytes of a Parquet file's footer, if its last bytes are such a file's.
fn footer(tail: &[u8]) -> Option<u64> {
    let (length, magic) = tail.last_chunk::<8>()?.split_at(4);
    let length = u32::from_le_bytes(length.try_into().ok()?);
    (magic == b"PAR1").then_some(u64::from(length) + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footers_are_found() {
        assert_eq!(footer(b"....\x10\0\0\0PAR1"), Some(24));
        assert_eq!(footer(b"1,2\n3,4\n5,6\n"), None);
        assert_eq!(footer(b"PAR1"), None);
    }

    #[test]
    fn endpoints_without_tls_have_to_be_allowed() {
        let of = |name: &str| (name == "AWS_ENDPOINT").then(|| "http://127.0.0.1:9000".to_owned());
        assert!(encrypted(of).unwrap_err().to_string().contains("AWS_ALLOW_HTTP=true"));
        assert!(encrypted(|name| of(name).or_else(|| Some("true".into()))).is_ok());
        assert!(encrypted(|_| None).is_ok());
    }
}
