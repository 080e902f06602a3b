//! Compare: the original beside a trial release: distributions, associations, queries, and records class by class.

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_assess::compare::Comparison;
use velamen_job::ClassRecords;

use super::{Step, change, count, number, percent, show, status};
use crate::App;
use crate::form::Form;
use crate::project::Project;
use crate::trial::{State, Trial, begin, state};
use crate::worker::locked;

/// Classes on one page.
const CLASSES: usize = 20;

/// Pairs of attributes that are shown.
const PAIRS: usize = 10;

pub(super) fn routes() -> Router<App> {
    let router = change(Router::new(), "/compare/records", records);
    change(router, "/trial/again", again)
}

pub(super) fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    html! {
        h1 { "Compare" }
        p.lead { "The original beside the release that the recipe makes now. This page is for you alone: it shows original records' figures." }
        (of_trial(app, project, "compare", |trial| compared(trial, project, asked)))
    }
}

/// What a page shows of the trial, or why there is none yet.
pub(super) fn of_trial(
    app: &App,
    project: &Project,
    page: &str,
    shown: impl FnOnce(&Trial) -> Markup,
) -> Markup {
    match state(app, project) {
        State::Made(trial) => shown(&trial),
        State::Making(_) => html! {
            div hx-get=(page) hx-trigger="load delay:400ms" hx-target="#main" hx-select="#main" {}
            p { "A trial release is being made in the private folder. Nothing is published." }
        },
        State::Failed(mistake) if mistake.kind == "interrupted" => html! {
            p.care { "You stopped it. " button #again type="button" hx-post="trial/again" hx-vals=(format!("{{\"page\":\"{page}\"}}")) { "Make the trial release" } }
        },
        State::Failed(mistake) => html! { div.alert role="alert" { (status::said(&mistake)) } },
    }
}

fn compared(trial: &Trial, project: &Project, asked: &Form) -> Markup {
    html! {
        @match &trial.comparison {
            Ok(comparison) => (figures(comparison)),
            Err(mistake) => div.alert role="alert" { (status::said(mistake)) },
        }
        @if project.values {
            section #distributions aria-labelledby="distributions-heading" {
                h2 #distributions-heading { "Distributions" }
                @if trial.distributions.is_empty() { p { "No attribute has values that can stand side by side." } }
                div.pictures { @for picture in velamen_report::pictures(&trial.distributions) { (picture) } }
            }
        } @else {
            section aria-labelledby="values-heading" {
                h2 #values-heading { "Distributions and records" }
                p { "They show values of cells, and values are not shown until you ask." }
                button #show-records type="button" hx-post="compare/records" { "Show distributions and records" }
            }
        }
        (side_by_side(trial, project, asked))
    }
}

fn figures(comparison: &Comparison) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in [
                ("records", comparison.records),
                ("suppressed", comparison.suppressed),
                ("counterfeits", comparison.counterfeits),
                ("classes", comparison.classes),
            ] { div { dt { (name) } dd { (count(value)) } } }
        }
        @for note in &comparison.notes { p.note { (note) } }
        @for left_out in &comparison.left_out { p.note { (left_out.section) ": " (left_out.reason) } }
        @if let Some(distributions) = &comparison.distributions {
            section aria-labelledby="moved-heading" {
                h2 #moved-heading { "How far each attribute moved" }
                div.scroll tabindex="0" role="region" aria-label="Table of attributes" { table {
                    thead { tr {
                        th scope="col" { "Attribute" }
                        th.number scope="col" { "Total variation" }
                        th.number scope="col" { "Hellinger" }
                        th.number scope="col" { "Hidden" }
                        th.number scope="col" { "Mean before" }
                        th.number scope="col" { "Mean after" }
                    } }
                    tbody { @for moved in &distributions.attributes { tr {
                        th scope="row" { (moved.name) }
                        td.number { (number(moved.total_variation)) }
                        td.number { (number(moved.hellinger)) }
                        td.number { (percent(moved.hidden_share)) }
                        @for side in 0..2 { td.number { @match &moved.numbers { Some(numbers) => (number(numbers.mean[side])), None => "–" } } }
                    } } }
                } }
                p.note { "Total variation is the share of records that would have to change their value: 0 is unchanged, 1 is all." }
            }
        }
        @if let Some(associations) = &comparison.associations {
            section aria-labelledby="pairs-heading" {
                h2 #pairs-heading { "Associations" }
                p { "Cramér's V of pairs of attributes; the largest changes first. The mean change is " (number(associations.mean_shift)) "." }
                div.scroll tabindex="0" role="region" aria-label="Table of pairs" { table.narrow-table {
                    thead { tr { th scope="col" { "Pair" } th.number scope="col" { "Original" } th.number scope="col" { "Release" } } }
                    tbody { @for pair in associations.pairs.iter().take(PAIRS) { tr {
                        th scope="row" { (pair.attributes[0]) " and " (pair.attributes[1]) }
                        @for side in 0..2 { td.number { (number(pair.cramers_v[side])) } }
                    } } }
                } }
            }
        }
        @if let Some(queries) = &comparison.queries {
            section aria-labelledby="queries-heading" {
                h2 #queries-heading { "Queries" }
                p { (queries.count) " counting queries asked of both tables. How wrong the release's answers are:" }
                div.scroll tabindex="0" role="region" aria-label="Table of queries" { table.narrow-table {
                    thead { tr { th scope="col" { "Kind" } th.number scope="col" { "Queries" } th.number scope="col" { "Median error" } th.number scope="col" { "95th percentile" } } }
                    tbody { @for kind in &queries.kinds { tr {
                        th scope="row" { (kind.kind) }
                        td.number { (count(kind.queries as u64)) }
                        @for error in [kind.relative_error.median, kind.relative_error.p95] {
                            td.number { @match error { Some(error) => (percent(error)), None => "–" } }
                        }
                    } } }
                } }
            }
        }
    }
}

