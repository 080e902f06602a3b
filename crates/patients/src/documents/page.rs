//! The page of a release of linked tables.

use serde_json::Value;
use velamen_checker::{Finding, State, linked};
use velamen_contract::linked::{LinkedManifest, Table, Tier};
use velamen_report::keys::in_words;
use velamen_report::language::{mark, speaking, t};
use velamen_report::{Attribute, Promise, Report};

use super::words;
use crate::shown::Gaps;

/// `report.html`, from manifest, findings and what the released days show.
pub(crate) fn html(manifest: &LinkedManifest, findings: &[Finding], gaps: Gaps) -> String {
    speaking(manifest.about.language, || velamen_report::html(&report(manifest, findings, gaps)))
}

fn report(manifest: &LinkedManifest, findings: &[Finding], gaps: Gaps) -> Report {
    let is_promise =
        |finding: &&Finding| manifest.privacy.iter().any(|promise| promise.name() == finding.promise);
    let (promises, checks): (Vec<&Finding>, Vec<&Finding>) = findings.iter().partition(is_promise);
    let in_short = manifest.privacy.iter().map(|promise| words::promise(promise, manifest));
    Report {
        language: manifest.about.language,
        title: manifest.about.title.clone().unwrap_or_else(|| t("Release of linked tables").into()),
        about: manifest.about.rows().map(|(name, said)| (name.to_owned(), said.to_owned())).collect(),
        audience_note: match manifest.tier {
            Tier::Public => mark("This page may be published with the release.").into(),
            Tier::Agreement => mark("For recipients who signed an agreement, as the release is.").into(),
        },
        in_short: in_short
            .chain((manifest.tables.len() > 1).then(|| words::counts(manifest)))
            .chain(words::has_dates(manifest).then(|| words::dates(manifest)))
            .chain(words::has_dates(manifest).then(|| words::gaps(gaps)))
            .chain(words::besides(manifest))
            .collect(),
        summary: words::summary(manifest),
        promises: promises.into_iter().map(|finding| promise(finding, manifest)).collect(),
        checks: checks.into_iter().map(|finding| promise(finding, manifest)).collect(),
        attributes: manifest
            .tables
            .iter()
            .flat_map(|(name, table)| attributes(name, table, manifest))
            .collect(),
        limits: manifest.not_covered.iter().map(|sentence| t(sentence).to_owned()).collect(),
        how_to_check: vec![
            "$ velamen verify release".into(),
            t("Every promise is counted again from the released tables alone.").into(),
        ],
        notes: vec![
            t("A removed code leaves no row behind: visits that lost all their codes are gone as well.")
                .into(),
            t("Rare pairs of codes vanish first: co-occurrences are biased towards 0.").into(),
        ],
        ..Report::default()
    }
}

fn promise(finding: &Finding, manifest: &LinkedManifest) -> Promise {
    let asked = manifest.privacy.iter().find(|promise| promise.name() == finding.promise);
    let meaning = match asked {
        Some(asked) => words::promise(asked, manifest).replace('`', ""),
        None => words::check_meaning(&finding.promise).unwrap_or_default().to_owned(),
    };
    let name = words::check_title(&finding.promise).unwrap_or(&finding.promise).to_owned();
    if finding.promise == linked::RECORDS && finding.state == State::Held {
        return Promise {
            name,
            asked: t("as in the manifest").into(),
            reached: t("as in the manifest").into(),
            state: finding.state,
            meaning,
        };
    }
    Promise {
        name,
        asked: plain(&finding.asked),
        reached: if finding.state == State::Stated {
            t("stated by the custodian").into()
        } else {
            plain(&finding.reached)
        },
        state: finding.state,
        meaning,
    }
}

fn attributes<'a>(
    called: &'a str,
    table: &'a Table,
    manifest: &'a LinkedManifest,
) -> impl Iterator<Item = Attribute> + 'a {
    table.columns.iter().map(move |(name, column)| {
        let (role, what) = words::column((table, name, column), manifest);
        Attribute { name: format!("{called}.{name}"), role: role.to_owned(), what, ..Attribute::default() }
    })
}

/// A value of a finding in words: lists with commas, figures with what they are.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => t("none").into(),
        Value::Bool(true) => t("yes").into(),
        Value::Bool(false) => t("no").into(),
        Value::String(text) => words::stated(text),
        Value::Array(values) if values.is_empty() => t("none").into(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().filter_map(keyed).collect();
            if fields.is_empty() { t("none").into() } else { fields.join(", ") }
        }
        value => value.to_string(),
    }
}

/// A figure with what it is. What is not there is not told, but for a list that could have had something.
fn keyed((name, value): (&String, &Value)) -> Option<String> {
    let is_there = match value {
        Value::Null => false,
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    let said = match (in_words(name), value) {
        // Their names are data.
        (Some(words), Value::Object(tables)) if name == "tables" => {
            let rows = |(table, rows): (&String, &Value)| format!("{table} = {}", plain(rows));
            format!("{words}: {}", tables.iter().map(rows).collect::<Vec<_>>().join(", "))
        }
        (Some(words), value) => format!("{words}: {}", plain(value)),
        (None, value) => format!("{name} = {}", plain(value)),
    };
    is_there.then_some(said)
}
