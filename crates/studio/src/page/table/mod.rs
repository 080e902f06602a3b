//! Table: every record before and after, in every method and before a release is written; and the table alone.

mod asked;
mod distribution;
mod rows;
mod sizes;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, TOP};
use velamen_job::{Paired, PairedRow};
use velamen_report::language::{mark, say, t, text};

pub(crate) use asked::Finds;
use asked::{Asked, filters, find, kept};
use rows::{Order, PageOfRows, ROWS, Side, code, page_of};

use super::compare::of_trial;
use super::{Page, address, change, count, show, status};
use crate::App;
use crate::form::Form;
use crate::originals::originals;
use crate::project::Project;
use crate::trial::Trial;
use crate::worker::locked;

pub(super) const PAGE: Page = Page::new("table", mark("Table"), view)
    .after("explore")
    .keeps(&["of", "side", "sort", "down", "first", "find", "only", "class", "look"])
    .routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/table/values", values);
    change(router, "/table/find", find)
}

/// The field of the address that says that the table is looked at alone, and its value.
const ALONE: (&str, &str) = ("of", "original");

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    let is_alone = asked.text(ALONE.0) == ALONE.1;
    locked(&app.finds).look(project.number, address(&PAGE, asked));
    html! {
        h1 { (t("Table")) }
        p.lead { (t("Every record as it is, and as the release would show it. For you alone.")) }
        nav.tabs aria-label=(t("What is shown")) { ul {
            li { a href="table" aria-current=[(!is_alone).then_some("page")] { (t("Before and after")) } }
            li { a href={ "table?" (ALONE.0) "=" (ALONE.1) } aria-current=[is_alone.then_some("page")] { (t("The table alone")) } }
        } }
        @if is_alone { (alone(app, project, asked)) }
        @else { (of_trial(app, project, &address(&PAGE, asked), |trial| both(app, trial, project, asked))) }
    }
}

/// The original records.
fn alone(app: &App, project: &Project, asked: &Form) -> Markup {
    if !project.values {
        return hidden(asked);
    }
    match originals(app, project) {
        None => html! {
            div hx-get=(address(&PAGE, asked)) hx-trigger="load delay:400ms" hx-target="#main" hx-select="#main" {}
            p { (t("The table is being read.")) }
        },
        Some(Err(mistake)) => html! { div.alert role="alert" { (status::said(&mistake)) } },
        Some(Ok(read)) => {
            html! { (records(app, &read.paired, asked)) (distribution::section(&read.paired, asked)) }
        }
    }
}

fn both(app: &App, trial: &Trial, project: &Project, asked: &Form) -> Markup {
    html! {
        @match (&trial.paired, project.values) {
            (None, _) => p.care { (t("No released record is one of the table: nothing stands side by side.")) },
            (Some(_), false) => (hidden(asked)),
            (Some(paired), true) => { (records(app, paired, asked)) (distribution::section(paired, asked)) }
        }
        (sizes::section(&trial.people))
    }
}

/// What stands in place of the rows until values are asked for.
fn hidden(asked: &Form) -> Markup {
    html! {
        section aria-labelledby="values-heading" {
            h2 #values-heading { (t("Records")) }
            p { (t("They show values of cells, and values are not shown until you ask.")) }
            form hx-post="table/values" {
                (kept(asked, &[]))
                button #show-values type="submit" { (t("Show the records")) }
            }
        }
    }
}

async fn values(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_mut() {
        project.values = true;
    }
    show(&app, &PAGE, &form)
}

/// The rows with all that narrows them down.
fn records(app: &App, paired: &Paired, form: &Form) -> Markup {
    let asked = Asked::of(app, paired, form);
    let page = page_of(paired, &asked.wanted);
    html! {
        section #records aria-labelledby="records-heading" {
            h2 #records-heading { (t("Records")) }
            (filters(paired, &asked, form))
            (found(&page, &asked))
            @if page.distinct > 0 {
                div.scroll tabindex="0" role="region" aria-label=(t("Table of records")) { (table(paired, &asked, &page, form)) }
                (pages(&page, &asked, form))
            }
        }
    }
}

/// How many fit, and which of them are here.
fn found(page: &PageOfRows, asked: &Asked<'_>) -> Markup {
    let (first, last) = (asked.wanted.first + 1, asked.wanted.first + page.rows.len());
    html! {
        p.summary role="status" {
            @if page.distinct == 0 { (t("No record fits.")) }
            @else {
                @let records = if page.records == 1 { t("1 record").to_owned() } else { text!("{} records", count(page.records)) };
                (say!("{}, {} of them distinct", html! { strong { (records) } }, count(page.distinct as u64)))
                @if page.distinct > ROWS { (say!("; rows {} to {} are here", count(first as u64), count(last as u64))) }
                "."
            }
        }
    }
}

