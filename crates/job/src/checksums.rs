//! The list of a folder's checksums, and whether the folder is as it says.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::{Digest, Sha256};
use velamen_checker::Finding;
use velamen_contract::linked::DATA;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use crate::litter::is_litter;

/// The list of checksums.
pub const SUMS: &str = "SHA256SUMS";
/// Its signature.
pub const SIGNATURE: &str = "SHA256SUMS.minisig";

/// The files that a list of checksums has otherwise than the folder.
pub(crate) fn changed(sums: &str, there: &BTreeMap<String, String>) -> Vec<String> {
    let line = |line: &str| line.split_once("  ").map(|(sum, name)| (name.to_owned(), sum.to_owned()));
    let listed: Option<BTreeMap<String, String>> = sums.lines().map(line).collect();
    let listed = listed.unwrap_or_default();
    let names: BTreeSet<&String> = listed.keys().chain(there.keys()).collect();
    names.into_iter().filter(|name| listed.get(*name) != there.get(*name)).cloned().collect()
}

/// What of a folder its own list of checksums has otherwise; the list itself where it is not as it is written, and the
/// signature where it is none.
pub(crate) fn unlike_sums(folder: &Path) -> Result<Vec<String>, JobError> {
    let read = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).ok()
    };
    let there = checksums(folder)?;
    let Some(sums) = read(SUMS) else { return Ok(vec![SUMS.to_owned()]) };
    let mut unlike = changed(&sums, &there);
    if unlike.is_empty() && sums != listed(&there) {
        unlike.push(SUMS.to_owned());
    }
    // That it is missing is another finding.
    if read(SIGNATURE).is_some_and(|text| !has_form_of_signature(&text)) {
        unlike.push(SIGNATURE.to_owned());
    }
    Ok(unlike)
}

/// The list as it is written.
pub(crate) fn listed(sums: &BTreeMap<String, String>) -> String {
    sums.iter().fold(String::new(), |mut text, (name, sum)| {
        let _ = writeln!(text, "{sum}  {name}");
        text
    })
}

/// What velamen, minisign and rsign write where nobody gives a comment.
const COMMENTS: [&str; 3] =
    ["velamen signature", "signature from minisign secret key", "signature from rsign secret key"];

/// Whether a text has the form of minisign's signatures: a comment, the algorithm, the key's number and the signature of the
/// file, a signed comment, and the signature of both. Whose it is needs a key. The first comment is not signed: it is one of those that
/// programs write by themselves, and no further line follows, so that nothing else is told there.
pub(crate) fn has_form_of_signature(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    let [comment, of_file, signed_comment, of_both] = lines[..] else { return false };
    let of_file = of_file.trim();
    // "Ed" or "ED", which says whether the file was hashed first, then 8 and 64 bytes.
    let is_known =
        ["RWQ", "RWR", "RWS", "RWT", "RUQ", "RUR", "RUS", "RUT"].contains(&of_file.get(..3).unwrap_or(""));
    comment.strip_prefix("untrusted comment: ").is_some_and(|comment| COMMENTS.contains(&comment))
        && is_known
        && is_base64_of(74, of_file)
        && signed_comment.starts_with("trusted comment: ")
        && is_base64_of(64, of_both.trim())
}

/// Whether a text is so many bytes in Base64.
fn is_base64_of(bytes: usize, text: &str) -> bool {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let characters = (bytes * 8).div_ceil(6);
    let Some((body, padding)) = text.split_at_checked(characters) else { return false };
    let place = |character: u8| ALPHABET.iter().position(|known| *known == character);
    let unused = characters * 6 - bytes * 8;
    let ends_well = body.bytes().next_back().and_then(place).is_some_and(|last| last % (1 << unused) == 0);
    ends_well && body.bytes().all(|character| place(character).is_some()) && padding == &"=="[..unused / 2]
}

/// The SHA-256 of every file of a folder by name, without those of the signature. Linked tables lie in a folder of their own,
/// whose name and a `/` stand before theirs.
pub(crate) fn checksums(folder: &Path) -> Result<BTreeMap<String, String>, JobError> {
    let mut sums = BTreeMap::new();
    for (name, path) in files(folder)? {
        if name == DATA && path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            for (inner, path) in files(&path)? {
                sums.insert(format!("{name}/{inner}"), checksum(&path)?);
            }
        } else if name != SUMS && name != SIGNATURE {
            sums.insert(name, checksum(&path)?);
        }
    }
    Ok(sums)
}

/// What is in a folder, by name, but for what a system left there.
fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, JobError> {
    let failed = |error: std::io::Error| JobError::io(folder, "read", &error);
    let entries: Vec<_> = std::fs::read_dir(folder).and_then(Iterator::collect).map_err(failed)?;
    let named = |entry: &std::fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
    Ok(entries.iter().map(named).filter(|(_, path)| !is_litter(path)).collect())
}

/// Lists the SHA-256 of every file of a folder in it.
///
/// # Errors
/// [`JobError::io`], or [`JobError::data`] where something in it is no file.
pub fn write_sums(folder: &Path) -> Result<(), JobError> {
    let (path, sums) = (folder.join(SUMS), listed(&checksums(folder)?));
    std::fs::write(&path, sums).map_err(|error| JobError::io(&path, "write", &error))
}

/// Whether the files of a folder are those that its list of checksums says.
///
/// # Errors
/// As [`write_sums`].
pub fn files_finding(folder: &Path) -> Result<Finding, JobError> {
    let unlike = unlike_sums(folder)?;
    let asked = json!({ "changed": [] });
    Ok(Finding::of("files", asked, json!({ "changed": unlike }), unlike.is_empty()))
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(crate) fn checksum(path: &Path) -> Result<String, JobError> {
    // A link would sign what lies elsewhere.
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        let problem = Problem::new("a release holds files alone").mend("remove it");
        return Err(JobError::data(problem.after(&format!("{}: ", path.display()))));
    }
    sum_of_bytes(path).map_err(|error| JobError::io(path, "read", &error))
}

/// The SHA-256 of what a path leads to.
pub(crate) fn sum_of_bytes(path: &Path) -> std::io::Result<String> {
    let mut hash = Hash(Sha256::new());
    std::io::copy(&mut std::fs::File::open(path)?, &mut hash)?;
    Ok(hexadecimal(&hash.0.finalize()))
}

/// The SHA-256 of bytes, in hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A hash that can be written to.
struct Hash(Sha256);

impl std::io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
