//! The pages: one file each, and a line in [`PAGES`]. All lie on one level, so that every link is a word.
//!
//! A change is posted to `PAGE/CHANGE` and answered with the whole page, of which the browser takes what is below
//! `#app`: what was focused keeps the focus, since every field has an id.

mod advice;
mod analyses;
mod attributes;
mod bars;
mod compare;
mod entry;
mod explore;
mod findings;
mod guide;
mod hierarchies;
mod language;
mod linked;
mod made;
mod methods;
mod open;
mod promises;
mod recipe;
mod release;
mod risk;
mod sections;
mod status;
mod table;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::post;
use maud::{DOCTYPE, Markup, html};
use velamen_core::registry::Registry;
use velamen_recipe::{JobError, Mistake};
use velamen_report::language::{say, spoken, t};
pub(crate) use velamen_report::number::{count, fixed, number, percent};

pub use entry::{Change, Page, View};
use entry::{Shows, in_order};
pub(crate) use table::Finds;

use crate::App;
use crate::edit::Edit;
use crate::form::Form;
use crate::project::Project;
use crate::worker::{Status, locked};

/// What htmx may do: ask this server for pages. It runs no text as code, adds no styles and keeps no pages.
const HTMX: &str = r#"{"allowEval":false,"includeIndicatorStyles":false,"selfRequestsOnly":true,"historyEnabled":false,"historyCacheSize":0,"allowScriptTags":false,"defaultSettleDelay":0}"#;

/// The header of ours that every request of a page has.
const HEADERS: &str = r#"{"X-Velamen-Studio":"1"}"#;

/// How often a page is made anew because what it began is done already.
const MOST_LOOKS: usize = 4;

/// The pages. Routes, the steps and titles come from here.
pub static PAGES: Registry<Page> = Registry::new(&[
    open::PAGE,
    linked::PAGE,
    attributes::PAGE,
    guide::PAGE,
    hierarchies::PAGE,
    promises::PAGE,
    explore::PAGE,
    table::PAGE,
    compare::PAGE,
    analyses::PAGE,
    advice::PAGE,
    risk::PAGE,
    release::PAGE,
]);

/// All routes: those of the pages, and those of what stands beside every page.
pub(crate) fn routes() -> Router<App> {
    let beside = recipe::routes().merge(status::routes()).merge(language::routes());
    PAGES.iter().fold(beside, |router, page| router.merge(page.router()))
}

/// The page that a studio begins with: a folder's files, or what can be made of the sample.
#[cfg(feature = "server")]
pub(crate) fn landing(has_folder: bool) -> &'static str {
    if has_folder { open::PAGE.path } else { explore::PAGE.path }
}

/// How far a task is, as the line under the steps says it.
pub(crate) fn progress(status: &Status) -> String {
    status::doing(status).into_string()
}

/// What a page shows; `asked` are the fields of its address.
fn content(app: &App, page: &Page, asked: &Form) -> Markup {
    let open = locked(&app.project);
    match (page.shows, open.as_ref()) {
        (Shows::Always(view), project) => view(app, project),
        (Shows::Recipe(_), Some(project)) if !page.is_step(project.is_linked()) => of_another_kind(project),
        (Shows::Recipe(view), Some(project)) => view(app, project, asked),
        (Shows::Recipe(_), None) => nothing_open(),
    }
}

/// A route for a change.
pub(crate) fn change<H, T>(router: Router<App>, path: &str, handler: H) -> Router<App>
where
    H: axum::handler::Handler<T, App>,
    T: 'static,
{
    router.route(path, post(handler))
}

/// The page.
pub(crate) fn show(app: &App, page: &'static Page, asked: &Form) -> Response {
    // The page that waited for its table goes on by itself, once.
    let waited = page.is_always() && !asked.text("waited").is_empty();
    if waited && locked(&app.project).as_mut().is_some_and(|project| std::mem::take(&mut project.arrived)) {
        return go_on(app, page);
    }
    written_out(app, page, asked, None)
}

/// The page after a change, or with what was wrong with it.
pub(crate) fn changed(
    app: &App,
    page: &'static Page,
    asked: &Form,
    result: Result<(), JobError>,
) -> Response {
    written_out(app, page, asked, result.err())
}

/// Makes changes to the open recipe, and shows the page.
pub(crate) fn edit(
    app: &App,
    page: &'static Page,
    asked: &Form,
    edits: Result<Vec<Edit>, JobError>,
) -> Response {
    let result = edits.and_then(|edits| with_project(app, |project| project.change(&app.folders, &edits)));
    changed(app, page, asked, result)
}

