//! The page as a whole.

use super::figures::PageFigures;
use super::{Report, attributes, closing, glance, risk, sections};
use crate::chart::text::is_forbidden;
use crate::language::{mark, say, speaking, t};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("style.css");

/// What a browser may load for the page: nothing but its own style sheet.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The head of a page that loads nothing.
pub fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The report as one self-contained HTML page.
pub fn html(report: &Report) -> String {
    speaking(report.language, || written(report))
}

fn written(report: &Report) -> String {
    let title = if report.title.trim().is_empty() { t("Report of a release") } else { &report.title };
    let page = html! {
        (DOCTYPE)
        html lang=(report.language.code()) {
            (head(title))
            body.confidential[report.confidential] { (body(title, report)) }
        }
    };
    without_forbidden(page.into_string())
}

/// A section of the page: the name of its place, its heading, its content.
type Section = (&'static str, &'static str, Markup);

fn body(title: &str, report: &Report) -> Markup {
    let mut figures = PageFigures::default();
    let sections = sections(report, &mut figures);
    let appendix = appendix(report, &mut figures);
    html! {
        @if report.confidential { p.stamp { (t("CONFIDENTIAL")) span { " · " (t("for the custodian only · never publish")) } } }
        header {
            p.kind { @if report.confidential { (t("Custodian’s report")) } @else { (t("Release report")) } }
            h1 { (title) }
            @if !report.about.is_empty() {
                dl.about { @for (name, said) in &report.about { div { dt { (t(name)) } dd { (said) } } } }
            }
            @if !report.audience_note.is_empty() { p.audience { (t(&report.audience_note)) } }
            (sections::verdict_section(report, &glance::tiles(report)))
        }
        @if sections.len() > 1 { (contents(&sections, &appendix)) }
        main {
            @for section in &sections { (place(section)) }
            @if !appendix.is_empty() {
                div.appendix { p.kind { (t("Appendix")) } @for section in &appendix { (place(section)) } }
            }
        }
    }
}

fn contents(sections: &[Section], appendix: &[Section]) -> Markup {
    html! {
        nav aria-label=(t("Contents")) {
            ol { @for section in sections { (link(section)) } }
            @if !appendix.is_empty() {
                p.kind { (t("Appendix")) }
                ol start=(sections.len() + 1) { @for section in appendix { (link(section)) } }
            }
        }
    }
}

fn link((place, heading, _): &Section) -> Markup {
    html! { li { a href={ "#" (place) } { (t(heading)) } } }
}

fn place((place, heading, content): &Section) -> Markup {
    html! {
        section #(*place) aria-labelledby={ (place) "-heading" } {
            h2 #{ (place) "-heading" } { (t(heading)) }
            (content)
        }
    }
}

/// A section that is there if it has something to say.
fn filled(full: bool, place: &'static str, heading: &'static str, content: Markup) -> Option<Section> {
    full.then_some((place, heading, content))
}

/// The sections that have something to say, in order.
fn sections(report: &Report, figures: &mut PageFigures) -> Vec<Section> {
    let given = !report.promises.is_empty();
    let sections = [
        filled(
            !report.in_short.is_empty() || !report.summary.is_empty(),
            "in-short",
            mark("In short"),
            sections::in_short(report),
        ),
        filled(!report.asked.is_empty(), "asked", mark("What was asked"), sections::asked(&report.asked)),
        filled(given, "promises", mark("What is promised, and what was reached"), sections::promises(report)),
        filled(
            !report.budget.is_empty(),
            "budget",
            mark("The privacy budget"),
            attributes::budget(&report.budget, &report.spent_on),
        ),
        report
            .risk
            .as_ref()
            .map(|risk| ("risk", mark("The risk that a person is found"), risk::section(risk))),
        filled(
            !report.class_sizes.is_empty(),
            "groups",
            mark("Groups of records that look alike"),
            figures.groups(report),
        ),
        filled(
            !report.attributes.is_empty(),
            "attributes",
            mark("What was done to each attribute"),
            attributes::attributes(&report.attributes),
        ),
        filled(
            !report.fates.is_empty(),
            "records",
            mark("Suppressed and counterfeit records"),
            attributes::fates(&report.fates),
        ),
        filled(
            !report.originals.is_empty(),
            "originals",
            mark("Whose value is certain, and what the suppressed had"),
            attributes::fates(&report.originals),
        ),
        filled(
            !report.telling.is_empty(),
            "telling",
            mark("How well counterfeits can be recognized"),
            attributes::telling(&report.telling),
        ),
        filled(!report.loss.is_empty(), "lost", mark("What was lost"), lost(report, figures)),
        filled(
            !report.error_bars.is_empty(),
            "near",
            mark("How near the counts are"),
            figures.error_bars(&report.error_bars),
        ),
        filled(
            !report.limits.is_empty(),
            "limits",
            mark("What this does not promise"),
            closing::limits(&report.limits),
        ),
        filled(given, "approval", mark("Approval"), closing::approval()),
    ];
    sections.into_iter().flatten().collect()
}

/// What few readers need: tables of figures, and how files are read and checked.
fn appendix(report: &Report, figures: &mut PageFigures) -> Vec<Section> {
    let sections = [
        filled(
            !report.distributions.is_empty(),
            "distributions",
            mark("How the values are distributed"),
            distributions(report, figures),
        ),
        filled(
            !report.checks.is_empty(),
            "checks",
            mark("What else was checked"),
            sections::checks(report.checks.iter()),
        ),
        filled(
            !report.how_to_check.is_empty(),
            "check",
            mark("How to check"),
            closing::how_to_check(&report.how_to_check),
        ),
        filled(
            !report.reading.is_empty(),
            "reading",
            mark("How to read the files"),
            closing::reading(&report.reading),
        ),
        filled(!report.notes.is_empty(), "notes", mark("Notes"), closing::notes(&report.notes)),
        filled(!report.promises.is_empty(), "glossary", mark("Terms"), closing::glossary()),
        filled(
            !report.utility.is_empty(),
            "figures",
            mark("All figures of utility"),
            attributes::utility(&report.utility),
        ),
    ];
    sections.into_iter().flatten().collect()
}

fn lost(report: &Report, figures: &mut PageFigures) -> Markup {
    html! {
        @if !report.loss.is_empty() { (figures.loss(report)) }
        @if !report.utility.is_empty() { p { (say!("All figures of utility are in the {}.", html! { a href="#figures" { (t("appendix")) } })) } }
    }
}

fn distributions(report: &Report, figures: &mut PageFigures) -> Markup {
    html! {
        @if !report.distributions_note.is_empty() { p { (t(&report.distributions_note)) } }
        @for distribution in &report.distributions { (figures.distribution(distribution)) }
    }
}

/// The page with every character that must not be in it replaced; line ends stay.
pub fn without_forbidden(page: String) -> String {
    let must_go = |c: char| c != '\n' && is_forbidden(c);
    if page.contains(must_go) { page.replace(must_go, "\u{FFFD}") } else { page }
}
