//! What a manifest states that no released record shows: refused where no run writes it, and else listed as stated.

use serde_json::{Map, Value, json};
use velamen_checker::Finding;
use velamen_contract::model::differential_privacy::{self, ReachedSizes};
use velamen_contract::{CUTS, HISTOGRAMS, MEASUREMENTS, PERSON, Promised, RECORD, UNIT};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_report::manifest::AttributeEntry;
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::{self, Counterfeits, Facts, Records};

use crate::recipients::VERSION;

/// What every section has.
const EACH: [&str; 2] = ["name", "suppression-limit"];
/// What the section of a private method has besides the method's own keys.
const PRIVATE: [&str; 3] = ["epsilon", "delta", "spent"];
/// Where its records are noisy counts.
const NOISY: [&str; 7] = [
    "left",
    "occupied-cells-only",
    "least-count",
    "cells",
    "expected-cells-of-noise",
    "expected-records-of-noise",
    "expected-suppressed-of-noise",
];
/// Where they are invented.
const INVENTED: [&str; 2] = [MEASUREMENTS, UNIT];
/// Where they are a sample.
const SAMPLED: [&str; 2] = ["k", "beta"];
/// Where counterfeits are catalogued.
const CATALOGUED: [&str; 2] = [LARGEST_PADDED, "insensitive"];
/// The largest class that can hold some.
const LARGEST_PADDED: &str = "largest-padded-class";
/// Where they are not told.
const UNTOLD: [&str; 1] = ["notice"];
/// Of a search over the records themselves.
const SEARCH: [&str; 6] = ["population-size", "person", "weights", "stopped", "proven", "bounded"];

/// What a run may leave to the data: it states null.
const FOUND: [&str; 2] = ["h", "least-class"];

/// Parameters that are compared with promises or figures, and so are not listed.
const COMPARED: [&str; 16] = [
    "name",
    "epsilon",
    "delta",
    "h",
    "k",
    "beta",
    "spent",
    "left",
    "cells",
    CUTS,
    velamen_contract::EACH,
    HISTOGRAMS,
    MEASUREMENTS,
    "suppression-limit",
    "counterfeit-limit",
    "suppress",
];

/// The most characters of the custodian's words.
const LONGEST: usize = 500;

/// What is wrong in a manifest, whatever the records show: of any form what no run wrote, of the form that is written now
/// also what none writes.
pub(super) fn wrong(manifest: &Manifest, findings: &[Finding]) -> Vec<String> {
    let of_form = if manifest.is_current() { of_current(manifest, findings) } else { Vec::new() };
    let share = |share: Option<f64>| share.is_none_or(|share| share > 0.0 && share <= 1.0);
    let shares = [("sample", !share(manifest.sample)), ("risk", !share(manifest.risk))];
    let shares = shares.into_iter().filter(|(_, wrong)| *wrong).map(|(name, _)| name.to_owned());
    let kept = manifest.kept.iter().any(|section| section.wish().is_err());
    let kept = kept.then(|| "where".to_owned());
    let limits = manifest.method.limits_that_are_none().into_iter().map(|name| format!("method.{name}"));
    let limits: Vec<String> = limits.filter(|name| !of_form.contains(name)).collect();
    of_form.into_iter().chain(limits).chain(shares).chain(kept).collect()
}

fn of_current(manifest: &Manifest, findings: &[Finding]) -> Vec<String> {
    let about = &manifest.about;
    let about = about.rows().map(|(_, words)| words).chain(about.title.as_deref()).all(is_line);
    let attributes = manifest.attributes.iter().filter(|(_, entry)| !is_whole(entry));
    let attributes = attributes.map(|(name, _)| format!("attribute {name}"));
    let method = of_method(manifest, findings).into_iter().map(|name| format!("method.{name}"));
    method.chain(attributes).chain((!about).then(|| "about".to_owned())).collect()
}