/// Some work on what is open.
///
/// # Errors
/// [`JobError::usage`] if nothing is; those of the work.
pub(crate) fn with_project<T>(
    app: &App,
    work: impl FnOnce(&mut Project) -> Result<T, JobError>,
) -> Result<T, JobError> {
    let nothing = || JobError::usage("nothing is open").mend("choose a table first");
    work(locked(&app.project).as_mut().ok_or_else(nothing)?)
}

/// The content, and what is being done for it. What a page began and is done already is in it: nobody would tell the page.
fn shown(app: &App, page: &'static Page, asked: &Form) -> (Markup, Option<Status>) {
    let mut began = app.worker.begun();
    for _ in 0..MOST_LOOKS {
        let content = content(app, page, asked);
        let (doing, begun) = (app.worker.status(), app.worker.begun());
        if doing.is_some() || begun == began {
            return (content, doing);
        }
        began = begun;
    }
    (content(app, page, asked), app.worker.status())
}

/// What is open and how often it changed; nothing where nothing is.
fn revision(app: &App) -> String {
    locked(&app.project).as_ref().map(Project::revision).unwrap_or_default()
}

fn written_out(app: &App, page: &'static Page, asked: &Form, mistake: Option<Mistake>) -> Response {
    // Before the content: a change meanwhile is one that the window still has to learn of.
    let revision = revision(app);
    let (content, doing) = shown(app, page, asked);
    app.worker.show_failure(page.path, &revision);
    let open = locked(&app.project);
    let project = open.as_ref();
    // What the content says in its place is not said twice.
    let said = project.zip(page.says).and_then(|(project, says)| says(app, project, asked));
    let alert = mistake.as_ref().filter(|mistake| said.as_deref() != Some(&*mistake.message()));
    let markup = html! {
        (DOCTYPE)
        html lang=(spoken().code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="htmx-config" content=(HTMX);
                title { (say!("{} · Velamen studio", t(page.title))) }
                link rel="stylesheet" href="static/studio.css";
                link rel="stylesheet" href="static/forms.css";
                link rel="stylesheet" href="static/forest.css";
                link rel="icon" href="static/icon.svg" type="image/svg+xml";
                script src="static/htmx.min.js" defer {}
                script type="module" src="static/studio.js" {}
                script type="module" src="static/forms.js" {}
                script type="module" src="static/drafts.js" {}
            }
            body hx-headers=(HEADERS) hx-target="#app" hx-select="#app" hx-swap="outerHTML show:none" {
                a.skip href="#main" { (t("Skip to the page")) }
                div #app data-revision=(revision) {
                    (header_of(project, &vals(page, asked)))
                    (steps(app, page, project))
                    (status::view(app, doing.as_ref()))
                    // Beside the page and not around it: what is inside would inherit what it asks for.
                    div hx-get=(again(page, asked)) hx-trigger="settled from:body" {}
                    div hx-get=(address(page, asked)) hx-trigger="elsewhere from:body" {}
                    div.columns {
                        main #main tabindex="-1" {
                            @if let Some(mistake) = alert { (status::alert(mistake)) }
                            (content)
                            @if let Some(project) = project { (onward(app, page, project)) }
                        }
                        @if let Some(project) = project { (recipe::aside(app, project, &vals(page, asked))) }
                    }
                }
            }
        }
    };
    Html(markup.into_string()).into_response()
}

/// The page's own address, with what was asked of it.
fn address(page: &Page, asked: &Form) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(kept(page, asked));
    let query = query.finish();
    if query.is_empty() { page.path.to_owned() } else { format!("{}?{query}", page.path) }
}

/// The same, once what the page waited for is there.
fn again(page: &Page, asked: &Form) -> String {
    if page.is_always() { format!("{}?waited=yes", page.path) } else { address(page, asked) }
}

/// The fields that say which part of the page is shown.
fn kept<'f>(page: &Page, asked: &'f Form) -> impl Iterator<Item = (&'f str, &'f str)> {
    let keeps = page.keeps;
    asked.fields().filter(move |(name, _)| keeps.contains(name))
}

/// The page and what is shown of it, for changes that all pages have.
fn vals(page: &Page, asked: &Form) -> String {
    let all: serde_json::Map<String, serde_json::Value> = [("page", page.path)]
        .into_iter()
        .chain(kept(page, asked))
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    serde_json::Value::from(all).to_string()
}

