//! The two reports: the public one from the release alone, the custodian's with the originals.
//!
//! The public page shows no distribution of the original records: beside the released one it would
//! tell how many counterfeits each value got, which the catalog hides. What it compares with is
//! what any recipient can compute: the released table less the counterfeits that the catalog counts.

use std::collections::BTreeMap;

use serde_json::Value;
use velamen_core::frequency::FrequencyTable;
use velamen_core::release::certify::Finding;
use velamen_core::release::{Release, SUPPRESSED};

use crate::manifest::Manifest;
use crate::report::{Distribution, NodeLevel, Promise, Report, html};

const PUBLIC_NOTE: &str = "This page may be published with the release.";
const PRIVATE_NOTE: &str =
    "For the custodian only: this page shows figures of the original records. Never publish it.";

const NOISY_NOTE: &str =
    "The records are noisy counts written out: some stand for nobody, and some persons are not among them.";

/// `release/report.html`
pub(super) fn public(
    manifest: &Manifest,
    findings: &[Finding],
    table: &FrequencyTable,
    release: &Release,
) -> String {
    let mut report = common(manifest, findings, table, release);
    report.audience_note = PUBLIC_NOTE.into();
    if manifest.is_noisy() {
        report.notes.push(NOISY_NOTE.into());
    }
    // Beside noisy counts there is nothing that a recipient knows, nor where nobody can take the counterfeits out.
    if manifest.is_noisy() || manifest.counterfeits.is_none() {
        return html(&report);
    }
    report.distributions = distributions(table, release, &expected(release), "reconstructed", |_| {
        "Reconstructed: the released records less the counterfeits that the catalog counts, each spread evenly over \
         the records it may be. The original distribution itself is in the custodian's report only."
            .into()
    });
    html(&report)
}

/// `release.custodian/report.html`
pub(super) fn private(
    manifest: &Manifest,
    findings: &[Finding],
    table: &FrequencyTable,
    release: &Release,
    figures: &Value,
) -> String {
    let mut report = common(manifest, findings, table, release);
    report.audience_note = PRIVATE_NOTE.into();
    if let Some(rce) = figures["rce"].as_f64() {
        let meaning = "reconstruction error over the original records, which only the custodian can compute";
        report.utility.push(("rce (original records)".into(), rce, meaning.into()));
    }
    report.distributions = distributions(table, release, &originals(table, release), "original", |name| {
        format!(
            "How `{name}` is distributed among the original records and in the release, at the released level."
        )
    });
    html(&report)
}

fn common(manifest: &Manifest, findings: &[Finding], table: &FrequencyTable, release: &Release) -> Report {
    let method = manifest.method.get("name").and_then(Value::as_str).unwrap_or_default();
    let count = |name: &str, value: u64| (name.to_owned(), value.to_string());
    Report {
        title: "Release report".into(),
        summary: [("method".to_owned(), method.to_owned()), count("records", manifest.records)]
            .into_iter()
            .chain(counterfeits(manifest))
            .chain([count("suppressed", manifest.suppressed), count("classes", manifest.classes)])
            .collect(),
        promises: findings.iter().map(promise).collect(),
        node: (0..release.qis.len()).map(|q| node_level(table, release, q)).collect(),
        class_sizes: class_sizes(release),
        loss: loss(manifest),
        utility: utility(manifest),
        how_to_check: how_to_check(manifest.counterfeits.is_some() && !manifest.is_noisy()),
        notes: notes(manifest),
        ..Report::default()
    }
}

/// How many records are real, which nobody can tell where counts are noisy.
fn counterfeits(manifest: &Manifest) -> Vec<(String, String)> {
    let real = manifest.counterfeits.map(|counterfeits| manifest.records - counterfeits);
    let known = |value: Option<u64>| value.map_or_else(|| "not told".to_owned(), |value| value.to_string());
    let counts = [("real records", real), ("counterfeits", manifest.counterfeits)];
    let counted = counts.iter().filter(|_| !manifest.is_noisy());
    counted.map(|(name, value)| ((*name).to_owned(), known(*value))).collect()
}

fn how_to_check(truthful: bool) -> Vec<String> {
    let again = "The checker that admitted this release can be run again by anyone who has the folder:";
    let without = "A version without counterfeits, from the release and its catalog alone:";
    let mut entries = vec![again.to_owned(), "$ velamen verify release".to_owned()];
    if truthful {
        entries.extend([without.to_owned(), "$ velamen truthful release --output truthful.csv".to_owned()]);
    }
    entries
}