/// Parameters of the method that its runs do not write, or write otherwise.
fn of_method(manifest: &Manifest, findings: &[Finding]) -> Vec<String> {
    // A section without a name means the usual method in recipes only.
    let stated = manifest.method.entries();
    let Some(terms) = manifest.method.name().and_then(|_| method::terms(stated).ok()) else {
        return vec!["name".to_owned()];
    };
    let facts = manifest.facts();
    let always = (terms.stated)(stated).into_iter().map(str::to_owned);
    let own: Vec<String> = terms.known_keys().into_iter().chain(always).collect();
    let is_known =
        |key: &str| EACH.contains(&key) || own.iter().any(|name| name == key) || is_further(&facts, key);
    // An unknown name may be anything, a cell too.
    let unknown = stated.keys().any(|key| !is_known(key)).then(|| "an unknown key".to_owned());
    let promises_privacy = manifest.privacy.iter().any(Promised::is_private);
    let named = (facts.private != promises_privacy).then(|| "name".to_owned());
    let notice = facts.counterfeits == Counterfeits::Untold && manifest.method.notice().is_none();
    let sampled = if facts.private && !facts.is_noisy() { of_sample(manifest, findings) } else { Vec::new() };
    let unit = stated.get(UNIT).is_some_and(|unit| unit != PERSON && unit != RECORD);
    let padded = super::padded::is_misstated(manifest).then(|| LARGEST_PADDED.to_owned());
    let ceiling = ceiling(manifest);
    unknown
        .into_iter()
        .chain(named)
        .chain(notice.then(|| "notice".to_owned()))
        .chain(unsaid(manifest))
        .chain(sampled)
        .chain(padded)
        .chain(unit.then(|| UNIT.to_owned()))
        .chain(ceiling)
        .collect()
}

fn is_further(facts: &Facts, key: &str) -> bool {
    let of = |keys: &[&str], holds: bool| holds && keys.contains(&key);
    of(&PRIVATE, facts.private)
        || of(&NOISY, matches!(facts.records, Records::Noisy { .. }))
        || of(&INVENTED, facts.records == Records::Invented)
        || of(&SAMPLED, facts.records == Records::Sampled)
        || of(&CATALOGUED, facts.counterfeits == Counterfeits::Catalogued)
        || of(&UNTOLD, facts.counterfeits == Counterfeits::Untold)
        || of(&SEARCH, !facts.private)
}

/// Parameters that every run states, of a section that leaves them out: a usual value may be another than the run's.
pub(super) fn unsaid(manifest: &Manifest) -> Vec<String> {
    let stated = manifest.method.entries();
    let own = method::terms(stated).map(|terms| (terms.stated)(stated)).unwrap_or_default();
    let of_draws: &[&str] = if manifest.facts().private { &PRIVATE } else { &[] };
    let is_unsaid = |key: &&str| stated.get(*key).is_none_or(|value| value.is_null() && !FOUND.contains(key));
    let of_real = manifest.method.unsaid_of_real().filter(|_| asks_of_values(manifest));
    let all = EACH.into_iter().chain(own).chain(of_draws.iter().copied()).chain(of_real);
    all.filter(is_unsaid).map(str::to_owned).collect()
}

/// Whether models ask for values that counterfeits could stand in for.
fn asks_of_values(manifest: &Manifest) -> bool {
    let asks =
        |promise: &Promised| promise.terms().is_some_and(|terms| terms.of_values(&promise.asked).is_some());
    manifest.facts().counterfeits == Counterfeits::Catalogued && manifest.privacy.iter().any(asks)
}

/// k and β of a private sample follow from what its step spent and from the k that is asked for.
fn of_sample(manifest: &Manifest, findings: &[Finding]) -> Vec<String> {
    let needed = reached_sizes(findings).and_then(|sizes| sizes.needed_class_size);
    let asked = manifest.privacy.iter().filter_map(Promised::least_class).max();
    let k = needed.max(asked);
    let spent = manifest.method.spent().unwrap_or_default();
    let release = spent.iter().find(|spent| spent.step == "release");
    let epsilon = release.and_then(|spent| ratio(&spent.epsilon));
    let beta = epsilon.map(|epsilon| -(-epsilon).exp_m1());
    let near = |value: f64| manifest.method.kept().is_some_and(|kept| (kept - value).abs() <= 1e-9);
    let wrong = [("k", manifest.method.least_kept() != k), ("beta", !beta.is_some_and(near))];
    wrong.into_iter().filter(|(_, wrong)| *wrong).map(|(name, _)| name.to_owned()).collect()
}

/// The sizes that the checker found where differential privacy is promised.
pub(super) fn reached_sizes(findings: &[Finding]) -> Option<ReachedSizes> {
    let private = findings.iter().find(|finding| finding.is_private())?;
    Some(differential_privacy::reached_sizes(&private.reached))
}

/// A ratio as budgets write it: `1/10`.
fn ratio(text: &str) -> Option<f64> {
    let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
    Some(numerator.parse::<f64>().ok()? / denominator.parse::<f64>().ok()?)
}

/// The ceiling is promised where the method has one.
fn ceiling(manifest: &Manifest) -> Option<String> {
    let promised = manifest.privacy.iter().any(|promise| promise.ceiling().is_some());
    (manifest.method.has_ceiling() && !promised).then(|| "h".to_owned())
}

