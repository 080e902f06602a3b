//! The records of an original that a differentially private method counted: those within the declared domains. The others were
//! dropped by design, and are left out where the original stands beside such a release.

use velamen_contract::PromisedAttribute;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::NULL;
use velamen_engine::Outside;
use velamen_engine::source::ReadOptions;
use velamen_report::{Manifest, OfMethod};

/// How the original of a release is read: a value outside its domain is no mistake where the method dropped such records.
pub(crate) fn reading(read: ReadOptions, manifest: &Manifest) -> ReadOptions {
    if manifest.facts().private { ReadOptions { outside: Outside::Apart, ..read } } else { read }
}

/// The table without records that miss a value where the domain has no missing one; they are among its strays then.
pub(crate) fn within(
    table: FrequencyTable,
    qis: &[PromisedAttribute],
    manifest: &Manifest,
) -> FrequencyTable {
    if !manifest.facts().private {
        return table;
    }
    let declared = |name: &str| qis.iter().any(|qi| qi.name == name && qi.null_leaf);
    let mut missing: Vec<(usize, u32)> = Vec::new();
    for (place, qi) in table.qis.iter().enumerate().filter(|(_, qi)| !declared(&qi.name)) {
        let labels = qi.hierarchy.labels(0);
        missing.extend(labels.iter().position(|label| label == NULL).map(|code| (place, code as u32)));
    }
    let is_within = |entry: &usize| missing.iter().all(|&(qi, code)| table.codes[qi][*entry] != code);
    let entries: Vec<usize> = (0..table.len()).filter(is_within).collect();
    // Where no record is, there is nothing else that figures could be about.
    if entries.is_empty() || entries.len() == table.len() {
        return table;
    }
    let picked = |codes: &Vec<u32>| entries.iter().map(|&entry| codes[entry]).collect();
    let mut strays = table.strays.clone();
    let counts: Vec<u64> = entries.iter().map(|&entry| table.counts[entry]).collect();
    strays.add_outside(0, table.records() - counts.iter().sum::<u64>());
    let codes = table.codes.iter().map(picked).collect();
    FrequencyTable { codes, rest_index: picked(&table.rest_index), counts, strays, ..table }
}

/// What of the original the figures leave out, and what the method left out besides.
pub(crate) fn notes(table: &FrequencyTable, manifest: &Manifest) -> Vec<String> {
    let strays = &table.strays;
    let outside: u64 = strays.outside.iter().sum::<u64>() + strays.dropped + strays.malformed;
    let domain = (outside > 0).then(|| {
        let (records, are, them) = if outside == 1 { ("record", "is", "it") } else { ("records", "are", "them") };
        format!(
            "{outside} {records} of the original {are} left out, as the method left {them} out: for a value outside the declared domains, or \
             for what cannot be read"
        )
    });
    let invented = manifest.records_per_person.filter(|_| manifest.is_invented());
    let cap = invented.map(|most| {
        format!("the method counted at most {most} of each person's records, and error bars hold for those; all are compared here")
    });
    domain.into_iter().chain(cap).collect()
}
