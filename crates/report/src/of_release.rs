//! The page of a release, from what its recipients have: manifest, released records and findings.
//!
//! Nothing here sees an original record, so that the public page cannot tell more than the release does.

use crate::language::{self, messages, speaking, t, text};
use crate::manifest::OfMethod;
use crate::number::{count, percent};
use std::collections::BTreeMap;

use serde_json::Value;
use velamen_checker::{Finding, State};
use velamen_core::frequency::Role;
use velamen_core::release::{CATALOG, CEILING, INSENSITIVE, Release, Row, SUPPRESSED};

use super::asked::{asked, decimal, plain};
use super::bins::so_many;
use super::fates::{RELOCATED, fates, is_relocated};
use super::follows;
use super::glance::Glance;
use super::in_people::{UNTOLD_PEOPLE, in_people};
use super::limits::limits;
use super::objections::objections;
use super::one_person;
use super::risk::{highest, in_words};
use super::shares::{commonest, expected};
use super::threshold::asked_threshold;
use super::{AskedRisk, Attribute, Metric, Promise, Report, Risk, distributions, undeclared, words};
use crate::manifest::{AttributeEntry, Manifest};
use crate::matching::{Matching, least_persons};
use crate::people;
use crate::recipient::{self, AS_RECORDED, in_units, shown_of, values};
use crate::spent_on::spent_on;
use velamen_contract::metric::LOST_DETAIL;
use velamen_contract::model as terms;
use velamen_contract::{Promised, Spent};
use velamen_measure::risk::people::Holdings;

/// How many released values stand as examples.
const EXAMPLES: usize = 3;

/// The report; who may read it is for the caller to say.
pub fn of_release(manifest: &Manifest, findings: &[Finding], release: &Release) -> Report {
    let language = manifest.about.language;
    speaking(language, || Report { language, ..told(manifest, findings, release) })
}

fn told(manifest: &Manifest, findings: &[Finding], release: &Release) -> Report {
    let sizes = class_sizes(manifest, release);
    let (distributions, distributions_note) = compared(manifest, release);
    let risk = risk(manifest, findings, release, &sizes);
    let risk_counts_people = risk.as_ref().is_some_and(Risk::counts_people);
    let threshold = risk.as_ref().and_then(|risk| asked_threshold(risk, !release.catalog.is_empty()));
    let (met, missed) = match threshold {
        Some((told, true)) => (Some(told), None),
        threshold => (None, threshold.map(|(told, _)| told)),
    };
    let counts_people = people::column(manifest, release).is_some();
    Report {
        title: manifest.about.title.clone().unwrap_or_else(|| {
            text!("What a release of {} records promises, and what it costs", count(manifest.records))
        }),
        about: manifest.about.rows().map(|(name, said)| (name.to_owned(), said.to_owned())).collect(),
        untold: missed.iter().cloned().chain(one_person::possible(manifest, release)).collect(),
        objections: missed.into_iter().chain(objections(manifest, release, risk.as_ref())).collect(),
        threshold: met,
        warning: manifest.method.notice().map(str::to_owned),
        in_short: in_short(manifest, &sizes, risk.as_ref()),
        glance: Some(Glance::of(manifest)),
        asked: asked(manifest),
        promises: findings
            .iter()
            .filter(|finding| !is_check(finding))
            .map(|finding| in_people(manifest, finding, promise(manifest, finding), counts_people))
            .collect(),
        checks: findings
            .iter()
            .filter(|finding| is_check(finding))
            .map(|finding| promise(manifest, finding))
            .collect(),
        budget: budget(manifest),
        spent_on: spent_on(manifest),
        risk,
        attributes: attributes(manifest, release),
        fates: fates(manifest),
        counts_people: risk_counts_people,
        // Noise hides persons there, not the size of a group.
        class_sizes: if manifest.is_noisy() { Vec::new() } else { sizes },
        loss: loss(manifest),
        error_bars: error_bars(manifest, release),
        utility: utility(manifest),
        distributions,
        distributions_note,
        limits: limits(manifest, release),
        how_to_check: how_to_check(!release.catalog.is_empty()),
        notes: notes(manifest),
        ..Report::default()
    }
}