fn table(paired: &Paired, asked: &Asked<'_>, page: &PageOfRows, form: &Form) -> Markup {
    let rows: Vec<&PairedRow> = page.rows.iter().map(|&place| &paired.rows[place]).collect();
    html! {
        table.records {
            thead { tr {
                @if paired.released { (heading(t("Class"), Order::Class, asked, form)) }
                @for (number, column) in paired.columns.iter().enumerate() {
                    (heading(&column.name, Order::Value(asked.side.unwrap_or(Side::Before), number), asked, form))
                }
                (heading(t("Records"), Order::Records, asked, form))
            } }
            @for rows in rows.chunk_by(|a, b| asked.is_grouped(paired) && a.class() == b.class()) {
                tbody {
                    @if asked.is_grouped(paired) { (class_heading(paired, rows)) }
                    @for row in rows { (record(paired, row, asked.side)) }
                }
            }
        }
    }
}

/// The heading of a column, by which rows are put in order: a second time the other way round.
fn heading(name: &str, order: Order, asked: &Asked<'_>, form: &Form) -> Markup {
    let (is_by, down) = (asked.wanted.order == order, asked.wanted.descending);
    let sorted = is_by.then_some(if down { "descending" } else { "ascending" });
    html! {
        th.number[order == Order::Records] scope="col" aria-sort=[sorted] {
            a href=(asked.sorted(form, order, is_by && !down)) { (name) }
            @if is_by { span aria-hidden="true" { @if down { " ▼" } @else { " ▲" } } }
        }
    }
}

/// What all rows of a class have in common.
fn class_heading(paired: &Paired, rows: &[&PairedRow]) -> Markup {
    let released = |column: &usize| paired.columns[*column].role == Role::QuasiIdentifier;
    let columns: Vec<usize> = (0..paired.columns.len()).filter(released).collect();
    html! {
        tr.class-of {
            th scope="rowgroup" colspan=(paired.columns.len() + 2) {
                @match rows[0].class() {
                    None => (t("Suppressed")),
                    Some(class) => {
                        (say!("Class {}{}", class, html! { span.note {
                            @for column in &columns { " · " (said(paired, rows[0], Side::After, *column)) }
                        } }))
                    }
                }
            }
        }
    }
}

/// The colours that tell neighbouring classes apart.
const COLOURS: u64 = 6;

fn record(paired: &Paired, row: &PairedRow, side: Option<Side>) -> Markup {
    let colour = row.class().map(|class| format!("class-{}", class % COLOURS));
    html! {
        tr class=[colour] {
            @if paired.released {
                th.class-number scope="row" {
                    @match row.class() { Some(class) => (class), None => (t("suppressed")) }
                    @if row.is_counterfeit() { " " span.mark { (t("counterfeit")) } }
                }
            }
            @for column in 0..paired.columns.len() { (cell(paired, row, column, side)) }
            td.number { (count(row.count)) }
        }
    }
}

/// A cell; one that changed has both values.
fn cell(paired: &Paired, row: &PairedRow, column: usize, side: Option<Side>) -> Markup {
    let is_changed = paired.is_changed(row, column);
    let said = |side| said(paired, row, side, column);
    html! {
        td.changed[is_changed] {
            @match side {
                Some(side) => (said(side)),
                None if !is_changed => (said(Side::Before)),
                None => {
                    @if !row.is_counterfeit() { del { (said(Side::Before)) } span.hidden { " " (t("becomes")) } " " }
                    ins { (said(Side::After)) }
                }
            }
        }
    }
}

/// A value in words.
fn said<'p>(paired: &'p Paired, row: &PairedRow, side: Side, column: usize) -> &'p str {
    let of = &paired.columns[column];
    let labels = if side == Side::Before { &of.before } else { &of.after };
    match code(paired, row, side, column).map(|code| labels[code as usize].as_str()) {
        None if row.is_counterfeit() => "–",
        None => TOP,
        Some(NULL) => t("(missing)"),
        Some(label) => label,
    }
}

fn pages(page: &PageOfRows, asked: &Asked<'_>, form: &Form) -> Markup {
    let first = asked.wanted.first;
    let last = page.distinct.saturating_sub(1) / ROWS * ROWS;
    html! {
        nav.pages aria-label=(t("Pages of records")) {
            @if first > 0 {
                a href=(asked.page(form, 0)) { (t("First rows")) }
                a href=(asked.page(form, first.saturating_sub(ROWS))) { (t("Earlier rows")) }
            }
            @if first + ROWS < page.distinct {
                a href=(asked.page(form, first + ROWS)) { (t("Later rows")) }
                a href=(asked.page(form, last)) { (t("Last rows")) }
            }
        }
    }
}
