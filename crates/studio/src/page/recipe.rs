//! The recipe beside every page: what every click changes, to be read, copied and edited by hand.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use velamen_report::language::t;

use super::{PAGES, Page, change, changed, with_project};
use crate::App;
use crate::form::Form;
use crate::history::History;
use crate::project::Project;

pub(super) fn routes() -> Router<App> {
    let router = change(Router::new(), "/undo", undo);
    let router = change(router, "/redo", redo);
    change(router, "/recipe", write)
}

/// The recipe's text; lines that the last change made are marked.
pub(super) fn aside(project: &Project, vals: &str) -> Markup {
    let mistake = project.mistake();
    html! {
        aside #recipe aria-label=(t("Recipe")) {
            div.bar {
                h2 { (t("Recipe")) }
                button #copy type="button" data-copy="#recipe-text" data-copied=(t("Copied")) { (t("Copy")) }
            }
            @if let Some(mistake) = &mistake { (super::status::alert(mistake)) }
            pre #recipe-text tabindex="0" aria-label=(t("Text of the recipe")) {
                @for (line, new) in marked(project) {
                    @if new { mark { (coloured(line)) } "\n" } @else { (coloured(line)) "\n" }
                }
            }
            details #by-hand {
                summary { (t("Edit by hand")) }
                form hx-post="recipe" hx-vals=(vals) {
                    label for="recipe-edit" { (t("Text of the recipe, in TOML")) }
                    textarea #recipe-edit name="text" rows="24" spellcheck="false" autocomplete="off" { (project.text()) }
                    p.care.outdated hidden { (t("The recipe has changed since you began to type. Taking this text replaces that change.")) }
                    button type="submit" { (t("Take this text")) }
                }
            }
        }
    }
}

/// A line of TOML: comments are pale, headings stand out.
fn coloured(line: &str) -> Markup {
    html! {
        @if line.starts_with('#') { span.comment { (line) } }
        @else if line.starts_with('[') { strong { (line) } }
        @else { (line) }
    }
}

/// The lines, and whether each is new since the text before.
fn marked(project: &Project) -> Vec<(&str, bool)> {
    let before: std::collections::BTreeSet<&str> =
        project.history.before().map(|text| text.lines().collect()).unwrap_or_default();
    let is_new = |line: &str| !before.is_empty() && !line.trim().is_empty() && !before.contains(line);
    project.text().lines().map(|line| (line, is_new(line))).collect()
}

/// The page that a change was made on.
pub(super) fn page_of(form: &Form) -> &'static Page {
    PAGES.find(form.text("page")).unwrap_or(&super::open::PAGE)
}

async fn undo(State(app): State<App>, form: Form) -> Response {
    step(&app, &form, History::undo)
}

async fn redo(State(app): State<App>, form: Form) -> Response {
    step(&app, &form, History::redo)
}

fn step(app: &App, form: &Form, go: fn(&mut History)) -> Response {
    app.worker.forget_failure();
    let result = with_project(app, |project| {
        go(&mut project.history);
        Ok(())
    });
    changed(app, page_of(form), form, result)
}

async fn write(State(app): State<App>, form: Form) -> Response {
    // Forms send line ends as carriage return and line feed.
    let text = form.text("text").replace("\r\n", "\n");
    let result = with_project(&app, |project| project.replace(&app.folders, text));
    changed(&app, page_of(&form), &form, result)
}