/// What the method has to say of itself, and the version.
fn notes(manifest: &Manifest) -> Vec<String> {
    let own = manifest.method.get("notice").and_then(Value::as_str).map(str::to_owned);
    own.into_iter().chain([format!("Made by velamen {}.", manifest.velamen)]).collect()
}

fn promise(finding: &Finding) -> Promise {
    Promise {
        name: finding.promise.clone(),
        asked: plain(&finding.asked),
        reached: plain(&finding.reached),
        holds: finding.holds,
        meaning: meaning(finding).into(),
    }
}

fn meaning(finding: &Finding) -> &'static str {
    match &*finding.promise {
        "k-anonymity" if finding.asked.get("attributes").is_some() => {
            "Nobody can be told apart from at least k − 1 other released records by the attributes named here; who \
             knows others as well may tell them apart."
        }
        "k-anonymity" => {
            "Nobody can be told apart from at least k − 1 other released records by the quasi-identifiers."
        }
        "h-ceiling" => "No record is generalized beyond this degree; 0 is untouched, 1 is fully hidden.",
        "catalog" => "Counting does not pin any counterfeit to a class, so none can be removed.",
        "counterfeits" => "The catalog accounts for every counterfeit.",
        "labels" => "Each released value is one that the attribute's hierarchy allows.",
        "class-ids" => "Each class id stands for exactly one combination of released values.",
        "suppressed-records" => "Suppressed records show nothing of their quasi-identifiers.",
        "suppression-limit" => "No more records are suppressed than allowed.",
        "records" | "classes" | "suppressed" => "The released file holds what the manifest says.",
        model => velamen_core::model::find(model).map_or("", |entry| entry.summary),
    }
}

/// A JSON value for people: `k = 5` rather than `{"k":5}`.
fn plain(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            map.iter().map(|(k, v)| format!("{k} = {}", plain(v))).collect::<Vec<_>>().join(", ")
        }
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or(number.to_string(), rounded)
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Null => "null".into(),
    }
}

fn rounded(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn node_level(table: &FrequencyTable, release: &Release, q: usize) -> NodeLevel {
    let (hierarchy, qi) = (&table.qis[q].hierarchy, &release.qis[q]);
    let records: u64 = release.sizes.iter().sum();
    let degree = |class: usize| {
        let leaves = qi.values[release.class(class)[q] as usize].leaves;
        let degree = (leaves - 1) as f64 / (hierarchy.domain().max(2) - 1) as f64;
        release.sizes[class] as f64 * degree
    };
    NodeLevel {
        attribute: qi.name.clone(),
        level: qi.level.map(usize::from),
        levels: usize::from(hierarchy.top()) + 1,
        degree: (0..release.sizes.len()).map(degree).sum::<f64>() / records.max(1) as f64,
        example: release.sizes.first().map_or(String::new(), |_| qi.label(release.class(0)[q]).to_owned()),
    }
}

fn class_sizes(release: &Release) -> Vec<(u64, u64)> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for &size in &release.sizes {
        *sizes.entry(size).or_default() += 1;
    }
    sizes.into_iter().collect()
}

fn loss(manifest: &Manifest) -> Vec<(String, f64)> {
    let by_attribute = manifest.utility.get("lm").and_then(|lm| lm["by-attribute"].as_object());
    by_attribute
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_f64()?)))
        .collect()
}

fn utility(manifest: &Manifest) -> Vec<(String, f64, String)> {
    let figure = |(name, value): (&String, &Value)| {
        let number = value.as_f64().or_else(|| value["value"].as_f64())?;
        Some((name.clone(), number, utility_meaning(name).to_owned()))
    };
    manifest.utility.iter().filter_map(figure).collect()
}

fn utility_meaning(metric: &str) -> &'static str {
    match metric {
        "rce" => {
            "expected reconstruction error: how far released records are from the originals they stand for"
        }
        "height" => "sum of the levels",
        "discernibility" => "sum of squared class sizes",
        "average-class-size" => "records per class",
        _ => velamen_core::metric::find(metric).map_or("", |metric| metric.summary),
    }
}