/// Whether an attribute has what its role needs, and nothing that belongs to another.
fn is_whole(entry: &AttributeEntry) -> bool {
    let generalized = entry.level.is_some() || entry.recoding.is_some() || entry.levels.is_some();
    let coded = entry.bottom.is_some() || entry.top.is_some() || entry.step.is_some();
    let words = [&entry.description, &entry.unit].into_iter().flatten().all(|words| is_line(words));
    if !words {
        return false;
    }
    let read = entry.domain_from_data || entry.missing_values;
    match entry.role {
        Role::QuasiIdentifier => {
            let one = entry.level.is_some() != entry.recoding.is_some();
            // A domain that no manifest lists was read off the data.
            let listed = !matches!(entry.hierarchy, Some(Definition::Flat { .. })) || entry.domain_from_data;
            // Only ranges of classes with levels of their own end anywhere.
            let ends = entry.step.is_none() || entry.recoding.is_some();
            let numbers = entry.bottom.is_none() && entry.top.is_none() || has_numbers(entry);
            one && ends && numbers && entry.levels.is_some() && listed && entry.pseudonym.is_none()
        }
        // How many values occur is stated of quasi-identifiers alone.
        Role::Sensitive => {
            !generalized && !coded && !read && !matches!(entry.hierarchy, Some(Definition::Flat { .. }))
        }
        Role::Insensitive => !generalized && !coded && !read && entry.hierarchy.is_none(),
        Role::Identifier => !generalized && !coded && !read && entry.pseudonym.is_some(),
        Role::Person => false,
    }
}

/// Numbers can be coded where they are counted from a least to a greatest, or where there is no hierarchy.
fn has_numbers(entry: &AttributeEntry) -> bool {
    matches!(
        entry.hierarchy,
        Some(Definition::Interval { .. } | Definition::Cuts { .. } | Definition::Flat { .. })
    )
}

/// Words are one line, as in recipes: more could pass for a part of the page that is the program's.
fn is_line(words: &str) -> bool {
    !words.trim().is_empty() && words.chars().count() <= LONGEST && !words.chars().any(char::is_control)
}

/// What is the custodian's word alone, listed so that a reader knows it.
pub(super) fn stated(manifest: &Manifest) -> Finding {
    let listed = |key: &&String| !COMPARED.contains(&key.as_str()) && !NOISY.contains(&key.as_str());
    let method: Map<String, Value> = manifest
        .method
        .entries()
        .iter()
        .filter(|(key, _)| listed(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let words = |(name, entry): (&String, &AttributeEntry)| {
        let fields = entry.unchecked();
        (!fields.is_empty()).then(|| (name.clone(), json!(fields)))
    };
    let attributes: Map<String, Value> = manifest.attributes.iter().filter_map(words).collect();
    let mut stated = Map::new();
    let mut say = |key: &str, value: Option<Value>| stated.extend(value.map(|value| (key.to_owned(), value)));
    say("velamen", (manifest.velamen != VERSION).then(|| manifest.velamen.clone().into()));
    say("method", manifest.method.name().map(Value::from));
    say("parameters", (!method.is_empty()).then(|| method.into()));
    say("sample", manifest.sample.map(Value::from));
    say("records-per-person", manifest.records_per_person.map(|most| most.get().into()));
    say("risk", manifest.risk.map(Value::from));
    say("missing", (!manifest.missing.is_own_value()).then(|| json!(manifest.missing)));
    let title = manifest.about.title.as_ref().map(|_| "Title");
    let language = (!manifest.about.language.is_usual()).then_some("Language");
    let rows = manifest.about.rows().map(|(name, _)| name);
    let about: Vec<&str> = title.into_iter().chain(rows).chain(language).collect();
    say("about", (!manifest.about.is_empty()).then(|| json!(about)));
    say("impossible-pairs", (!manifest.impossible.is_empty()).then(|| manifest.impossible.len().into()));
    let kept: Vec<&String> = manifest.kept.iter().map(|section| &section.column).collect();
    say("where", (!kept.is_empty()).then(|| json!(kept)));
    let derived: Vec<&String> = manifest.derived.keys().collect();
    say("derived", (!derived.is_empty()).then(|| json!(derived)));
    let attached: Vec<&String> = manifest.attached.keys().collect();
    say("attached", (!attached.is_empty()).then(|| json!(attached)));
    say("formulas-kept", manifest.data.formulas_kept.then(|| true.into()));
    say("without-report", manifest.without_report.then(|| true.into()));
    say("attributes", (!attributes.is_empty()).then(|| attributes.into()));
    Finding::stated("parameters", stated.into())
}