/// The sets that were measured, in words, with their error bars as shares of the records.
fn error_bars(manifest: &Manifest, release: &Release) -> Vec<(String, f64)> {
    let measured = manifest.method.measurements().unwrap_or_default();
    let in_bins = |name: &String| measured.bins(name).map(|_| text!("{} in bins", name));
    let named = |name: &String| in_bins(name).unwrap_or_else(|| name.clone());
    let in_words = |(set, share): (Vec<String>, f64)| {
        (set.iter().map(named).collect::<Vec<_>>().join(t(" with ")), share)
    };
    recipient::shares(manifest, release).into_iter().map(in_words).collect()
}

fn in_short(manifest: &Manifest, sizes: &[(u64, u64)], risk: Option<&Risk>) -> Vec<String> {
    let mut sentences = Vec::new();
    let (records, promised) = (count(manifest.records), least_persons(manifest));
    let people = risk.and_then(|risk| risk.matching.as_ref()?.people()).map(Holdings::people);
    if manifest.is_invented() {
        sentences.push(text!(
            "The release has {} records that were invented to follow noisy counts: none of them is anybody's record, \
             and whether a record was in the original data cannot be told with confidence. Counts of single attributes and of \
             the pairs that were measured are near the original's; whatever else the records show need not be.",
            records
        ));
    } else if manifest.is_noisy() {
        sentences.push(text!(
            "The release has {} records that were written from noisy counts: none of them is the record of a \
             certain person, and whether a record was in the original data cannot be told with confidence.",
            records
        ));
    } else if let Some(&(least, _)) = sizes.first() {
        sentences.push(text!(
            "The release has {} records, one row each{}. Anyone who looks for a person by the attributes that \
             an outsider may know finds {}{}{}{}.{}{}",
            records,
            match people {
                Some(people) => text!(", of {}", so_many(people, true)),
                None if promised.is_some() => String::new(),
                None => t(", each taken for another person's").to_owned(),
            },
            found(promised.unwrap_or(least), people.is_some() || promised.is_some()),
            promised.map_or(String::new(), |_| text!(", in groups of at least {} records", count(least))),
            if manifest.counterfeits == Some(0) { "" } else { t(", counterfeits counted") },
            if manifest.suppressed == 0 { "" } else { t(", unless the record is suppressed") },
            easier(promised.unwrap_or(least), risk).unwrap_or_default(),
            if is_relocated(manifest) { format!(" {}", t(RELOCATED)) } else { String::new() }
        ));
    }
    sentences.extend(lost_in_short(manifest));
    sentences.push(
        t("An independent part of the program checked the promises below on the finished file, as far as a file can show \
         them. Anyone who has the release can run the check again.")
            .into(),
    );
    sentences
}

/// How many look alike at least.
fn found(least: u64, people: bool) -> String {
    match least {
        1 if people => t("a single person in the smallest group").to_owned(),
        1 => t("a single record in the smallest group").to_owned(),
        least => text!("at least {} that look alike", so_many(least, people)),
    }
}

/// Why the risk is another than the size of the least group says.
fn easier(least: u64, risk: Option<&Risk>) -> Option<String> {
    let (risk, highest) = (risk?, highest(risk?)?);
    let by_size = 1.0 / least.max(1) as f64;
    let reason = risk
        .matching
        .as_ref()
        .map_or(language::mark("The catalog makes some of these likelier to be real"), Matching::reason);
    ((highest - by_size).abs() > 1e-9).then(|| {
        text!(" {}: the highest chance to pick the right record is {}.", t(reason), in_words(highest))
    })
}

/// How the detail that is lost is measured.
fn lost_in_short(manifest: &Manifest) -> Option<String> {
    manifest.lost_detail().filter(|_| !manifest.is_invented())?;
    let none = if manifest.is_noisy() || is_relocated(manifest) {
        t("nothing is generalized")
    } else {
        t("all is as recorded")
    };
    Some(text!(
        "The detail lost is the mean over the attributes that an outsider may know: at 0 %, {}; at 100 %, nothing is left.",
        none
    ))
}

/// Whether a finding is about the files, not about what protects persons.
fn is_check(finding: &Finding) -> bool {
    const PROMISES: [&str; 3] = [CEILING, CATALOG, INSENSITIVE];
    terms::find(&finding.promise).is_none() && !PROMISES.contains(&&*finding.promise)
}

