//! Whether the file of labels says what the manifest says.

use std::collections::BTreeSet;
use std::path::Path;

use velamen_contract::linked::{Column, LABELS, LinkedManifest};

use super::faults::Faults;
use super::rows::Row;
use super::source;
use super::unreadable::Unreadable;

const HEADER: [&str; 4] = ["table", "column", "value", "label"];

/// Compares the file with the manifest. Without labels there need be no file.
pub(super) fn check(release: &Path, manifest: &LinkedManifest) -> Result<Faults, Unreadable> {
    let (mut faults, mut open) = (Faults::default(), stated(manifest));
    if !release.join(LABELS).is_file() {
        if !open.is_empty() {
            faults.add_general("the file of labels is missing");
        }
        return Ok(faults);
    }
    let (mut source, mut row) = (source::open(release, LABELS)?, Row::new());
    if !source.columns().iter().eq(HEADER) {
        faults.add_general("the header of the file of labels differs");
        return Ok(faults);
    }
    while source.next(&mut row)? {
        let cells: Vec<String> = row.iter().map(str::to_owned).collect();
        if !open.remove(&cells) {
            faults.add_general("a label that the manifest does not have, or has once");
        }
    }
    for _ in open {
        faults.add_general("a label of the manifest is missing");
    }
    Ok(faults)
}

/// The rows that the manifest makes.
fn stated(manifest: &LinkedManifest) -> BTreeSet<Vec<String>> {
    let mut stated = BTreeSet::new();
    for (table, of_table) in &manifest.tables {
        for (column, role) in &of_table.columns {
            let Column::QuasiIdentifier { labels, .. } = role else { continue };
            let row = |(value, label): (&String, &String)| {
                vec![table.clone(), column.clone(), value.clone(), label.clone()]
            };
            stated.extend(labels.iter().map(row));
        }
    }
    stated
}
