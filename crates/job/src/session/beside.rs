//! A release's classes with the original records that are in them: for the custodian only.

use std::collections::BTreeMap;

use velamen_core::frequency::FrequencyTable;
use velamen_core::release::Release;
use velamen_report::place_of_labels;

/// A class of a release and what it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRecords {
    /// Its number in the release, from 1.
    pub id: u64,
    /// Released records, counterfeits included.
    pub size: u64,
    /// The released values of the quasi-identifiers.
    pub released: Vec<String>,
    /// The original values of the quasi-identifiers and of the other columns, and how many records have them.
    pub originals: Vec<(Vec<String>, u64)>,
}

/// The first classes, up to `most` released records, at least one; `None` where a class is no node's.
///
/// Complexity: O(entries · attributes) time.
pub(super) fn class_records(
    table: &FrequencyTable,
    release: &Release,
    most: u64,
) -> Option<Vec<ClassRecords>> {
    let levels: Vec<u8> = release.qis.iter().map(|qi| qi.level).collect::<Option<_>>()?;
    let mut classes = first(release, most);
    let places: BTreeMap<&[u32], usize> =
        (0..classes.len()).map(|class| (release.class(class), class)).collect();
    let codes: Vec<Vec<Option<u32>>> =
        (0..levels.len()).map(|q| released_codes(table, release, q, levels[q])).collect();
    for entry in 0..table.len() {
        let code = |q: usize| {
            let above = table.qis[q].hierarchy.code(levels[q], table.codes[q][entry]);
            codes[q][above as usize]
        };
        let class: Option<Vec<u32>> = (0..levels.len()).map(code).collect();
        if let Some(&place) = class.and_then(|class| places.get(&class[..])) {
            classes[place].originals.push((values(table, entry), table.counts[entry]));
        }
    }
    Some(classes)
}

/// By a level's code the code of the same label in the release, if it is there.
fn released_codes(table: &FrequencyTable, release: &Release, q: usize, level: u8) -> Vec<Option<u32>> {
    let places = place_of_labels(release, q);
    let labels = table.qis[q].hierarchy.labels(level).iter();
    labels.map(|label| places.get(label.as_str()).map(|&place| place as u32)).collect()
}

fn first(release: &Release, most: u64) -> Vec<ClassRecords> {
    let mut records = 0;
    let mut classes = Vec::new();
    for (class, &size) in release.sizes.iter().enumerate() {
        if !classes.is_empty() && records + size > most {
            break;
        }
        records += size;
        let codes = release.class(class).iter().zip(&release.qis);
        let released = codes.map(|(&code, qi)| qi.label(code).to_owned()).collect();
        classes.push(ClassRecords { id: class as u64 + 1, size, released, originals: Vec::new() });
    }
    classes
}

/// The values of an entry, quasi-identifiers first.
fn values(table: &FrequencyTable, entry: usize) -> Vec<String> {
    let qis = table.qis.iter().zip(&table.codes);
    let qis = qis.map(|(qi, codes)| qi.hierarchy.label(0, codes[entry]).to_owned());
    let rest = table.rest.columns.iter().zip(&table.rest.codes);
    let combination = table.rest_index[entry] as usize;
    qis.chain(rest.map(|(column, codes)| column.values[codes[combination] as usize].clone())).collect()
}