/// A finding in words. What a model reached where a recipient cannot check it is the custodian's word.
fn promise(manifest: &Manifest, finding: &Finding) -> Promise {
    let is_same = |one: &&Promised| one.model == finding.promise && one.asked == finding.asked;
    let stated = manifest.privacy.iter().find(is_same).map(|promised| plain(&promised.reached));
    let reached = match (finding.state, stated) {
        (State::NotChecked, Some(stated)) => {
            format!("{}; the custodian states: {stated}", finding.why_not_checked())
        }
        (State::NotChecked, None) => finding.why_not_checked().to_owned(),
        _ => plain(&finding.reached),
    };
    Promise {
        name: finding.promise.clone(),
        asked: plain(&finding.asked),
        reached,
        state: finding.state,
        meaning: meaning(manifest, finding),
    }
}

/// What a finding's promise means: where a person can have several records and all of them are protected together, it is about
/// persons.
fn meaning(manifest: &Manifest, finding: &Finding) -> String {
    let is_by_draws =
        velamen_contract::model::find(&finding.promise).is_some_and(|terms| terms.facts.private);
    match manifest.records_per_person.filter(|_| is_by_draws) {
        Some(most) => text!(
            "The release would have come out almost as likely without any one person in the data, with all of that person's \
             records, of which at most {} were counted: what follows from it depends little on whether that person was there. \
             The smaller ε, the stronger the promise.",
            count(most.get().into())
        ),
        None => words::promise(&finding.promise, &finding.asked),
    }
}

fn budget(manifest: &Manifest) -> Vec<[String; 3]> {
    let steps = manifest.method.spent().unwrap_or_default();
    let left = manifest.method.left().map(|left| Spent { step: "left over".into(), ..left });
    steps
        .into_iter()
        .chain(left)
        .map(|step| [messages::words(&step.step), exact(&step.epsilon), exact(&step.delta)])
        .collect()
}

/// The risk by class sizes, where a class is a group of persons' records.
fn risk(manifest: &Manifest, findings: &[Finding], release: &Release, sizes: &[(u64, u64)]) -> Option<Risk> {
    if manifest.is_noisy() || sizes.is_empty() {
        return None;
    }
    let mut notes = Vec::new();
    if manifest.suppressed > 0 {
        notes.push(language::mark("Suppressed records are in no group and not counted here.").to_owned());
    }
    if manifest.counterfeits != Some(0) {
        let words = language::mark(
            "Counterfeits are counted in the size of a group. Where a catalog lists how many records of a \
                     value are counterfeit, the risks are those of somebody who uses it to pick a record that is most \
                     likely real: more than 1 divided by the size of the group.",
        );
        notes.push(words.to_owned());
    }
    if least_persons(manifest).is_some() {
        notes.push(UNTOLD_PEOPLE.to_owned());
    }
    if !manifest.missing.is_own_value() {
        let words = language::mark(
            "A missing value counts as equal to any: a group is all records that agree wherever neither is missing.",
        );
        notes.push(words.to_owned());
    }
    let of_population =
        |finding: &Finding| terms::find(&finding.promise)?.reached_in_population(&finding.reached);
    let k_map = findings.iter().find_map(of_population);
    let sampled = manifest.sample.filter(|share| *share > 0.0);
    let sampled = sampled.map(|share| (manifest.records as f64 / share).round() as u64);
    let matching = Matching::of(manifest, release);
    // What is known of the population is a number of records.
    let population = manifest.method.population_size().or(sampled);
    let population = population.filter(|_| matching.as_ref().and_then(Matching::people).is_none());
    let of_catalog =
        |finding: &&Finding| terms::find(&finding.promise).is_some_and(|terms| terms.facts.of_catalog);
    let checked = findings.iter().find(of_catalog);
    let checked = checked.and_then(|finding| terms::catalog_risk::reached(&finding.reached));
    let asked = AskedRisk::of(manifest);
    Some(Risk {
        before: Vec::new(),
        people_before: None,
        after: sizes.to_vec(),
        matching,
        checked,
        asked,
        k_map,
        unchecked: findings.iter().any(of_unknown_population),
        population,
        notes,
    })
}

/// Whether a promise about a population was not checked for want of its table.
fn of_unknown_population(finding: &Finding) -> bool {
    let terms = terms::find(&finding.promise);
    finding.state == State::NotChecked && terms.is_some_and(|terms| terms.facts.population)
}