/// Shares by column: for each quasi-identifier and sensitive attribute, one number per label, the
/// last of a quasi-identifier's being for suppressed records.
type Shares = Vec<Vec<f64>>;

fn distributions(
    table: &FrequencyTable,
    release: &Release,
    before: &Shares,
    before_name: &str,
    note: impl Fn(&str) -> String,
) -> Vec<Distribution> {
    let after = weighted(release, |_, _| 1.0);
    let qis = release.qis.iter().map(|qi| {
        let labels =
            qi.values.iter().map(|value| shown(&value.label)).chain(std::iter::once("suppressed".into()));
        (qi.name.clone(), labels.collect())
    });
    let sensitive = table.rest.sensitive().map(|column| {
        let column = &release.rest.columns[column];
        (column.name.clone(), column.values.iter().map(|value| shown(value)).collect())
    });
    let mut drawn = Vec::new();
    for (index, (attribute, labels)) in qis.chain(sensitive).enumerate() {
        // Labels that overlap say nothing side by side.
        if release.qis.get(index).is_some_and(|qi| qi.level.is_none()) {
            continue;
        }
        let mut labels: Vec<String> = labels;
        let (mut before, mut after) = (before[index].clone(), after[index].clone());
        if index < release.qis.len() && release.suppressed == 0 {
            labels.pop();
            before.pop();
            after.pop();
        }
        let note = note(&attribute);
        let (before_name, after_name) = (before_name.to_owned(), "released".to_owned());
        drawn.push(Distribution { attribute, note, labels, before_name, before, after_name, after });
    }
    drawn
}

fn shown(label: &str) -> String {
    if label.is_empty() { "(missing)".into() } else { label.into() }
}

/// Shares of the released records, each weighted by (class, rest).
fn weighted(release: &Release, weight: impl Fn(u32, u32) -> f64) -> Shares {
    let sensitive: Vec<usize> = release.rest.sensitive().collect();
    let mut shares: Shares = release.qis.iter().map(|qi| vec![0.0; qi.values.len() + 1]).collect();
    shares.extend(sensitive.iter().map(|&column| vec![0.0; release.rest.columns[column].values.len()]));
    for row in &release.rows {
        let records = row.count as f64 * weight(row.class, row.rest);
        for (q, qi) in release.qis.iter().enumerate() {
            let code = if row.class == SUPPRESSED {
                qi.values.len()
            } else {
                release.class(row.class as usize)[q] as usize
            };
            shares[q][code] += records;
        }
        for (s, &column) in sensitive.iter().enumerate() {
            shares[release.qis.len() + s][release.rest.codes[column][row.rest as usize] as usize] += records;
        }
    }
    normalise(shares)
}

fn normalise(mut shares: Shares) -> Shares {
    for column in &mut shares {
        let total: f64 = column.iter().sum();
        column.iter_mut().for_each(|share| *share /= total.max(1.0));
    }
    shares
}

/// The released records, each weighted by the probability that it is real.
fn expected(release: &Release) -> Shares {
    let shares = velamen_core::metric::released::counterfeit_shares(release);
    let sensitive = release.rest.sensitive().next();
    weighted(release, |class, rest| {
        let value = sensitive.map(|column| release.rest.codes[column][rest as usize]);
        1.0 - value.map_or(0.0, |value| shares.of(class, value))
    })
}

/// The original records at the released level.
fn originals(table: &FrequencyTable, release: &Release) -> Shares {
    let mut shares: Shares = Vec::new();
    for (q, qi) in release.qis.iter().enumerate() {
        let mut counts = vec![0.0; qi.values.len() + 1];
        if let Some(level) = qi.level {
            // Values that are not released count with the suppressed ones.
            let places: BTreeMap<&str, usize> =
                qi.values.iter().map(|value| value.label.as_str()).zip(0..).collect();
            let hierarchy = &table.qis[q].hierarchy;
            for (leaf, &count) in (0..).zip(&table.marginal(q)) {
                let label = hierarchy.label(level, hierarchy.code(level, leaf));
                counts[places.get(label).copied().unwrap_or(qi.values.len())] += count as f64;
            }
        }
        shares.push(counts);
    }
    for column in table.rest.sensitive() {
        shares.push(table.rest_marginal(column).into_iter().map(|count| count as f64).collect());
    }
    normalise(shares)
}
