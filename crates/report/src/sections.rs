//! What begins the page: the verdict, what it comes to, what was asked and what was reached.

use crate::language::messages::words;
use crate::language::{of_below, say, t};
use crate::number::grouped_text;
use maud::{Markup, html};
use velamen_checker::State;

use super::verdict::{Tone, shown, verdict};
use super::{Promise, Report};
use crate::chart::text::{clean, shorten};

/// The longest name or value in a table, in characters.
const NAME: usize = 120;

pub(super) fn name(text: &str) -> String {
    shorten(&clean(text), NAME)
}

/// The verdict, the first figures, and what follows from the verdict.
pub(super) fn verdict_section(report: &Report, figures: &Markup) -> Markup {
    let verdict = verdict(report);
    let (class, sign) = match verdict.tone {
        Tone::Kept => ("holds", "✓"),
        Tone::KeptBut => ("but", "!"),
        Tone::NotAllChecked => ("unchecked", "?"),
        Tone::Broken => ("broken", "✗"),
        Tone::Silent => ("silent", "–"),
    };
    html! {
        div class={ "verdict " (class) } {
            span.sign aria-hidden="true" { (sign) }
            p { strong { (unbroken(&verdict.headline)) } }
        }
        (figures)
        @if !verdict.rest.is_empty() {
            div class={ "verdict follows " (class) } {
                div { @for sentence in &verdict.rest { p { (unbroken(sentence)) } } }
            }
        }
    }
}

/// Text in which short words with a hyphen, such as k-anonymity, stay on one line.
fn unbroken(text: &str) -> Markup {
    let hyphened = |word: &str| word.contains('-') && word.chars().count() <= 20;
    html! {
        @for (index, word) in text.split(' ').enumerate() {
            @if index > 0 { " " }
            @if hyphened(word) { span.whole { (word) } } @else { (word) }
        }
    }
}

/// What a reader should know who reads nothing else.
pub(super) fn in_short(report: &Report) -> Markup {
    html! {
        @for sentence in &report.in_short { p { (with_code(sentence)) } }
        @if !report.summary.is_empty() {
            dl.facts {
                @for (label, value) in &report.summary {
                    div {
                        dt { (name(t(label))) }
                        dd class=[is_long(value).then_some("long")] { (grouped_text(value)) }
                    }
                }
            }
        }
    }
}

/// What was asked for, in words.
pub(super) fn asked(entries: &[(String, String)]) -> Markup {
    html! { dl.asked { @for (label, words) in entries { dt { (name(t(label))) } dd { (words) } } } }
}

/// Whether a value is words, or more than a short number.
fn is_long(value: &str) -> bool {
    value.chars().count() > 13 || !value.starts_with(|first: char| first.is_ascii_digit())
}

/// The promises.
pub(super) fn promises(report: &Report) -> Markup {
    html! {
        ul.promises { @for one in &report.promises { (promise(one)) } }
        @if report.checks.iter().any(is_broken) { (checks(report.checks.iter().filter(|check| is_broken(check)))) }
        @if !report.checks.is_empty() {
            p { (say!("The files were checked in {} more ways: they are in the {}.", report.checks.len(), html! { a href="#checks" { (t("appendix")) } })) }
        }
    }
}

fn is_broken(check: &Promise) -> bool {
    check.state == State::Broken
}

/// What was checked of the files.
pub(super) fn checks<'a>(checks: impl Iterator<Item = &'a Promise>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(t("Table of checks")) {
            table.stack {
                thead { tr {
                    th scope="col" { (t("Check")) }
                    th scope="col" { (t("What it means")) }
                    th scope="col" { (t("Asked")) }
                    th scope="col" { (t("Found")) }
                    th scope="col" { (t("Outcome")) }
                } }
                tbody {
                    @for check in checks {
                        tr {
                            th scope="row" { code { (name(&check.name)) } }
                            td.prose { (of_below(&check.meaning)) }
                            td data-label=(t("Asked")) { (grouped_text(&words(&check.asked))) }
                            td data-label=(t("Found")) { (grouped_text(&words(&check.reached))) }
                            td { (outcome(check.state)) }
                        }
                    }
                }
            }
        }
    }
}

/// What is known of a check, by sign, word and frame.
fn outcome(state: State) -> Markup {
    let (class, sign, word) = shown(state);
    html! { span class={ "mark " (class) } { span aria-hidden="true" { (sign) } " " (word) } }
}

/// Yes or no, told by sign, word and frame.
pub(super) fn mark(yes: bool, words: [&str; 2]) -> Markup {
    let (class, sign, word) = if yes { ("mark yes", "✓", words[0]) } else { ("mark no", "✗", words[1]) };
    html! { span class=(class) { span aria-hidden="true" { (sign) } " " (word) } }
}

fn promise(promise: &Promise) -> Markup {
    let (class, sign, word) = shown(promise.state);
    html! {
        li class=(class) {
            div.head {
                h3 { (name(&promise.name)) }
                p.state { span aria-hidden="true" { (sign) } " " (word) }
            }
            p { (of_below(&promise.meaning)) }
            dl.pair {
                div { dt { (t("Asked")) } dd { (grouped_text(&words(&promise.asked))) } }
                div { dt { (t("Reached")) } dd { (grouped_text(&words(&promise.reached))) } }
            }
        }
    }
}

/// Text in which what stands between two backticks is code.
pub(super) fn with_code(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    let closed = |index: usize| index % 2 == 1 && index + 1 < parts.len();
    html! {
        @for (index, part) in parts.iter().enumerate() {
            @if closed(index) { code { (part) } }
            @else if index % 2 == 1 { "`" (part) }
            @else { (part) }
        }
    }
}