/// Sizes of classes, ascending, and how many classes have each: people where pseudonyms tell them apart, or records.
fn class_sizes(manifest: &Manifest, release: &Release) -> Vec<(u64, u64)> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    let matching = Matching::of(manifest, release);
    let people = matching.as_ref().and_then(Matching::people).map(Holdings::sizes);
    let alike = people.or_else(|| matching?.alike());
    for &size in alike.as_ref().unwrap_or(&release.sizes) {
        *sizes.entry(size).or_default() += 1;
    }
    sizes.into_iter().collect()
}

fn attributes(manifest: &Manifest, release: &Release) -> Vec<Attribute> {
    let lost: BTreeMap<String, f64> = loss(manifest).into_iter().collect();
    let names = manifest.attributes.keys();
    names.map(|name| attribute(manifest, release, name, lost.get(name).copied())).collect()
}

fn attribute(manifest: &Manifest, release: &Release, name: &str, loss: Option<f64>) -> Attribute {
    let entry = &manifest.attributes[name];
    let q = release.qis.iter().position(|qi| qi.name == *name);
    // A table that was read back has the labels of quasi-identifiers among the rest.
    let is_shown = q.is_none() && !manifest.is_noisy() && !entry.is_replaced();
    let alone = if is_shown { alone(manifest, release, name) } else { String::new() };
    let mut done = in_units(entry, shown_of(manifest, (name, entry), &values(release, name)));
    let as_recorded = t(AS_RECORDED);
    let is_as_recorded = done.starts_with(as_recorded);
    if manifest.is_noisy() {
        // Nothing was recorded of what noise counts.
        done = done.replace(as_recorded, t("not generalized"));
    }
    let what =
        origin(manifest, name) + &done + of_suppressed(manifest, (entry, is_as_recorded), loss) + &alone;
    Attribute {
        name: name.to_owned(),
        role: role(entry.role).to_owned(),
        what,
        loss,
        examples: q.map_or_else(Vec::new, |q| commonest(release, q, EXAMPLES)),
    }
}

/// What an attribute lost that is released as it was: a suppressed record counts as lost, and one that was moved shows what
/// another group has.
fn of_suppressed(
    manifest: &Manifest,
    (entry, is_as_recorded): (&AttributeEntry, bool),
    loss: Option<f64>,
) -> &'static str {
    // Where groups have levels of their own, all of them can have this one.
    let is_kept = entry.level == Some(0) || is_as_recorded;
    let is_qi = entry.role == Role::QuasiIdentifier;
    if is_qi && is_relocated(manifest) {
        return t("; records that stood out show another group's");
    }
    if !is_qi && manifest.suppressed > 0 && manifest.suppresses_records() {
        return t(", except for the suppressed records, which show no value");
    }
    match loss {
        Some(lost) if lost > 0.0 && is_kept && manifest.suppressed > 0 => {
            t("; the loss is that of the suppressed records")
        }
        _ => "",
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Identifier => language::mark("direct identifier"),
        Role::QuasiIdentifier => language::mark("quasi-identifier"),
        Role::Sensitive => language::mark("sensitive"),
        Role::Insensitive => language::mark("insensitive"),
        Role::Person => language::mark("person"),
    }
}

/// How many records a column that is released as it is singles out by itself.
fn alone(manifest: &Manifest, release: &Release, name: &str) -> String {
    let Some(column) = release.rest.columns.iter().position(|c| c.name == name) else {
        return String::new();
    };
    let mut counts = vec![0u64; release.rest.columns[column].values.len()];
    // A suppressed record that shows no value is alone with none.
    let shown = |row: &&Row| row.class != SUPPRESSED || !manifest.suppresses_records();
    for row in release.rows.iter().filter(shown) {
        counts[release.rest.codes[column][row.rest as usize] as usize] += row.count;
    }
    match counts.iter().filter(|count| **count == 1).count() as u64 {
        0 => String::new(),
        1 => t("; 1 record is alone with its value: is it one that others know?").into(),
        number => {
            text!("; {} records are alone with their value: is it one that others know?", count(number))
        }
    }
}

/// Where a derived attribute comes from.
fn origin(manifest: &Manifest, name: &str) -> String {
    manifest.derived.get(name).map_or(String::new(), |section| format!("{}; ", follows::derived(section)))
}

