//! What lies in a release's folder: all that belongs there, as it was written, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;
use velamen_checker::Finding;
use velamen_core::release::CATALOG;
use velamen_recipe::JobError;
use velamen_report::{Manifest, manifest};

use crate::catalog;
use crate::checksums::{SIGNATURE, SUMS, checksum, sha256, unlike_sums};
use crate::litter::is_litter;
use crate::recipients::VERSION;
use crate::session::pages::PUBLIC_PAGE;

/// What is in a folder.
#[derive(Default)]
struct FolderContents {
    files: BTreeSet<String>,
    litter: Vec<String>,
    /// Files that belong to no release; folders, links and whatever else is no plain file.
    foreign: Vec<String>,
}

impl FolderContents {
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
    let hierarchies = velamen_report::files(manifest).into_iter().filter(is_hierarchy);
    // Another version may pack them otherwise.
    let packed = |bytes: &[u8]| (manifest.velamen == VERSION).then(|| sha256(bytes));
    own.extend(hierarchies.map(|(name, bytes)| (name, packed(&bytes))));
    let catalogued = manifest.privacy.iter().any(|promise| promise.model == CATALOG);
    let named = [manifest::FILE, PUBLIC_PAGE, &manifest.data.file].map(str::to_owned);
    let named = named.into_iter().chain(catalogued.then(|| catalog::FILE.to_owned()));
    own.extend(named.chain(manifest.documents.iter().cloned()).map(|name| (name, None)));
    own.extend(manifest.attached.iter().map(|(name, sum)| (name.clone(), Some(sum.clone()))));
    own
}

/// Releases of the first form, and of a library without pages, have no page; the hierarchies of the first form stand in the manifest.
fn is_optional(manifest: &Manifest, name: &str) -> bool {
    let first = manifest.format.is_none_or(|format| format < 2);
    let is_page = name == PUBLIC_PAGE && (manifest.format.is_none() || manifest.without_report);
    is_page || first && name.starts_with("hierarchy-")
}

/// Whether a folder holds the files of its release and no others, and whether those that have checksums fit them.
pub(super) fn files(folder: &Path, manifest: &Manifest) -> Result<Finding, JobError> {
    let own = own(manifest);
    let seen = FolderContents::of(folder, &own)?;
    let mut missing: Vec<&str> = own
        .keys()
        .map(String::as_str)
        .filter(|name| !seen.files.contains(*name) && !is_optional(manifest, name))
        .collect();
    if seen.files.contains(SUMS) != seen.files.contains(SIGNATURE) {
        missing.push(if seen.files.contains(SUMS) { SIGNATURE } else { SUMS });
    }
    let mut changed = Vec::new();
    for (name, sum) in own.iter().filter_map(|(name, sum)| Some((name, sum.as_ref()?))) {
        if seen.files.contains(name) && checksum(&folder.join(name))? != *sum {
            changed.push(name.clone());
        }
    }
    if seen.files.contains(SUMS) && seen.foreign.is_empty() {
        changed.extend(unlike_sums(folder)?);
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
