//! What was asked of a release, in words, from its manifest.

use std::collections::BTreeMap;

use serde_json::Value;
use velamen_contract::{MEASUREMENTS, Measurements};
use velamen_recipe::Missing;
use velamen_search::method;

use velamen_core::frequency::Role;

use crate::follows::condition;
use crate::keys::{in_words, is_told};
use crate::language::{mark, messages, t, text};
use crate::manifest::{AttributeEntry, Manifest};
use crate::number;
use crate::recipient::DEVIATIONS;
use crate::unrounded::never_rounded;

/// What of the method's section is told elsewhere on the page.
const ELSEWHERE: [&str; 5] = ["name", "notice", "spent", "left", MEASUREMENTS];

/// Labels and words.
pub(super) fn asked(manifest: &Manifest) -> Vec<(String, String)> {
    let mut asked = roles(manifest);
    if let Some(preset) = &manifest.preset {
        let name = plain(&serde_json::to_value(preset.name).unwrap_or_default());
        asked.push((t("Published rule").into(), format!("{name}: {}.", translated(&preset.sets))));
        asked
            .push((t("What the rule cannot judge").into(), format!("{}.", translated(&preset.cannot_judge))));
    }
    let name = method_name(manifest);
    asked.push((t("Method").into(), format!("{name}. {}", t(method_words(manifest)))));
    let parameters: Vec<String> = manifest
        .method
        .entries()
        .iter()
        .filter(|(key, value)| !ELSEWHERE.contains(&key.as_str()) && !value.is_null())
        .map(|(key, value)| plain(&Value::Object([(key.clone(), value.clone())].into_iter().collect())))
        .map(|parameter| number::grouped_text(&messages::words(&parameter)))
        .collect();
    if !parameters.is_empty() {
        asked.push((t("Parameters of the method").into(), parameters.join("; ")));
    }
    if let Some(measured) = manifest.method.measurements() {
        asked.push((t("What was measured").into(), of_measured(&measured)));
    }
    asked.extend(kept(manifest).map(|words| (t("Records kept").to_owned(), words)));
    if let Some(share) = manifest.sample {
        let words =
            text!("Each record was kept with a probability of {}, at random.", number::percent(share));
        asked.push((t("Sample").into(), words));
    }
    if let Some(most) = manifest.records_per_person {
        let words = match most.get() {
            1 => t("Of each person at most 1 record, chosen at random.").to_owned(),
            most => text!("Of each person at most {} records, chosen at random.", number::count(most.into())),
        };
        asked.push((t("Records of a person").into(), words));
    }
    if manifest.missing == Missing::Wildcard {
        let words = t("A missing value counts as equal to any value of its attribute.");
        asked.push((t("Missing values").into(), words.into()));
    }
    asked
}

/// What a rule sets or leaves open, one after the other.
fn translated(texts: &[String]) -> String {
    texts.iter().map(|text| t(text)).collect::<Vec<_>>().join("; ")
}

/// Which records were kept, and what follows from that for the promises.
fn kept(manifest: &Manifest) -> Option<String> {
    let words: Vec<String> = manifest.kept.iter().map(condition).collect();
    (!words.is_empty()).then(|| {
        text!(
            "Only records of which all of this holds: {}. The others were left out before anything else, and no promise counts them. \
             Whoever is known to be in the release is known to meet this.",
            words.join("; ")
        )
    })
}

/// The sets of attributes whose combinations were counted with noise, and up to where a count may be noise alone.
fn of_measured(measured: &Measurements) -> String {
    let mut least: BTreeMap<String, u64> = BTreeMap::new();
    for table in measured.alone.iter().chain(&measured.tables) {
        let deviation = table.variance().map_or(f64::INFINITY, |variance| variance.to_f64().sqrt());
        let count = (DEVIATIONS * deviation).ceil() as u64;
        least
            .entry(table.attributes.join(t(" with ")))
            .and_modify(|least| *least = count.min(*least))
            .or_insert(count);
    }
    let told = |(set, least): (&String, &u64)| {
        text!("{} (counts below {} may be noise)", set, number::count(*least))
    };
    let sets: Vec<String> = least.iter().map(told).collect();
    text!("Noisy counts of {}. They are in the file of measurements.", sets.join("; "))
}

/// What the method did, with the parameters that change what it is.
pub(super) fn method_words(manifest: &Manifest) -> &'static str {
    let stated = manifest.method.entries();
    method::terms(stated).map_or("", |terms| (terms.words)(stated))
}