/// A part of a budget as it is stated, a fraction of a power of ten as a decimal number.
fn exact(part: &str) -> String {
    decimal(part).map_or_else(|| part.to_owned(), crate::number::exact)
}

/// Of invented records nothing is lost that anybody had.
fn loss(manifest: &Manifest) -> Vec<(String, f64)> {
    let lost = manifest.lost_by_attribute().filter(|_| !manifest.is_invented());
    lost.map(|(name, lost)| (name.to_owned(), lost)).collect()
}

/// With which options the method's own metric was read; nothing of other metrics.
fn as_asked(manifest: &Manifest, name: &str) -> String {
    let method = &manifest.method;
    let stated = method.told_metric_options().map(|(key, value)| format!("{key} = {}", plain(value)));
    let options: Vec<String> = stated.filter(|_| method.metric() == Some(name)).collect();
    match options[..] {
        [] => String::new(),
        _ => text!(" Here as the recipe asks: {}.", options.join("; ")),
    }
}

/// The figure as it stands elsewhere on the page.
fn as_share(manifest: &Manifest, name: &str, value: f64) -> String {
    let told = manifest.lost_detail().filter(|_| name == LOST_DETAIL).map(percent);
    let told = told.filter(|told| *told == percent(value));
    told.map_or(String::new(), |told| {
        text!(" As a share: {}, the mean loss as it stands elsewhere on this page.", told)
    })
}

fn utility(manifest: &Manifest) -> Vec<Metric> {
    // Invented records lost nothing that anybody had: 0 would say that they are as good as the original.
    let is_empty = |value: &serde_json::Value| manifest.is_invented() && value.as_f64() == Some(0.0);
    let told = manifest.utility.iter().filter(|(_, value)| !is_empty(value));
    told.filter_map(|(name, value)| metric(manifest, name, value)).collect()
}

fn metric(manifest: &Manifest, name: &str, value: &Value) -> Option<Metric> {
    let value = value.as_f64().or_else(|| value["value"].as_f64())?;
    let (range, meaning) = words::metric(name);
    let meaning = t(meaning).to_owned() + &as_asked(manifest, name) + &as_share(manifest, name, value);
    // What rounding left of 0 is 0 for a reader.
    const ROUNDING: f64 = 1e-12;
    let value = if value.abs() < ROUNDING { 0.0 } else { value };
    Some(Metric { name: name.to_owned(), value, range: range.into(), meaning })
}

/// Released shares, beside them what any recipient can compute if counterfeits can be taken out, and what that
/// is. Sensitive values that the recipe did not declare are not among them.
fn compared(manifest: &Manifest, release: &Release) -> (Vec<super::Distribution>, String) {
    let (distributions, note) = match manifest.is_noisy() || manifest.counterfeits.is_none_or(|n| n == 0) {
        true => (
            distributions(release, None),
            t(
                "How often each released value occurs. Only the custodian's report shows how the original values are \
             distributed.",
            ),
        ),
        false => (
            distributions(release, Some((language::mark("reconstructed"), &expected(release)))),
            t(
                "Reconstructed: the released records less the counterfeits that the catalog counts, each spread evenly \
             over the records it may be. Only the custodian's report shows the original distribution.",
            ),
        ),
    };
    let public = |of: super::Distribution| undeclared::public(manifest.attributes.get(&of.attribute), of);
    let (distributions, hidden): (Vec<_>, Vec<bool>) = distributions.into_iter().map(public).unzip();
    let note =
        if hidden.contains(&true) { format!("{note} {}", t(undeclared::NOTE)) } else { note.to_owned() };
    (distributions, note)
}

fn how_to_check(truthful: bool) -> Vec<String> {
    let again = language::mark(
        "The checker that admitted this release can be run again by anyone who has the folder:",
    );
    let page = language::mark("This page, too, can be made again from the release alone:");
    let without = language::mark("A version without counterfeits, from the release and its catalog alone:");
    let mut entries =
        vec![again, "$ velamen verify release", page, "$ velamen report release --output report.html"];
    if truthful {
        entries.extend([without, "$ velamen truthful release --output truthful.csv"]);
    }
    entries.into_iter().map(str::to_owned).collect()
}

/// The version.
fn notes(manifest: &Manifest) -> Vec<String> {
    vec![text!("Made by velamen {}.", manifest.velamen)]
}
