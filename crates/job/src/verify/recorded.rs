//! Whether a release is the one that the custodian's folder was made with.
//!
//! What a release states and its records do not show, nobody but the custodian can compare: how counterfeits were drawn, that a node
//! is proven, whom draws kept. The run leaves the SHA-256 of `release.json` in the custodian's folder for that.

use std::path::Path;

use serde_json::{Value, json};
use velamen_checker::Finding;
use velamen_recipe::{JobError, plain};
use velamen_report::manifest::FILE;

use crate::checksums::sha256;
use crate::folders::CUSTODIAN_FILE;

/// The field of `custodian.json` with the SHA-256 of `release.json`.
pub const MANIFEST: &str = "manifest-sha256";

/// The promise.
const RECORDED: &str = "recorded";

/// Compares the manifest of a release with what the custodian's folder has of it.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if one of both cannot be read.
pub fn finding(folder: &Path, custodian: &Path) -> Result<Finding, JobError> {
    let asked = json!({ "changed": [] });
    let path = custodian.join(CUSTODIAN_FILE);
    let record: Value = serde_json::from_slice(&plain::read(&path, "read the record")?)
        .map_err(|_| JobError::data(format!("{}: not the record of a custodian's folder", path.display())))?;
    let Some(recorded) = record.get(MANIFEST).and_then(Value::as_str) else {
        let why =
            "the custodian's folder was made by a version that did not record which release.json it is of";
        return Ok(Finding::not_checked(RECORDED, asked, why));
    };
    let same = sha256(&plain::read(&folder.join(FILE), "read the manifest")?) == recorded;
    let changed: &[&str] = if same { &[] } else { &[FILE] };
    Ok(Finding::of(RECORDED, asked, json!({ "changed": changed }), same))
}