/// The records of the table; those that a row filter leaves are counted only once they are read.
fn records_of(project: &Project, records: u64) -> Markup {
    match project.recipe().is_ok_and(|recipe| !recipe.kept.is_empty()) {
        true => say!("{} records before the row filter", count(records)),
        false => say!("{} records", count(records)),
    }
}

fn header_of(project: Option<&Project>, vals: &str) -> Markup {
    let can =
        |yes: fn(&crate::history::History) -> bool| project.is_some_and(|project| yes(&project.history));
    html! {
        header.top {
            p.brand { "Velamen " span { "studio" } }
            @if let Some(project) = project {
                p.opened {
                    (project.title)
                    @if let Some(profile) = &project.profile { " · " (records_of(project, profile.records)) }
                    @if let Some(persons) = project.persons { " · " (say!("{} persons", count(persons))) }
                }
            }
            div.tools {
                (language::switch(vals))
                button #undo type="button" hx-post="undo" hx-vals=(vals) disabled[!can(crate::history::History::can_undo)]
                    aria-keyshortcuts="Control+Z" title=(t("Undo (Ctrl+Z)")) { (t("Undo")) }
                button #redo type="button" hx-post="redo" hx-vals=(vals) disabled[!can(crate::history::History::can_redo)]
                    aria-keyshortcuts="Control+Shift+Z" title=(t("Redo (Ctrl+Shift+Z)")) { (t("Redo")) }
                button #end type="button" hx-post="end" hx-target="body" hx-select="unset" hx-swap="innerHTML"
                    hx-confirm=(t("End the studio? What was not saved or released is lost.")) { (t("End")) }
            }
        }
    }
}

/// Where a step leads: to the table as it was looked at last, to other pages as they begin.
fn way(app: &App, page: &Page, project: Option<&Project>) -> String {
    let last = project.filter(|_| page.path == table::PAGE.path);
    last.and_then(|project| locked(&app.finds).last(project.number)).unwrap_or_else(|| page.path.to_owned())
}

fn steps(app: &App, current: &Page, project: Option<&Project>) -> Markup {
    let (open, is_linked) = (project.is_some(), project.is_some_and(Project::is_linked));
    html! {
        nav.steps aria-label=(t("Steps")) {
            ol {
                @for page in in_order(PAGES.iter()).into_iter().filter(|page| page.is_step(is_linked)) {
                    li {
                        @if open || page.is_always() {
                            a href=(way(app, page, project)) aria-current=[(page.path == current.path).then_some("page")] { (t(page.title)) }
                        } @else {
                            span.off { (t(page.title)) }
                        }
                    }
                }
            }
        }
    }
}

/// The way to the step that follows.
fn onward(app: &App, page: &Page, project: &Project) -> Markup {
    html! {
        @if let Some(next) = next(page, project.is_linked()) {
            p.onward { a.button href=(way(app, next, Some(project))) { (say!("Next: {}", t(next.title))) span aria-hidden="true" { " →" } } }
        }
    }
}

/// The step that follows.
fn next(page: &Page, is_linked: bool) -> Option<&'static Page> {
    let steps = in_order(PAGES.iter()).into_iter();
    steps.skip_while(|other| other.path != page.path).skip(1).find(|page| page.is_step(is_linked))
}

/// What stands on the page of another kind of recipe.
fn of_another_kind(project: &Project) -> Markup {
    let page = next(&open::PAGE, project.is_linked());
    html! {
        h1 { (project.title) }
        p { (t("This page is about another kind of recipe.")) " "
            @if let Some(page) = page { a href=(page.path) { (say!("Go on to {}", t(page.title))) } "." }
        }
    }
}

fn nothing_open() -> Markup {
    html! {
        h1 { (t("Nothing is open yet")) }
        p { (say!("{} first. If one is being read, this page follows by itself.", html! { a href="open" { (t("Choose a table")) } })) }
    }
}

/// The name of a plain value, as recipes write it.
pub(crate) fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Sends the browser to the step that follows, or to the page itself if it is the last. A recipe that is there already, and a
/// table that does not read yet, need no guide.
pub(crate) fn go_on(app: &App, page: &Page) -> Response {
    let open = locked(&app.project);
    let is_linked = open.as_ref().is_some_and(Project::is_linked);
    let follows = next(page, is_linked).unwrap_or(page);
    let is_guided = follows.path != guide::PAGE.path || open.as_ref().is_some_and(Project::is_new);
    let path = if is_guided { follows.path } else { attributes::PAGE.path };
    (StatusCode::NO_CONTENT, [(header::HeaderName::from_static("hx-redirect"), path)]).into_response()
}
