//! The sections of the page that are not figures.

use super::verdict::{Tone, verdict};
use super::{NodeLevel, Promise, Report};
use crate::chart::number::{grouped_text, number};
use crate::chart::text::{clean, shorten};
use maud::{Markup, html};

/// The longest name or value in a table, in characters.
const NAME: usize = 120;

fn name(text: &str) -> String {
    shorten(&clean(text), NAME)
}

/// The verdict.
pub(super) fn verdict_section(report: &Report) -> Markup {
    let verdict = verdict(&report.promises);
    let (class, sign) = match verdict.tone {
        Tone::Holds => ("verdict holds", "✓"),
        Tone::Broken => ("verdict broken", "✗"),
        Tone::Silent => ("verdict silent", "–"),
    };
    html! {
        p class=(class) {
            span.sign aria-hidden="true" { (sign) }
            span { strong { (unbroken(&verdict.headline)) } " " (unbroken(&verdict.rest)) }
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

/// The summary.
pub(super) fn summary(entries: &[(String, String)]) -> Markup {
    html! {
        section {
            h2 { "Summary" }
            dl.facts {
                @for (label, value) in entries {
                    div {
                        dt { (name(label)) }
                        dd class=[is_long(value).then_some("long")] { (grouped_text(value)) }
                    }
                }
            }
        }
    }
}

/// Whether a value is words, or more than a short number.
fn is_long(value: &str) -> bool {
    value.chars().count() > 13 || !value.starts_with(|first: char| first.is_ascii_digit())
}

/// The promises.
pub(super) fn promises(promises: &[Promise]) -> Markup {
    html! {
        section {
            h2 { "Promises" }
            ul.promises { @for one in promises { (promise(one)) } }
        }
    }
}

fn promise(promise: &Promise) -> Markup {
    let (class, sign, word) =
        if promise.holds { ("holds", "✓", "holds") } else { ("broken", "✗", "does not hold") };
    html! {
        li class=(class) {
            div.head {
                h3 { (name(&promise.name)) }
                p.state { span aria-hidden="true" { (sign) } " " (word) }
            }
            p { (promise.meaning) }
            dl.pair {
                div { dt { "Asked" } dd { (grouped_text(&promise.asked)) } }
                div { dt { "Reached" } dd { (grouped_text(&promise.reached)) } }
            }
        }
    }
}

/// The lattice node.
pub(super) fn node(node: &[NodeLevel]) -> Markup {
    html! {
        section {
            h2 { "How far each quasi-identifier is generalized" }
            p {
                "Level 0 is the value as it was recorded; every higher level is more general, and at the top nothing \
                 is left. The degree of generalization runs from 0 (untouched) to 1 (nothing left)."
            }
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { "Attribute" }
                        th.number scope="col" { "Level" }
                        th scope="col" { "Degree" }
                        th scope="col" { "Released values look like" }
                    } }
                    tbody { @for level in node { (node_row(level)) } }
                }
            }
        }
    }
}

fn node_row(level: &NodeLevel) -> Markup {
    html! {
        tr {
            th scope="row" { (name(&level.attribute)) }
            td.number {
                @match level.level {
                    Some(at) => { (at) " of " (level.levels.saturating_sub(1)) }
                    None => "by class"
                }
            }
            td.degree { @if level.degree.is_finite() { (meter(level.degree)) " " } (number(level.degree)) }
            td { code { (name(&level.example)) } }
        }
    }
}

/// A small bar from 0 to 1; the number stands beside it.
fn meter(degree: f64) -> Markup {
    let width = (degree.clamp(0.0, 1.0) * 80.0).round();
    html! {
        svg.meter viewBox="0 0 82 12" width="82" height="12" aria-hidden="true" focusable="false" {
            rect x="0.5" y="0.5" width="81" height="11" rx="2" fill="#ffffff" stroke="#6d6479" {}
            rect x="1" y="1" width=(width) height="10" fill="#4b1d73" {}
        }
    }
}

/// What the release is still good for.
pub(super) fn utility(metrics: &[(String, f64, String)]) -> Markup {
    html! {
        section {
            h2 { "How useful the release still is" }
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { "Metric" }
                        th.number scope="col" { "Value" }
                        th scope="col" { "What it means" }
                    } }
                    tbody {
                        @for (metric, value, meaning) in metrics {
                            tr { th scope="row" { (name(metric)) } td.number { (number(*value)) } td.prose { (meaning) } }
                        }
                    }
                }
            }
        }
    }
}

/// How to check the promises.
pub(super) fn how_to_check(entries: &[String]) -> Markup {
    html! {
        section {
            h2 { "How to check" }
            @for entry in entries {
                @match entry.strip_prefix("$ ") {
                    Some(command) => pre { code { (command) } },
                    None => p { (with_code(entry)) },
                }
            }
        }
    }
}

/// Further remarks.
pub(super) fn notes(notes: &[String]) -> Markup {
    html! {
        section {
            h2 { "Notes" }
            ul { @for note in notes { li { (with_code(note)) } } }
        }
    }
}

/// Text in which what stands between two backticks is code.
fn with_code(text: &str) -> Markup {
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