/// Records class by class: the released values beside the original ones.
fn side_by_side(trial: &Trial, project: &Project, asked: &Form) -> Markup {
    if !project.values {
        return html! {};
    }
    let Some(classes) = &trial.classes else {
        return html! { p.note { "Classes have values of their own: records are not shown side by side." } };
    };
    let first: usize = asked.text("part").parse().unwrap_or(0);
    html! {
        section #records aria-labelledby="records-heading" {
            h2 #records-heading { "Records, class by class" }
            p { "The first classes of the release, " (classes.len()) " in all here. Both sides scroll together." }
                div.sides {
                    (side("Original", &[&trial.columns.0[..], &trial.columns.1].concat(), classes, first, original_rows))
                    (side("Release", &trial.columns.0, classes, first, released_rows))
                }
                nav.pages aria-label="Classes" {
                    @if first > 0 { a href=(format!("compare?part={}#records", first.saturating_sub(CLASSES))) { "Earlier classes" } }
                    @if first + CLASSES < classes.len() { a href=(format!("compare?part={}#records", first + CLASSES)) { "Later classes" } }
                }
        }
    }
}

/// The rows of a class on one side: values, and of how many records.
type Rows = fn(&ClassRecords) -> Vec<(Vec<String>, u64)>;

fn original_rows(class: &ClassRecords) -> Vec<(Vec<String>, u64)> {
    class.originals.clone()
}

/// As many rows as the original side has, so that both stand at one height.
fn released_rows(class: &ClassRecords) -> Vec<(Vec<String>, u64)> {
    let records: u64 = class.originals.iter().map(|(_, records)| records).sum();
    let own = class.originals.iter().map(|(_, records)| (class.released.clone(), *records));
    let counterfeits = class.size.saturating_sub(records);
    own.chain((counterfeits > 0).then(|| (class.released.clone(), counterfeits))).collect()
}

fn side(name: &str, columns: &[String], classes: &[ClassRecords], first: usize, rows: Rows) -> Markup {
    html! {
        div.side data-together="records" tabindex="0" role="region" aria-label=(name) {
            table {
                caption { (name) }
                thead { tr {
                    th scope="col" { "Class" }
                    @for column in columns { th scope="col" { (column) } }
                    th.number scope="col" { "Records" }
                } }
                @for class in classes.iter().skip(first).take(CLASSES) {
                    tbody.class {
                        @for (values, records) in rows(class) {
                            tr { th scope="row" { (class.id) } @for value in &values { td { (value) } } td.number { (count(records)) } }
                        }
                        @if rows(class).len() < released_rows(class).len() { tr.none { td colspan=(columns.len() + 2) { "counterfeits, on the other side only" } } }
                    }
                }
            }
        }
    }
}

async fn records(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_mut() {
        project.values = true;
    }
    show(&app, Step::Compare, &form)
}

async fn again(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin(&app, project);
    }
    let step = if form.text("page") == Step::Risk.path() { Step::Risk } else { Step::Compare };
    show(&app, step, &form)
}
