//! The two reports: the public one from the release alone, the custodian's with the originals.
//!
//! The public page shows no distribution of the original records: beside the released one it would
//! tell how many counterfeits each value got, which the catalog hides. What it compares with is
//! what any recipient can compute: the released table less the counterfeits that the catalog counts.

use std::collections::BTreeMap;

use super::told::Told;
use crate::recipients;
use serde_json::Value;
use velamen_checker::Finding;
use velamen_core::frequency::Counted;
use velamen_core::release::Release;
use velamen_report::language::{mark, of_below, speaking, text};
use velamen_report::{
    Distribution, HIDDEN, Manifest, Metric, NOWHERE, Shares, distributions, html, normalise, of_release,
    place_of_labels, telling,
};
use velamen_search::metric::rce;

pub(crate) const PUBLIC_NOTE: &str = mark("This page may be published with the release.");
const PRIVATE_NOTE: &str =
    mark("For the custodian only: this page shows figures of the original records. Never publish it.");

/// `release/report.html`
pub(crate) fn public(manifest: &Manifest, findings: &[Finding], release: &Release) -> String {
    let mut report = of_release(manifest, findings, release);
    report.audience_note = PUBLIC_NOTE.into();
    report.reading = recipients::programs(manifest, release);
    html(&report)
}

/// `release.custodian/custodian-report.html`
pub(super) fn private(
    manifest: &Manifest,
    findings: &[Finding],
    table: &Counted<'_>,
    release: &Release,
    figures: &Value,
    (originals, adversary, costly, people): Told<'_>,
) -> String {
    // What the originals show takes a pass over them each: side by side.
    let (mut report, (sizes, beside)) = rayon::join(
        || of_release(manifest, findings, release),
        || rayon::join(|| table.class_sizes().to_vec(), || beside(table, release)),
    );
    report.audience_note = PRIVATE_NOTE.into();
    report.confidential = true;
    // What the release costs comes first.
    let cost = speaking(report.language, || costly.map(|words| sentence(of_below(&words))));
    report.in_short.splice(0..0, cost);
    if let Some(value) = rce::of_original(figures) {
        report.utility.push(Metric {
            name: speaking(report.language, || text!("{} (original records)", "rce")),
            value,
            range: "0 and above, lower is better".into(),
            meaning: mark(
                "Reconstruction error over the original records, which only the custodian can compute.",
            )
            .into(),
        });
    }
    report.originals = originals;
    if let Some(figures) = adversary {
        speaking(report.language, || telling::tell(&mut report, figures));
    }
    if let Some(risk) = &mut report.risk {
        risk.before = sizes.clone();
    }
    report.class_sizes_before = sizes;
    if let Some((before, after)) = people {
        speaking(report.language, || report.count_people(before, after));
    }
    report.distributions = beside;
    report.distributions_note = mark(
        "How the values are distributed among the original records and in the release, at the released level.",
    )
    .into();
    html(&report)
}

/// How the values are distributed among the original records and in the release, at the released level.
pub(super) fn beside(table: &Counted<'_>, release: &Release) -> Vec<Distribution> {
    let mut all = distributions(release, Some((mark("original"), &originals(table, release))));
    for shown in &mut all {
        let Some(hidden) = shown.labels.iter().position(|label| label == HIDDEN) else { continue };
        // Where no record is suppressed, these have values that no released record shows.
        if shown.after[hidden] <= 0.0 {
            NOWHERE.clone_into(&mut shown.labels[hidden]);
        }
    }
    all
}

/// Words as a sentence of their own.
fn sentence(words: String) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// The original records at the released level.
fn originals(table: &Counted<'_>, release: &Release) -> Shares {
    table.count_marginals();
    let mut shares: Shares = Vec::new();
    for (q, qi) in release.qis.iter().enumerate() {
        let mut counts = vec![0.0; qi.values.len() + 1];
        if let Some(level) = qi.level {
            // Values that are not released count with the suppressed ones.
            let places = place_of_labels(release, q);
            let hierarchy = &table.qis[q].hierarchy;
            for (leaf, &count) in (0..).zip(table.marginal(q)) {
                let label = hierarchy.label(level, hierarchy.code(level, leaf));
                counts[places.get(label).copied().unwrap_or(qi.values.len())] += count as f64;
            }
        }
        shares.push(counts);
    }
    // By name and value: a release whose suppressed records show nothing has other codes.
    for released in release.rest.sensitive() {
        let released = &release.rest.columns[released];
        let places: BTreeMap<&str, usize> = released.values.iter().map(String::as_str).zip(0..).collect();
        let mut counts = vec![0.0; released.values.len() + 1];
        if let Some(column) = table.rest.position(&released.name) {
            let values = &table.rest.columns[column].values;
            for (value, &count) in values.iter().zip(table.rest_marginal(column)) {
                counts[places.get(value.as_str()).copied().unwrap_or(released.values.len())] += count as f64;
            }
        }
        shares.push(counts);
    }
    normalise(shares)
}
