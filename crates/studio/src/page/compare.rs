//! Compare: the original beside a trial release: distributions, associations, queries, and records class by class.

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Response;
use maud::{Markup, html};
use velamen_assess::compare::{Associations, Classifiers, Comparison, Distributions, Queries};
use velamen_core::frequency::Role;
use velamen_job::ClassRecords;
use velamen_recipe::Recipe;
use velamen_report::language::{mark, say, t};

use super::bars::bar;
use super::{PAGES, Page, change, count, number, percent, show, status};
use crate::App;
use crate::findings;
use crate::form::Form;
use crate::project::Project;
use crate::told;
use crate::trial::{State, Trial, begin, begin_classifiers, classifiers, state};
use crate::worker::locked;

/// Classes on one page.
const CLASSES: usize = 20;

/// Pairs of attributes that are shown.
const PAIRS: usize = 10;

pub(super) const PAGE: Page =
    Page::new("compare", mark("Compare"), view).after("table").keeps(&["part"]).routes(routes);

fn routes() -> Router<App> {
    let router = change(Router::new(), "/compare/records", records);
    let router = change(router, "/compare/classifiers", learn);
    change(router, "/trial/again", again)
}

fn view(app: &App, project: &Project, asked: &Form) -> Markup {
    html! {
        h1 { (t("Compare")) }
        p.lead { (t("The original beside the release that the recipe makes now. For you alone: figures of original records are shown.")) }
        (of_trial(app, project, "compare", |trial| compared(app, trial, project, asked)))
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
            p { (t("A trial release is being made in the private folder. Nothing is published.")) }
        },
        State::Behind(what) => html! {
            div hx-get=(page) hx-trigger="load delay:1s" hx-target="#main" hx-select="#main" {}
            p.care #behind { (status::behind(t("This trial release waits"), what)) " "
                button #again type="button" hx-post="trial/again" hx-vals=(format!("{{\"page\":\"{page}\"}}")) { (t("Make the trial release now")) } }
        },
        State::Failed(mistake) if mistake.is_interrupted() => html! {
            p.care { (t("You stopped it.")) " " button #again type="button" hx-post="trial/again" hx-vals=(format!("{{\"page\":\"{page}\"}}")) { (t("Make the trial release")) } }
        },
        State::Failed(mistake) => html! { div.alert role="alert" { (status::said(&mistake)) } },
    }
}

fn compared(app: &App, trial: &Trial, project: &Project, asked: &Form) -> Markup {
    html! {
        @match &trial.comparison {
            Ok(comparison) => (figures(comparison)),
            Err(mistake) => div.alert role="alert" { (status::said(mistake)) },
        }
        @if project.values {
            section #distributions aria-labelledby="distributions-heading" {
                h2 #distributions-heading { (t("Distributions")) }
                @if trial.distributions.is_empty() { p { (t("No attribute has values that can stand side by side.")) } }
                div.pictures { @for picture in velamen_report::pictures(&trial.distributions) { (picture) } }
            }
        } @else {
            section aria-labelledby="values-heading" {
                h2 #values-heading { (t("Distributions and records")) }
                p { (t("They show values of cells, and values are not shown until you ask.")) }
                button #show-records type="button" hx-post="compare/records" { (t("Show distributions and records")) }
            }
        }
        (side_by_side(trial, project, asked))
        (of_classifiers(app, project, asked))
        @if let Ok(comparison) = &trial.comparison { (remarks(comparison)) }
    }
}

fn figures(comparison: &Comparison) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in [
                (t("original records"), comparison.original_records),
                (t("released records"), comparison.records),
                (t("suppressed"), comparison.suppressed),
                (t("counterfeits"), comparison.counterfeits),
                (t("classes"), comparison.classes),
            ] { div { dt { (name) } dd { (count(value)) } } }
        }
        @if let Some(distributions) = &comparison.distributions { (moved(distributions)) }
        @if let Some(associations) = &comparison.associations { (pairs(associations)) }
        @if let Some(queries) = &comparison.queries { (asked_of_both(queries)) }
    }
}

/// What a reader has to know of the figures.
fn remarks(comparison: &Comparison) -> Markup {
    let left_out = comparison.left_out.iter();
    let left_out = left_out.map(|left_out| format!("{}: {}", left_out.section, left_out.reason));
    let all: Vec<String> = comparison.notes.iter().cloned().chain(left_out).collect();
    html! {
        @if !all.is_empty() {
            section aria-labelledby="remarks-heading" {
                h2 #remarks-heading { (t("How to read this")) }
                ul.remarks { @for remark in &all { li { (told::remark(remark)) } } }
            }
        }
    }
}

/// Three digits: what is smaller is nothing to a reader.
fn fine(value: f64) -> String {
    super::fixed(value, 3)
}

