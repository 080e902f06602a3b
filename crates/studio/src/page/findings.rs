//! What the checker found, as a table in words.

use maud::{Markup, html};
use serde_json::Value;
use velamen_checker::{Finding, State as Known};
use velamen_report::language::messages::words;
use velamen_report::language::{Language, of_below, speaking, t};
use velamen_report::{keys, meaning, state_in_words};

use super::number;

/// What the checker found of one table.
pub(super) fn findings<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Markup {
    table_of_findings(findings, of_one_table)
}

fn of_one_table(finding: &Finding) -> Said {
    Said {
        name: html! { code { (finding.promise) } },
        meaning: of_below(&meaning(&finding.promise, &finding.asked)),
        asked: plain(&finding.asked),
        reached: reached(finding),
    }
}

/// A finding in words.
pub(super) struct Said {
    pub(super) name: Markup,
    pub(super) meaning: String,
    pub(super) asked: String,
    pub(super) reached: String,
}

/// What the checker found, each by its words.
pub(super) fn table_of_findings<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    said: impl Fn(&Finding) -> Said,
) -> Markup {
    html! {
        h3 { (t("What the checker found in the written file")) }
        div.scroll tabindex="0" role="region" aria-label=(t("Table of findings")) { table.stacked {
            thead { tr { th scope="col" { (t("Promise")) } th scope="col" { (t("State")) } th scope="col" { (t("Asked")) } th scope="col" { (t("Reached")) } } }
            tbody { @for finding in findings { @let said = said(finding); tr {
                th scope="row" { (said.name) span.source { (said.meaning) } }
                td data-of=(t("State")) { span.mark .no[matches!(finding.state, Known::Broken | Known::NotChecked)] { (state_in_words(finding.state)) } }
                td data-of=(t("Asked")) { (said.asked) }
                td data-of=(t("Reached")) { (said.reached) }
            } } }
        } }
    }
}

/// What was reached. A sentence is made in English, and then said in the language of the page; a figure alone is written in it.
fn reached(finding: &Finding) -> String {
    if finding.of_people.is_none() {
        return plain(&finding.reached);
    }
    words(&speaking(Language::English, || velamen_report::in_people::reached(finding, plain)))
}

/// Whether a figure says something to a reader: distances that the checker compares have no scale, and what was not looked at no figure.
fn is_told((key, value): &(&String, &Value)) -> bool {
    !value.is_null() && keys::is_told(key)
}

/// A figure with what it is.
fn keyed((key, value): (&String, &Value)) -> String {
    match keys::in_words(key) {
        Some(said) => format!("{said}: {}", plain(value)),
        None => format!("{} {}", words(key), plain(value)),
    }
}

/// A figure of a finding in a few words.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::String(text) => words(text),
        Value::Number(figure) => figure.as_f64().map_or_else(String::new, number),
        Value::Object(fields) => {
            let fields: Vec<String> = fields.iter().filter(is_told).map(keyed).collect();
            if fields.is_empty() { "–".into() } else { fields.join(", ") }
        }
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Bool(truth) => if *truth { t("yes") } else { t("no") }.into(),
    }
}
