//! Whether the folder of tables holds what the manifest lists, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use velamen_contract::linked::DATA;

use super::faults::{Faults, Place};
use super::plan::{Plan, file_name};
use super::source::{self, Folder};
use super::unreadable::Unreadable;

/// Compares files with the manifest, then headers. Whether every table can be read by its columns.
pub(super) fn check(release: Folder<'_>, plan: &Plan<'_>, faults: &mut Faults) -> Result<bool, Unreadable> {
    let mut is_readable = true;
    let found = files(&release.path.join(DATA), faults)?;
    let listed: BTreeSet<&str> = plan.tables.iter().filter_map(|planned| file_name(planned.table)).collect();
    for _ in found.iter().filter(|name| !listed.contains(name.as_str())) {
        // The name may say whose data it is.
        faults.add_general("a file that no table has");
    }
    for planned in &plan.tables {
        let place = Place::table(planned.name);
        if !file_name(planned.table).is_some_and(|name| found.contains(name)) {
            faults.add(place, "its file is missing");
            is_readable = false;
            continue;
        }
        let source = source::of_table(release, plan.manifest, (planned.name, planned.table))?;
        if !source.columns().iter().eq(planned.table.columns.keys()) {
            faults.add(place, "the header differs from the columns that are listed");
            is_readable = false;
        }
    }
    Ok(is_readable)
}

/// The regular files of the folder. What else it holds is a fault: links lead out of the release.
fn files(folder: &Path, faults: &mut Faults) -> Result<BTreeSet<String>, Unreadable> {
    let unreadable = |source| Unreadable::File { file: folder.to_owned(), source };
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let is_file = entry.file_type().map_err(unreadable)?.is_file();
        match entry.file_name().into_string() {
            Ok(name) if is_file => drop(found.insert(name)),
            _ => faults.add_general("something other than a file in the folder of tables"),
        }
    }
    Ok(found)
}
