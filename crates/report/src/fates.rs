//! What became of records, in words: suppressed, counterfeit, drawn, moved, averaged.

use crate::language::{self, t, text};
use crate::number::{count, percent};
use velamen_search::method::Records;

use crate::manifest::{Manifest, OfMethod};

pub(super) const RELOCATED: &str = language::mark(
    "Records that stand out were given the quasi-identifiers of another group: these values are untrue.",
);

pub(super) fn is_relocated(manifest: &Manifest) -> bool {
    manifest.facts().records == Records::Relocated
}

/// What became of records that are like too few others.
fn suppressed(manifest: &Manifest) -> String {
    let all = count(manifest.records);
    let share = |part: u64| percent(part as f64 / manifest.records.max(1) as f64);
    match manifest.suppressed {
        // Of a sample, those that are too rare are not there.
        0 if manifest.facts().records == Records::Sampled => {
            t("No released record is suppressed.").to_owned()
        }
        0 => t("No record is suppressed.").to_owned(),
        number if manifest.is_noisy() => text!(
            "{} of {} records ({}) show no quasi-identifiers, all being *: the noisy count of their group was too small.",
            count(number),
            all,
            share(number)
        ),
        number if manifest.suppresses_records() => text!(
            "{} of {} records ({}) are suppressed: too few others are like them, so all their values are shown as *.",
            count(number),
            all,
            share(number)
        ),
        number => text!(
            "{} of {} records ({}) are suppressed: too few others are like them, so all their quasi-identifiers are shown as *. \
             Their other attributes are released.",
            count(number),
            all,
            share(number)
        ),
    }
}

/// What became of records.
pub(super) fn fates(manifest: &Manifest) -> Vec<String> {
    let share = |part: u64| percent(part as f64 / manifest.records.max(1) as f64);
    let mut fates = vec![suppressed(manifest)];
    fates.push(match manifest.counterfeits {
        _ if manifest.is_invented() => t("All records are invented: none represents a person.").into(),
        _ if manifest.is_noisy() => {
            t("The records are noisy counts written out: some represent nobody, and some people are not among them.")
                .into()
        }
        None => t("Some records are counterfeits; how many, only the custodian knows.").into(),
        Some(0) if is_relocated(manifest) => t(RELOCATED).into(),
        Some(0) => t("There are no counterfeits: every released record stands for one original record.").into(),
        Some(number) => text!(
            "{} of {} records ({}) are counterfeits, added to fill up small groups. `catalog.csv` says how \
             many of which sensitive value a set of groups holds, so that an analysis can be corrected. The \
             release does not say which records they are, but others can often guess it: see the limits.",
            count(number),
            count(manifest.records),
            share(number)
        ),
    });
    if manifest.method.drops_insensitive() {
        fates.push(
            t("Columns that are neither known to others nor sensitive are left out: a counterfeit could only repeat a real \
             record's values of them, and the others would be recognisably real.")
                .into(),
        );
    }
    if manifest.is_sampled() {
        fates.push(
            t("The records are a random sample: those that were not drawn, or stood in too small a group, are not there.")
                .into(),
        );
    }
    if manifest.truthful == Some(false) && !manifest.is_noisy() {
        fates.push(t("Released values are averages of groups and need not be those of any person.").into());
    }
    fates
}
