//! Whose the records of a release are, as far as its recipients can tell.

use velamen_core::people::{repeating, telling};
use velamen_core::release::{Release, SUPPRESSED};
use velamen_measure::risk::people::Holdings;

use crate::manifest::Manifest;

/// The column of pseudonyms by which several records are one person's. `None` where nobody's records can be told: each is
/// another person's, or who is who is not released.
#[must_use]
pub fn column(manifest: &Manifest, release: &Release) -> Option<usize> {
    if manifest.method.counts_persons() {
        return None;
    }
    let names = manifest.pseudonyms();
    let columns = names.iter().filter_map(|name| release.rest.position(name));
    telling(columns.map(|column| (column, people_of(release, column))))
}

fn people_of(release: &Release, column: usize) -> Option<usize> {
    let codes = &release.rest.codes[column];
    let mut records = vec![0u64; release.rest.columns[column].values.len()];
    release.rows.iter().for_each(|row| records[codes[row.rest as usize] as usize] += row.count);
    repeating(&release.rest.columns[column].values, &records)
}

/// Who has records in which class, by the column of pseudonyms. Records without one are one person's.
#[must_use]
pub fn holdings(release: &Release, column: usize) -> Holdings {
    let codes = &release.rest.codes[column];
    let rows = release.rows.iter().filter(|row| row.class != SUPPRESSED);
    let triples = rows.map(|row| (row.class, codes[row.rest as usize], row.count));
    Holdings::new(triples, release.sizes.len())
}
