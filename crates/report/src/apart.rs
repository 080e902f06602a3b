//! Large hierarchies in files of their own, beside the manifest that names them.
//!
//! A hierarchy of more than [`INLINE`] bytes of JSON is written as gzip of just that JSON, and the manifest has in its
//! place `{ "file", "sha256", "bytes" }`: the file's name, the hash of the file, the length of what it unpacks to. Whoever
//! reads the manifest gets the hierarchy as if it stood there; a file of another hash is refused.

use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use velamen_recipe::Code;
use velamen_recipe::{JobError, plain};

use crate::manifest::{Attributes, FILE};

/// The most bytes of JSON that a hierarchy has in the manifest itself.
const INLINE: usize = 1 << 18;
/// The most bytes that a hierarchy's file may unpack to.
const MOST: u64 = plain::MOST;

const HIERARCHY: &str = "hierarchy";

/// What stands in the manifest for a hierarchy that lies apart.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Apart {
    /// Its name in the release's folder.
    file: String,
    /// SHA-256 of the file, in hexadecimal digits.
    sha256: String,
    /// The length of what it unpacks to.
    bytes: u64,
}

/// A file's name and its bytes.
type NamedFile = (String, Vec<u8>);

/// Attributes as the manifest's file has them, without their large hierarchies, and the files of these by name.
pub(crate) fn take(attributes: &Attributes) -> (Map<String, Value>, Vec<NamedFile>) {
    let (mut without, mut files) = (Map::new(), Vec::new());
    for (number, (name, attribute)) in (1..).zip(attributes) {
        let mut entry = serde_json::to_value(attribute).unwrap_or_default();
        if let Some(hierarchy) = entry.get_mut(HIERARCHY) {
            files.extend(take_one(hierarchy, number));
        }
        without.insert(name.clone(), entry);
    }
    (without, files)
}

/// Puts a large hierarchy's file in its place, and gives the file.
fn take_one(hierarchy: &mut Value, number: usize) -> Option<NamedFile> {
    let text = Some(hierarchy.to_string()).filter(|text| text.len() > INLINE)?;
    let file = format!("hierarchy-{number}.json.gz");
    let packed = pack(text.as_bytes());
    let apart = Apart { file: file.clone(), sha256: hash(&packed), bytes: text.len() as u64 };
    *hierarchy = serde_json::to_value(apart).unwrap_or_default();
    Some((file, packed))
}

/// Puts hierarchies that lie in files of the folder back into attributes.
///
/// # Errors
/// [`JobError::io`] if a file cannot be read, [`JobError::promise`] if it is another than was written, [`JobError::data`] if
/// it holds no JSON of the length that is stated.
pub(crate) fn put_back(attributes: &mut Map<String, Value>, folder: &Path) -> Result<(), JobError> {
    for (name, entry) in attributes {
        let Some(hierarchy) = entry.get_mut(HIERARCHY).filter(|hierarchy| hierarchy.get("file").is_some())
        else {
            continue;
        };
        let wrong = |problem: &dyn std::fmt::Display| {
            let place = folder.join(FILE);
            JobError::data(format!("{}: hierarchy of attribute `{name}`: {problem}", place.display()))
        };
        let apart: Apart = serde_json::from_value(hierarchy.take()).map_err(|error| wrong(&error))?;
        *hierarchy = read(&apart, folder, &wrong)?;
    }
    Ok(())
}

fn read(
    apart: &Apart,
    folder: &Path,
    wrong: &dyn Fn(&dyn std::fmt::Display) -> JobError,
) -> Result<Value, JobError> {
    let file = Path::new(&apart.file);
    if file.file_name() != Some(file.as_os_str()) {
        return Err(wrong(&"file: no plain name").expected("the name of a file in the release's folder"));
    }
    if apart.bytes > MOST {
        return Err(wrong(&format!("bytes: {}", apart.bytes)).expected(format!("at most {MOST}")));
    }
    let path = folder.join(file);
    let packed = plain::read(&path, "read the hierarchy")?;
    if hash(&packed) != apart.sha256 {
        return Err(JobError::promise(format!(
            "{}: not the hierarchy that {FILE} was written with: its SHA-256 is another",
            path.display()
        ))
        .mend("take the release from its source again")
        .coded(Code::RELEASE_BROKEN));
    }
    let mut text = Vec::new();
    // One byte more than stated, so that a longer text shows.
    let mut unpacked = GzDecoder::new(&packed[..]).take(apart.bytes.saturating_add(1));
    unpacked.read_to_end(&mut text).map_err(|error| wrong(&error))?;
    if text.len() as u64 != apart.bytes {
        return Err(wrong(&"bytes: the file unpacks to another length"));
    }
    serde_json::from_slice(&text).map_err(|error| wrong(&error))
}

fn pack(text: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text).and_then(|()| packer.finish()).expect("memory takes what is written")
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn attributes() -> Map<String, Value> {
        let rows: Vec<[String; 2]> = (0..40_000).map(|row| [format!("{row}"), "*".into()]).collect();
        let large = json!({ "role": "quasi-identifier", "hierarchy": { "rows": rows } });
        let small = json!({ "role": "quasi-identifier", "hierarchy": { "domain": 3 } });
        Map::from_iter([("age".into(), small), ("code".into(), large)])
    }

    fn typed() -> Attributes {
        serde_json::from_value(attributes().into()).unwrap()
    }

    #[test]
    fn what_lies_apart_comes_back_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let (mut taken, files) = take(&typed());
        assert_eq!((files.len(), &*files[0].0), (1, "hierarchy-2.json.gz"));
        assert_eq!(taken["age"], attributes()["age"]);
        assert_eq!(taken["code"]["hierarchy"]["bytes"], attributes()["code"]["hierarchy"].to_string().len());
        let path = folder.path().join(&files[0].0);
        let put_back = |mut attributes: Map<String, Value>| {
            super::put_back(&mut attributes, folder.path()).map(|()| attributes)
        };
        assert_eq!(put_back(taken.clone()).unwrap_err().exit_code(), 6);
        std::fs::write(&path, &files[0].1).unwrap();
        assert_eq!(put_back(taken.clone()).unwrap(), attributes());
        let mut changed = files[0].1.clone();
        changed[100] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        let refused = put_back(taken.clone()).unwrap_err();
        assert!(refused.exit_code() == 3 && refused.to_string().contains("SHA-256"), "{refused}");
        // A hash that was changed with it does not make it JSON of that length.
        let other = pack(b"{}");
        std::fs::write(&path, &other).unwrap();
        taken["code"]["hierarchy"]["sha256"] = hash(&other).into();
        assert_eq!(put_back(taken.clone()).unwrap_err().exit_code(), 4);
        taken["code"]["hierarchy"]["file"] = "../hierarchy-2.json.gz".into();
        assert_eq!(put_back(taken).unwrap_err().exit_code(), 4);
    }
}