fn moved(distributions: &Distributions) -> Markup {
    html! {
        section aria-labelledby="moved-heading" {
            h2 #moved-heading { (t("How far each attribute moved")) }
            p.note { (t("The share of records that would have to change their value to turn one distribution into the other: total variation.")) " "
                (t("The Hellinger distance runs from 0, where both distributions are the same, to 1, where they share no value. A record shows nothing of an attribute where its released value covers the whole column.")) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of attributes")) { table.stacked {
                thead { tr {
                    th scope="col" { (t("Attribute")) }
                    th.number scope="col" { (t("Moved")) }
                    th.meter scope="col" { span.hidden { (t("as a bar")) } }
                    th.number scope="col" { (t("Hellinger distance")) }
                    th.number scope="col" { (t("Shows nothing of it")) }
                    th.number scope="col" { (t("Mean before")) }
                    th.number scope="col" { (t("Mean after")) }
                } }
                tbody { @for moved in &distributions.attributes { tr {
                    th scope="row" { (moved.name) }
                    td.number data-of=(t("Moved")) { (share(moved.total_variation)) }
                    td.meter { (bar(moved.total_variation)) }
                    td.number data-of=(t("Hellinger distance")) { (fine(moved.hellinger)) }
                    td.number data-of=(t("Shows nothing of it")) { (percent(moved.hidden_share)) }
                    @for (side, name) in [t("Mean before"), t("Mean after")].into_iter().enumerate() { td.number data-of=(name) { @match &moved.numbers { Some(numbers) => (number(numbers.mean[side])), None => "–" } } }
                } } }
            } }
        }
    }
}

/// A share, of which rounding leaves nothing where nothing moved.
fn share(value: f64) -> String {
    percent(if value < 5e-5 { 0.0 } else { value })
}

fn pairs(associations: &Associations) -> Markup {
    html! {
        section aria-labelledby="pairs-heading" {
            h2 #pairs-heading { (t("Associations")) }
            p { (say!("How strongly two attributes go together, from 0 to 1 (Cramér's V); the largest changes first. The mean change is {}.", fine(associations.mean_shift))) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of pairs")) { table.stacked {
                thead { tr { th scope="col" { (t("Pair")) } th.number scope="col" { (t("Original")) } th.meter scope="col" { span.hidden { (t("as a bar")) } } th.number scope="col" { (t("Release")) } th.meter scope="col" { span.hidden { (t("as a bar")) } } } }
                tbody { @for pair in associations.pairs.iter().take(PAIRS) { tr {
                    th scope="row" { (say!("{} and {}", pair.attributes[0], pair.attributes[1])) }
                    @for (side, name) in [t("Original"), t("Release")].into_iter().enumerate() { td.number data-of=(name) { (fine(pair.cramers_v[side])) } td.meter { (bar(pair.cramers_v[side])) } }
                } } }
            } }
        }
    }
}

fn asked_of_both(queries: &Queries) -> Markup {
    html! {
        section aria-labelledby="queries-heading" {
            h2 #queries-heading { (t("Queries")) }
            p { (say!("{} counting queries asked of both tables. How far the release's answers are off:", queries.count)) }
            div.scroll tabindex="0" role="region" aria-label=(t("Table of queries")) { table.stacked {
                thead { tr { th scope="col" { (t("Records that the query counts")) } th.number scope="col" { (t("Queries")) } th.number scope="col" { (t("Off by, median")) } th.number scope="col" { (t("95 % are off by less than")) } } }
                tbody { @for kind in &queries.kinds { tr {
                    th scope="row" { (findings::query(&kind.kind)) }
                    td.number data-of=(t("Queries")) { (count(kind.queries as u64)) }
                    @for (name, error) in [(t("Off by, median"), kind.relative_error.median), (t("95 % are off by less than"), kind.relative_error.p95)] {
                        td.number data-of=(name) { @match error { Some(error) => (percent(error)), None => "–" } }
                    }
                } } }
            } }
        }
    }
}

/// Classifiers that learned from the release beside those that learned from the original.
fn learned(found: &Classifiers) -> Markup {
    html! {
        p { (say!("Each predicts {} ({} values) of {} original records: how often it is right. Always saying the most frequent value is right for {}.", html! { strong { (found.target) } }, found.classes, count(found.records as u64), percent(found.majority.accuracy))) }
        div.scroll tabindex="0" role="region" aria-label=(t("Table of classifiers")) { table.stacked {
            thead { tr { th scope="col" { (t("Classifier")) } th.number scope="col" { (t("Learned from other original records")) } th.number scope="col" { (t("From the same original records")) } th.number scope="col" { (t("From the release")) } th.meter scope="col" { span.hidden { (t("as a bar")) } } } }
            tbody { @for model in &found.models { tr {
                th scope="row" { (classifier(model.name)) }
                td.number data-of=(t("Learned from other original records")) { (percent(model.original.accuracy)) }
                td.number data-of=(t("From the same original records")) { (percent(model.original_seen.accuracy)) }
                td.number data-of=(t("From the release")) { (percent(model.released.accuracy)) }
                td.meter { (bar(model.released.accuracy)) }
            } } }
        } }
        p.note { (t("The release was made from the tested records, too: compare its column with the one before it.")) }
    }
}

