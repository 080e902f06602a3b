//! A form as a page to print: it loads nothing and runs nothing.

use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

use super::filled::{Evidence, Figure, Item, State};
use super::markdown::state;
use super::words::plain;

/// The page.
pub(super) fn html(evidence: &Evidence) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (velamen_report::head(&evidence.title))
            body.confidential[evidence.custodian] {
                @if evidence.custodian {
                    p.stamp { "CONFIDENTIAL" span { " · for the custodian only · never publish" } }
                }
                header {
                    p.kind { (evidence.first_line()) }
                    h1 { (evidence.title) }
                    dl.about {
                        div { dt { "Release" } dd { (evidence.release) } }
                        div { dt { "Filled by" } dd { "velamen " (evidence.velamen) } }
                    }
                    p { strong { "The form is made by: " } (evidence.edition) }
                    p { strong { "Not seen: " } (evidence.not_seen) }
                }
                main {
                    @for section in &evidence.sections {
                        section { h2 { (section.title) } ul.promises { @for item in &section.items { (one(item)) } } }
                    }
                }
            }
        }
    };
    velamen_report::without_forbidden(page.into_string())
}

fn one(item: &Item) -> Markup {
    let class = match (item.state, &item.answer, item.changed.is_empty()) {
        (State::Filled, ..) => "held",
        (State::DoesNotApply, ..) => "stated",
        (State::Yours, Some(_), true) => "held",
        (State::Yours, ..) => "unchecked",
    };
    html! {
        li class=(class) {
            div.head { h3 { (item.id) " " (item.ask) } p.state { (state(item)) } }
            p.none { (item.clause) }
            @if let Some(answer) = &item.answer { p { strong { (answer) } } }
            @if !item.changed.is_empty() {
                p { "Changed since it was written:" }
                ul { @for change in &item.changed { li { (change.label) ": " (change.was) " → " (change.now) } } }
            }
            @if let (Some(note), None) = (&item.note, &item.answer) { p { (note) } }
            @for figure in &item.figures { (shown(figure)) }
            @if item.state == State::Yours && item.answer.is_none() {
                div.signatures { div.line { span { "Answer" } span.rule {} } }
            }
        }
    }
}

fn shown(figure: &Figure) -> Markup {
    html! {
        @if figure.columns.is_empty() {
            dl.pair { div { dt { (figure.label) } dd { (figure.shown) } } }
        } @else {
            div.scroll { table {
                caption { (figure.label) }
                thead { tr { @for title in &figure.columns { th scope="col" { (title) } } } }
                tbody {
                    @for row in figure.rows() { (cells(row)) }
                    @if figure.rows().is_empty() { tr { td.none colspan=(figure.columns.len()) { "none" } } }
                }
            } }
        }
        p.source { "again by " code { (figure.command) } }
    }
}

fn cells(row: &Value) -> Markup {
    html! {
        tr {
            @for (place, cell) in row.as_array().into_iter().flatten().enumerate() {
                @if place == 0 { th scope="row" { (plain(cell)) } } @else { td { (plain(cell)) } }
            }
        }
    }
}
