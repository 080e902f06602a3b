//! The page as a whole.

use super::figures::Figures;
use super::{Report, sections};
use crate::chart::text::is_forbidden;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// What a browser may load for the page: nothing but its own style sheet.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The head of a page that loads nothing.
pub(crate) fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light";
            meta name="referrer" content="no-referrer";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The report as one self-contained HTML page.
pub fn html(report: &Report) -> String {
    let title = if report.title.trim().is_empty() { "Report of a release" } else { &report.title };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title))
            body { (body(title, report)) }
        }
    };
    without_forbidden(&page.into_string())
}

fn body(title: &str, report: &Report) -> Markup {
    html! {
        header {
            p.kind { "Release report" }
            h1 { (title) }
            @if !report.audience_note.is_empty() { p.audience { (report.audience_note) } }
        }
        main {
            (sections::verdict_section(report))
            @if !report.summary.is_empty() { (sections::summary(&report.summary)) }
            @if !report.promises.is_empty() { (sections::promises(&report.promises)) }
            @if !report.node.is_empty() { (sections::node(&report.node)) }
            (pictures(report))
            @if !report.how_to_check.is_empty() { (sections::how_to_check(&report.how_to_check)) }
            @if !report.notes.is_empty() { (sections::notes(&report.notes)) }
        }
    }
}

/// The sections with figures, and utility between them.
fn pictures(report: &Report) -> Markup {
    let mut figures = Figures::default();
    html! {
        @if !report.class_sizes.is_empty() {
            section { h2 { "Equivalence classes" } (figures.class_sizes(report)) }
        }
        @if !report.loss.is_empty() {
            section { h2 { "Loss of detail" } (figures.loss(report)) }
        }
        @if !report.utility.is_empty() { (sections::utility(&report.utility)) }
        @if !report.distributions.is_empty() {
            section {
                h2 { "Distributions before and after" }
                @for distribution in &report.distributions { (figures.distribution(distribution)) }
            }
        }
    }
}

/// The page with every character that must not be in it replaced; line ends stay.
fn without_forbidden(page: &str) -> String {
    page.chars().map(|c| if c != '\n' && is_forbidden(c) { '\u{FFFD}' } else { c }).collect()
}
