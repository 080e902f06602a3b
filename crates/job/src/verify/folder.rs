//! What lies in a release's folder: all that belongs there, as it was written, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::json;
use velamen_checker::Finding;
use velamen_core::release::CATALOG;
use velamen_recipe::JobError;
use velamen_report::{Manifest, manifest};

use crate::recipients::VERSION;
use crate::sign::{self, SIGNATURE, SUMS, sha256};
use crate::{catalog, public_report};

/// What systems leave in folders that somebody looked into, and how such a file begins: a name alone would let any file in.
const LITTER: [(&str, &[u8]); 5] = [
    (".ds_store", b"\0\0\0\x01Bud1"),
    ("thumbs.db", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("desktop.ini", b"[."),
    ("desktop.ini", b"\r\n[."),
    ("desktop.ini", b"\xff\xfe"),
];
/// The copies that macOS keeps of a file's attributes.
const ATTRIBUTES: &[u8] = b"\0\x05\x16\x07";

/// Whether a file is a system's, left behind without anybody's will.
pub(crate) fn is_litter(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let of_name = LITTER.iter().filter(|(known, _)| *known == name).map(|(_, begins)| *begins);
    let beginnings: Vec<&[u8]> = of_name.chain(name.starts_with("._").then_some(ATTRIBUTES)).collect();
    // A pipe would be waited for.
    let is_file = || path.symlink_metadata().is_ok_and(|there| there.is_file());
    if beginnings.is_empty() || !is_file() {
        return false;
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(8).read_to_end(&mut head));
    read.is_ok() && (head.is_empty() || beginnings.iter().any(|begins| head.starts_with(begins)))
}

/// What is in a folder.
#[derive(Default)]
struct Seen {
    files: BTreeSet<String>,
    litter: Vec<String>,
    /// Files that belong to no release; folders, links and whatever else is no plain file.
    foreign: Vec<String>,
}

impl Seen {
    fn of(folder: &Path, own: &BTreeMap<String, Option<String>>) -> Result<Self, JobError> {
        let failed = |error: std::io::Error| JobError::io(folder, "read", &error);
        let mut seen = Self::default();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_file = entry.file_type().map_err(failed)?.is_file();
            match (is_file, own.contains_key(&name) || [SUMS, SIGNATURE].contains(&&*name)) {
                (true, true) => drop(seen.files.insert(name)),
                (true, false) if is_litter(&entry.path()) => seen.litter.push(name),
                _ => seen.foreign.push(name),
            }
        }
        seen.foreign.sort();
        seen.litter.sort();
        Ok(seen)
    }
}

/// The files that belong to a release by name, and the SHA-256 of those that follow from the manifest.
fn own(manifest: &Manifest) -> BTreeMap<String, Option<String>> {
    let mut own: BTreeMap<String, Option<String>> = BTreeMap::new();
    let is_hierarchy = |(name, _): &(String, Vec<u8>)| name != manifest::FILE;
    let hierarchies = manifest.files().into_iter().filter(is_hierarchy);
    // Another version may pack them otherwise.
    let packed = |bytes: &[u8]| (manifest.velamen == VERSION).then(|| sha256(bytes));
    own.extend(hierarchies.map(|(name, bytes)| (name, packed(&bytes))));
    let catalogued = manifest.privacy.iter().any(|promise| promise.model == CATALOG);
    let named = [manifest::FILE, public_report::FILE, &manifest.data.file].map(str::to_owned);
    let named = named.into_iter().chain(catalogued.then(|| catalog::FILE.to_owned()));
    own.extend(named.chain(manifest.documents.iter().cloned()).map(|name| (name, None)));
    own.extend(manifest.attached.iter().map(|(name, sum)| (name.clone(), Some(sum.clone()))));
    own
}

/// Whether a folder holds the files of its release and no others, and whether those that have checksums fit them.
pub(super) fn files(folder: &Path, manifest: &Manifest) -> Result<Finding, JobError> {
    let own = own(manifest);
    let seen = Seen::of(folder, &own)?;
    // Releases of the first form can be without a page, and their hierarchies stand in the manifest.
    let first = manifest.format.is_none_or(|format| format < 2);
    let optional = |name: &str| {
        manifest.format.is_none() && name == public_report::FILE || first && name.starts_with("hierarchy-")
    };
    let mut missing: Vec<&str> = own
        .keys()
        .map(String::as_str)
        .filter(|name| !seen.files.contains(*name) && !optional(name))
        .collect();
    if seen.files.contains(SUMS) != seen.files.contains(SIGNATURE) {
        missing.push(if seen.files.contains(SUMS) { SIGNATURE } else { SUMS });
    }
    let mut changed = Vec::new();
    for (name, sum) in own.iter().filter_map(|(name, sum)| Some((name, sum.as_ref()?))) {
        if seen.files.contains(name) && sign::checksum(&folder.join(name))? != *sum {
            changed.push(name.clone());
        }
    }
    if seen.files.contains(SUMS) && seen.foreign.is_empty() {
        changed.extend(sign::unlike_sums(folder)?);
    }
    let holds = seen.foreign.is_empty() && missing.is_empty() && changed.is_empty();
    let asked = json!({ "changed": [], "foreign": [], "missing": [] });
    let mut finding = Finding::of(
        "files",
        asked,
        json!({ "changed": changed, "foreign": seen.foreign, "missing": missing }),
        holds,
    );
    if let (false, Some(reached)) = (seen.litter.is_empty(), finding.reached.as_object_mut()) {
        reached.insert("left-by-a-system".into(), seen.litter.into());
    }
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn litter_is_a_systems() {
        let folder = tempfile::tempdir().expect("a folder");
        let is = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).expect("a file");
            is_litter(&path)
        };
        assert!(is(".DS_Store", b"\0\0\0\x01Bud1...") && is("._data.csv", b"\0\x05\x16\x07..."));
        assert!(is("desktop.ini", b"[.ShellClassInfo]\r\n") && is("Thumbs.db", b""));
        assert!(!is(".hidden", b"") && !is("thumbs.db.csv", b"") && !is("original.csv", b"\0\x05\x16\x07"));
        for name in [".DS_Store", "._original.csv", "Thumbs.db", "desktop.ini"] {
            assert!(!is(name, b"name,age\n"), "{name}");
        }
    }
}