/// The method's name.
pub(super) fn method_name(manifest: &Manifest) -> &str {
    manifest.method.name().unwrap_or_default()
}

/// The attributes by role.
fn roles(manifest: &Manifest) -> Vec<(String, String)> {
    type Has = fn(&AttributeEntry) -> bool;
    let named: [(Has, &str); 5] = [
        (|entry| entry.role == Role::QuasiIdentifier, mark("Quasi-identifiers (an outsider may know them)")),
        (|entry| entry.role == Role::Sensitive, mark("Sensitive (an outsider must not learn them)")),
        (|entry| entry.role == Role::Insensitive && !entry.is_replaced(), mark("Released as they are")),
        (|entry| entry.pseudonym.is_some(), mark("Replaced by pseudonyms")),
        (|entry| entry.date_shift.is_some(), mark("Dates that were moved, a person's together")),
    ];
    let line = |(has, label): (Has, &str)| Some((t(label).to_owned(), names(manifest, has)?));
    let all = t("Every column that is not named here, direct identifiers above all, was left out.");
    named.into_iter().filter_map(line).chain([(t("Left out").to_owned(), all.to_owned())]).collect()
}

/// The names of the attributes of a kind, where there are any.
fn names(manifest: &Manifest, has: fn(&AttributeEntry) -> bool) -> Option<String> {
    let of = manifest.attributes.iter().filter(|(_, entry)| has(entry));
    let names: Vec<&str> = of.map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// A JSON value for people: `k = 5` rather than `{"k":5}`.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let told = map.iter().filter(|(key, _)| is_told(key));
            told.map(|(key, value)| keyed(key, value)).collect::<Vec<_>>().join(", ")
        }
        Value::String(text) => decimal(text).map_or_else(|| text.clone(), number::exact),
        Value::Bool(true) => t("yes").into(),
        Value::Bool(false) => t("no").into(),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or(number.to_string(), rounded)
        }
        Value::Array(items) if items.is_empty() => t("none").into(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Null => t("not stated").into(),
    }
}

/// A figure with what it is.
fn keyed(key: &str, value: &Value) -> String {
    let value = never_rounded(key, value).map_or_else(|| plain(value), number::exact);
    in_words(key).map_or_else(|| format!("{key} = {value}"), |words| format!("{words}: {value}"))
}

/// A fraction over a power of ten, as which a loss of privacy is stated exactly: 1/1000 is 0.001.
pub(super) fn decimal(text: &str) -> Option<f64> {
    let (of, all) = text.split_once('/')?;
    let is_power = all.strip_prefix('1')?.bytes().all(|digit| digit == b'0');
    let of: f64 = of.parse().ok().filter(|_| of.bytes().all(|digit| digit.is_ascii_digit()))?;
    is_power.then(|| of / all.parse::<f64>().unwrap_or(f64::NAN)).filter(|share| share.is_finite())
}

/// Four decimals, or where these would show nothing three digits.
fn rounded(number: f64) -> String {
    if number != 0.0 && number.abs() < 1e-3 {
        return number::number(number);
    }
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_words() {
        let value = json!({ "k": 5, "delta": 1e-6, "t": 0.25, "of": ["a", "b"], "none": [], "yes": true });
        let expected = "k = 5, delta = 1\u{202f}×\u{202f}10⁻⁶, t = 0.25, of = a, b, none = none, yes = yes";
        assert_eq!(plain(&value).replace("1.0", "1"), expected);
    }

    #[test]
    fn keys_are_words_and_fractions_of_ten_are_decimals() {
        let value = json!({ "rho": 0.015, "distance-of-fit": 0, "delta": "1/1000000000", "share": "1/3" });
        let expected = "privacy budget (ρ): 0.015, delta = 1\u{202f}×\u{202f}10⁻⁹, share = 1/3";
        assert_eq!(plain(&value), expected);
    }

    #[test]
    fn no_loss_is_rounded() {
        let value = json!({ "epsilon": 0.999_999_999_9, "delta": 1.25e-18 });
        assert_eq!(plain(&value), "epsilon = 0.9999999999, delta = 1.25\u{202f}×\u{202f}10⁻¹⁸");
        let printed = crate::printed::plain(&value);
        assert_eq!(printed, "epsilon = 0.9999999999, delta = 1.25e-18");
        assert_eq!(
            crate::printed::plain(&json!({ "epsilon": 1.0, "delta": 1e-6 })),
            "epsilon = 1, delta = 0.000001"
        );
    }
}
