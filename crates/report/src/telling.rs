//! What a release says of how its counterfeits were made, and what an adversary makes of that, in words.

use serde_json::Value;
use velamen_core::release::{CATALOG, CEILING, INSENSITIVE};
use velamen_measure::risk::adversary::{Figures, Law, Matched, Told};

use crate::manifest::Manifest;
use crate::{Metric, Report};

const K: &str = "k-anonymity";

/// Asks nothing of a class that padding could change.
const CATALOG_RISK: &str = "catalog-risk";

/// Draws by which the values of counterfeits do not depend on their class.
const THE_SAME_FOR_ALL: [&str; 2] = ["uniform", "empirical"];

/// The law of padding, as the manifest tells it; `None` without a catalog.
pub fn told(manifest: &Manifest) -> Option<Told> {
    manifest.privacy.iter().find(|promise| promise.model == CATALOG)?;
    let number = |key: &str| manifest.method.get(key).and_then(Value::as_u64);
    let k = manifest.privacy.iter().find(|promise| promise.model == K);
    let k = k.and_then(|promise| promise.asked["k"].as_u64()).unwrap_or(1);
    let largest = match is_exact(manifest) && !is_beyond(manifest) {
        true => k,
        false => number("largest-padded-class").unwrap_or(u64::MAX),
    };
    let draw = manifest.method.get("draw").and_then(Value::as_str);
    let local = draw.is_some_and(|draw| !THE_SAME_FOR_ALL.contains(&draw));
    Some(Told { law: Law { k, largest, least_real: number("least-real").unwrap_or(1) }, local })
}

/// Whether classes are padded to exactly k.
pub fn is_exact(manifest: &Manifest) -> bool {
    manifest.method.get("padding").is_some_and(|padding| padding == "exact")
}

/// Whether more is asked of classes than k-anonymity.
pub fn is_beyond(manifest: &Manifest) -> bool {
    let usual = [CEILING, CATALOG, INSENSITIVE, K, CATALOG_RISK];
    manifest.privacy.iter().any(|promise| !usual.contains(&promise.model.as_str()))
}

/// Adds to the custodian's page what the adversary gets.
pub fn tell(report: &mut Report, figures: &Figures) {
    let metric = |name: &str, value: f64, range: &str, meaning: &str| Metric {
        name: name.into(),
        value,
        range: range.into(),
        meaning: meaning.into(),
    };
    let area = "0.5 is chance, 1 is certainty";
    let areas = [
        (
            "AUC",
            figures.auc,
            "How often a counterfeit is thought more likely counterfeit than a real record.",
        ),
        (
            "AUC in padded classes",
            figures.auc_where_possible,
            "The same among the classes that can hold counterfeits.",
        ),
        (
            "AUC, three in ten known",
            figures.auc_knowing_some,
            "The same for someone who knows three in ten of the real records there; the others are judged.",
        ),
    ];
    report.telling = areas
        .iter()
        .filter_map(|(name, value, meaning)| Some(metric(name, (*value)?, area, meaning)))
        .collect();
    let matched = [
        ("person alone in a class: right record", figures.alone, "the only real record of their class"),
        ("few real records: right record", figures.fewer_than_k, "in a class of fewer than k real records"),
    ];
    let told = matched.iter().filter(|(_, matched, _)| matched.persons > 0);
    report.telling.extend(told.map(|(name, found, who)| {
        let Matched { persons, right, by_chance } = found;
        let of_sample = if figures.sampled.is_some() { ", of a sample of the release," } else { "" };
        let meaning = format!(
            "How often the record picked for one of the {persons} people{of_sample} who are {who} is the right one."
        );
        metric(name, *right, &format!("{by_chance:.4} is chance"), &meaning)
    }));
    if let Some(effective) = figures.effective_k {
        let meaning =
            "One by what is believed of the own record of a person who is alone, by who knows that.";
        report.telling.push(metric(
            "effective k of a person alone",
            effective,
            "k and above is best",
            meaning,
        ));
    }
}