/// A classifier's name as a statistician has it.
fn classifier(name: &str) -> String {
    const NAMES: [&str; 3] = [mark("logistic regression"), mark("random forest"), mark("naive bayes")];
    let words = name.replace('-', " ");
    if NAMES.contains(&words.as_str()) { t(&words).to_owned() } else { words }
}

fn of_classifiers(app: &App, project: &Project, asked: &Form) -> Markup {
    let targets: Vec<String> = project.recipe().map(|recipe| targets(&recipe)).unwrap_or_default();
    let found = classifiers(app, project, |found| match found {
        Ok(found) => learned(found),
        Err(mistake) => html! { div.alert role="alert" { (status::said(mistake)) } },
    });
    html! {
        section #classifiers aria-labelledby="classifiers-heading" {
            h2 #classifiers-heading { (t("Classifiers")) }
            @if found.is_none() {
                p { (t("Does what is learned from the release hold for the original? Logistic regression, random forest and naive Bayes try.")) }
            }
            form.inline hx-post="compare/classifiers" {
                label for="target" { (t("Predict")) }
                select #target name="target" {
                    @for target in &targets { option selected[asked.text("target") == target] { (target) } }
                }
                button #learn type="submit" { (t("Train them")) }
            }
            @if let Some(found) = found { (found) }
        }
    }
}

/// What can be predicted: attributes that are released as they are come first.
fn targets(recipe: &Recipe) -> Vec<String> {
    let released = |role: Role| matches!(role, Role::Sensitive | Role::Insensitive | Role::QuasiIdentifier);
    let mut all: Vec<_> = recipe.attributes.iter().filter(|(_, section)| released(section.role)).collect();
    all.sort_by_key(|(_, section)| (section.role == Role::QuasiIdentifier, section.role != Role::Sensitive));
    all.into_iter().map(|(name, _)| name.clone()).collect()
}

/// Records class by class: the released values beside the original ones.
fn side_by_side(trial: &Trial, project: &Project, asked: &Form) -> Markup {
    if !project.values {
        return html! {};
    }
    let Some(classes) = &trial.classes else {
        return html! { p.note { (t("Classes have values of their own: records are not shown side by side.")) } };
    };
    let first: usize = asked.text("part").parse().unwrap_or(0);
    html! {
        section #records aria-labelledby="records-heading" {
            h2 #records-heading { (t("Records, class by class")) }
            p { (say!("The first classes of the release, {} in all here. Both sides scroll together.", classes.len())) }
                div.sides {
                    (side(t("Original"), &[&trial.columns.0[..], &trial.columns.1].concat(), classes, first, original_rows))
                    (side(t("Release"), &trial.columns.0, classes, first, released_rows))
                }
                nav.pages aria-label=(t("Classes")) {
                    @if first > 0 { a href=(format!("compare?part={}#records", first.saturating_sub(CLASSES))) { (t("Earlier classes")) } }
                    @if first + CLASSES < classes.len() { a href=(format!("compare?part={}#records", first + CLASSES)) { (t("Later classes")) } }
                }
        }
    }
}

/// The rows of a class on one side: values, and of how many records.
type RowsOf = fn(&ClassRecords) -> Vec<(Vec<String>, u64)>;

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

fn side(name: &str, columns: &[String], classes: &[ClassRecords], first: usize, rows: RowsOf) -> Markup {
    html! {
        div.side data-together="records" tabindex="0" role="region" aria-label=(name) {
            table {
                caption { (name) }
                thead { tr {
                    th scope="col" { (t("Class")) }
                    @for column in columns { th scope="col" { (column) } }
                    th.number scope="col" { (t("Records")) }
                } }
                @for class in classes.iter().skip(first).take(CLASSES) {
                    tbody.class {
                        @for (values, records) in rows(class) {
                            tr { th scope="row" { (class.id) } @for value in &values { td { (value) } } td.number { (count(records)) } }
                        }
                        @if rows(class).len() < released_rows(class).len() { tr.none { td colspan=(columns.len() + 2) { (t("counterfeits, on the other side only")) } } }
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
    show(&app, &PAGE, &form)
}

async fn learn(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin_classifiers(&app, project, form.text("target"));
    }
    app.worker.idle_within(std::time::Duration::from_secs(1)).await;
    show(&app, &PAGE, &form)
}

async fn again(Shared(app): Shared<App>, form: Form) -> Response {
    if let Some(project) = locked(&app.project).as_ref() {
        begin(&app, project);
    }
    // What of it was shown follows its address.
    let page = form.text("page").split('?').next().unwrap_or_default();
    show(&app, PAGES.find(page).unwrap_or(&PAGE), &form)
}
