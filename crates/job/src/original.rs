//! The file that a release was made of, as the custodian's folder remembers it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use velamen_recipe::Origin;

use crate::after::place;
use crate::checksums::sum_of_bytes;

/// Where it lay, its size in bytes, and its SHA-256, in `custodian.json`.
const FIELDS: [&str; 3] = ["input-path", "input-bytes", "input-sha256"];

/// A larger file is known again by its size alone: its sum would take longer than many a run.
const SUMMED_BYTES: u64 = 1 << 30;

/// What is remembered of a table; nothing of one that is no file.
pub(crate) fn recorded(table: &Origin) -> Map<String, Value> {
    let Some(place) = place(table) else { return Map::new() };
    let (bytes, sum) = known_by(Path::new(&place));
    FIELDS.into_iter().map(str::to_owned).zip([json!(place), json!(bytes), json!(sum)]).collect()
}

/// A file's size and sum; no sum of a larger one, and nothing of what is no plain file.
fn known_by(file: &Path) -> (Option<u64>, Option<String>) {
    let bytes = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file).map(|found| found.len());
    let summed = bytes.filter(|bytes| *bytes <= SUMMED_BYTES);
    (bytes, summed.and_then(|_| sum_of_bytes(file).ok()))
}

/// The file that a record of a custodian's folder names, if it is there and as it was. Records of earlier versions do not say how
/// it was.
///
/// # Errors
/// Why it cannot be used.
pub fn original_of(record: &Value) -> Result<PathBuf, &'static str> {
    let [path, bytes, sum] = FIELDS.map(|field| &record[field]);
    let path = path.as_str().map(PathBuf::from).filter(|path| path.is_file());
    let path = path.ok_or("the custodian's folder names no file that is there")?;
    let (now_bytes, now_sum) = known_by(&path);
    let differs = |then: &Value, now: Value| !then.is_null() && *then != now;
    if differs(bytes, json!(now_bytes)) || differs(sum, json!(now_sum)) {
        return Err("the original has changed since the release was made of it");
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_not_the_original() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("table.csv");
        std::fs::write(&file, "age\n40\n").unwrap();
        let mut record = Value::Object(recorded(&Origin::File(file.clone())));
        assert_eq!(original_of(&record), Ok(file.canonicalize().unwrap()));
        std::fs::write(&file, "age\n41\n").unwrap();
        assert!(original_of(&record).unwrap_err().contains("has changed"));
        // What an earlier version recorded is its place alone.
        let fields = record.as_object_mut().unwrap();
        fields.retain(|field, _| field == "input-path");
        assert!(original_of(&record).is_ok());
        std::fs::remove_file(&file).unwrap();
        assert!(original_of(&record).unwrap_err().contains("no file"));
    }
}
