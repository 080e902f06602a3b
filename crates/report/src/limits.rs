//! What a release does not promise, in sentences.

use velamen_contract::Promised;
use velamen_core::frequency::Role;
use velamen_core::number::count;
use velamen_core::release::Release;
use velamen_measure::risk::certain::{Certain, certain};
use velamen_search::metric;

use super::verdict::list;
use super::words;
use crate::manifest::{Manifest, OfMethod};
use crate::matching::{linked, surely_real};

/// What a release does not promise.
pub(super) fn limits(manifest: &Manifest, release: &Release) -> Vec<String> {
    let mut limits: Vec<String> = words::LIMITS.iter().map(|limit| (*limit).to_owned()).collect();
    if !manifest.is_noisy() && !manifest.method.spends() {
        limits.push(
            "Someone who knows nearly all other records may be able to work out whether a person is in the data: nothing \
             here hides that."
                .into(),
        );
    }
    let of_sensitive = |promise: &Promised| promise.terms().is_some_and(|terms| terms.facts.sensitive);
    if manifest.attributes.values().any(|entry| entry.pseudonym.is_some()) {
        if let Some((several, alone)) = linked(manifest, release) {
            limits.push(format!(
                "{} pseudonyms have several records. The promises hold against anyone who knows one record of a person. {} of \
                 these persons are the only ones with records in just their groups.",
                count(several),
                count(alone)
            ));
        }
        limits.push(
            "Pseudonyms are the same for the same person, here and in every release under the same key. Whoever has \
             the key can make a person's pseudonym."
                .into(),
        );
    }
    if manifest.counterfeits != Some(0) && !manifest.is_noisy() {
        let told =
            [words::COUNTERFEITS.to_owned(), provably_real(manifest, release), words::COUNTED.to_owned()];
        limits.push(told.into_iter().filter(|told| !told.is_empty()).collect::<Vec<_>>().join(" "));
    }
    let originals: Vec<&str> =
        manifest.utility.keys().map(String::as_str).filter(|name| needs_originals(name)).collect();
    if !originals.is_empty() {
        limits.push(format!(
            "The figures {} compare with the original records: no release can show them, so they are the custodian's word.",
            list(&originals)
        ));
    }
    let real = surely_real(release);
    if real > 0 {
        limits.push(format!(
            "{} of {} records are certainly genuine: no other record has their insensitive and sensitive values, \
             which a counterfeit repeats. This makes counterfeits among the others of their group easier to spot.",
            count(real),
            count(release.records())
        ));
    }
    let has_sensitive = manifest.of_role(Role::Sensitive).next().is_some();
    if has_sensitive && !manifest.is_noisy() && !manifest.privacy.iter().any(of_sensitive) {
        limits.push(
            "Nothing is promised about the sensitive attributes: if all records of a group share a sensitive value, anyone \
             who finds a person's group learns it."
                .into(),
        );
    }
    limits
}

/// The records that the catalog proves real, in a sentence; nothing where there is none to read.
fn provably_real(manifest: &Manifest, release: &Release) -> String {
    if release.catalog.is_empty() {
        return String::new();
    }
    let largest = manifest.method.largest_padded().unwrap_or(u64::MAX);
    let values = super::telling::real_values(manifest);
    let Certain { records, provably_real, classes } = certain(release, largest, values);
    let or_needed = if values > 1 {
        ", or each value of their group is needed for what is promised of real people"
    } else {
        ""
    };
    let groups = if classes == 1 { "1 group".to_owned() } else { format!("{} groups", count(classes)) };
    match provably_real {
        0 => "No record of the groups that can hold counterfeits is provably real: the catalog counts counterfeits of each \
              of their values."
            .to_owned(),
        real => format!(
            "Provably real are {} of {} records of the groups that can hold counterfeits, in {groups}: the catalog counts no \
             counterfeit of their values there{or_needed}. Anybody who has the release can find them.",
            count(real),
            count(records)
        ),
    }
}

fn needs_originals(name: &str) -> bool {
    metric::find(name).is_some_and(|metric| metric.needs_originals)
}
