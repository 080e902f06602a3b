//! What a release does not promise, in sentences.

use crate::language::{t, text};
use crate::number::count;
use velamen_contract::Promised;
use velamen_core::frequency::Role;
use velamen_core::release::Release;
use velamen_measure::risk::certain::Certain;
use velamen_search::metric::released;

use super::verdict::list;
use super::{people, telling, words};
use crate::manifest::{Manifest, OfMethod};
use crate::matching::{linked, surely_real};

/// What a release does not promise.
pub(super) fn limits(manifest: &Manifest, release: &Release) -> Vec<String> {
    let mut limits: Vec<String> = words::LIMITS.iter().map(|limit| (*limit).to_owned()).collect();
    if !manifest.is_noisy() && !manifest.method.spends() {
        limits.push(
            t("Someone who knows nearly all other records may be able to work out whether a person is in the data: nothing \
             here hides that.")
                .into(),
        );
    }
    let of_sensitive = |promise: &Promised| promise.terms().is_some_and(|terms| terms.facts.sensitive);
    if manifest.attributes.values().any(|entry| entry.pseudonym.is_some()) {
        limits.extend(linked(manifest, release).map(|linked| of_linked(manifest, release, linked)));
        limits.push(
            t("Pseudonyms are the same for the same identifier, here and in every release under the same key. Whoever has \
             the key can make an identifier's pseudonym.")
                .into(),
        );
    }
    if manifest.counterfeits != Some(0) && !manifest.is_noisy() {
        let told = [
            t(words::COUNTERFEITS).to_owned(),
            provably_real(manifest, release),
            expected(manifest),
            t(words::COUNTED).to_owned(),
        ];
        limits.push(told.into_iter().filter(|told| !told.is_empty()).collect::<Vec<_>>().join(" "));
    }
    let originals: Vec<&str> =
        manifest.utility.keys().map(String::as_str).filter(|name| !released::shows(name)).collect();
    if !originals.is_empty() {
        limits.push(match &originals[..] {
            [one] => text!(
                "The figure {} rests on the custodian's word: the released file alone does not show it.",
                one
            ),
            all => text!(
                "The figures {} rest on the custodian's word: the released file alone does not show them.",
                list(all)
            ),
        });
    }
    let real = surely_real(release);
    if real > 0 {
        limits.push(text!(
            "{} of {} records are certainly genuine: no other record has their insensitive and sensitive values, \
             which a counterfeit repeats. This makes counterfeits among the others of their group easier to spot.",
            count(real),
            count(release.records())
        ));
    }
    let has_sensitive = manifest.of_role(Role::Sensitive).next().is_some();
    if has_sensitive && !manifest.is_noisy() && !manifest.privacy.iter().any(of_sensitive) {
        limits.push(
            t("Nothing is promised about the sensitive attributes: if all records of a group share a sensitive value, anyone \
             who finds a person's group learns it.")
                .into(),
        );
    }
    limits
}

/// Pseudonyms of several records, and how many of them are alone with the groups of all their records.
fn of_linked(manifest: &Manifest, release: &Release, (several, alone): (u64, u64)) -> String {
    let several = match several {
        1 => t("1 pseudonym has several records.").to_owned(),
        number => text!("{} pseudonyms have several records.", count(number)),
    };
    if people::column(manifest, release).is_none() {
        return text!(
            "{} The custodian states that each record is of another person. Otherwise the promises, which count \
             records, are about fewer people.",
            several
        );
    }
    let alone = match alone {
        0 => t("None of these people is the only one").to_owned(),
        1 => t("1 of these people is the only one").to_owned(),
        number => text!("{} of these people are the only ones", count(number)),
    };
    text!(
        "{} The promises hold against anyone who knows one record of a person. {} with records in just their groups.",
        several,
        alone
    )
}

/// The records that the catalog proves real, in a sentence; nothing where there is none to read.
fn provably_real(manifest: &Manifest, release: &Release) -> String {
    if release.catalog.is_empty() {
        return String::new();
    }
    let Certain { records, provably_real, classes } = telling::proven(manifest, release);
    let or_needed = if telling::real_values(manifest) > 1 {
        t(", or each value of their group is needed for what is promised of real people")
    } else {
        ""
    };
    let groups = if classes == 1 { t("1 group").to_owned() } else { text!("{} groups", count(classes)) };
    match provably_real {
        0 => t("No record of the groups that can hold counterfeits is provably real: the catalog counts counterfeits of each \
              of their values.")
            .to_owned(),
        real => text!(
            "Provably real are {} of {} records of the groups that can hold counterfeits, in {}: the catalog counts no \
             counterfeit of their values there{}. Anybody who has the release can find them.",
            count(real),
            count(records),
            groups,
            or_needed
        ),
    }
}

/// What an adversary expects who has no more than the release, in a sentence; nothing where that is not stated.
fn expected(manifest: &Manifest) -> String {
    let Some(area) = manifest.adversary.and_then(|adversary| adversary.auc_expected) else {
        return String::new();
    };
    text!(
        "Someone who has this release alone expects to tell counterfeits from real records with an area under the curve of \
         {}: 0.5 is chance, 1 is certainty. The guess goes by the sizes of groups, the catalog and what is usual for \
         such people. How far it is right only the original shows.",
        format!("{area:.2}")
    )
}
