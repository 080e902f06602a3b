//! The pages: one file each. All lie on one level, so that every link is a word.
//!
//! A change is posted to `PAGE/CHANGE` and answered with the whole page, of which the browser takes what is below
//! `#app`: what was focused keeps the focus, since every field has an id.

mod attributes;
mod bars;
mod compare;
mod explore;
mod hierarchies;
mod open;
mod promises;
mod recipe;
mod release;
mod risk;
mod status;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use maud::{DOCTYPE, Markup, html};
pub(crate) use velamen_core::number::{count, number, percent};
use velamen_recipe::{JobError, Mistake};

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

/// The pages, in the order of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Open,
    Attributes,
    Hierarchies,
    Promises,
    Explore,
    Compare,
    Risk,
    Release,
}

impl Step {
    const ALL: [Self; 8] = [
        Self::Open,
        Self::Attributes,
        Self::Hierarchies,
        Self::Promises,
        Self::Explore,
        Self::Compare,
        Self::Risk,
        Self::Release,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Open => "Open",
            Self::Attributes => "Attributes",
            Self::Hierarchies => "Hierarchies",
            Self::Promises => "Promises",
            Self::Explore => "Explore",
            Self::Compare => "Compare",
            Self::Risk => "Risk",
            Self::Release => "Release",
        }
    }

    /// Where it lies, as links write it.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Attributes => "attributes",
            Self::Hierarchies => "hierarchies",
            Self::Promises => "promises",
            Self::Explore => "explore",
            Self::Compare => "compare",
            Self::Risk => "risk",
            Self::Release => "release",
        }
    }

    /// What it shows; `asked` are the fields of its address.
    fn content(self, app: &App, asked: &Form) -> Markup {
        let open = locked(&app.project);
        match (self, open.as_ref()) {
            (Self::Open, project) => open::view(app, project),
            (_, None) => nothing_open(),
            (Self::Attributes, Some(project)) => attributes::view(app, project),
            (Self::Hierarchies, Some(project)) => hierarchies::view(app, project, asked),
            (Self::Promises, Some(project)) => promises::view(app, project, asked),
            (Self::Explore, Some(project)) => explore::view(app, project, asked),
            (Self::Compare, Some(project)) => compare::view(app, project, asked),
            (Self::Risk, Some(project)) => risk::view(app, project, asked),
            (Self::Release, Some(project)) => release::view(app, project, asked),
        }
    }
}

/// All routes; each page adds those of its changes.
pub(crate) fn routes() -> Router<App> {
    let shown = Step::ALL.into_iter().fold(Router::new(), |router, step| {
        let handler =
            move |state: axum::extract::State<App>, asked: Form| async move { show(&state.0, step, &asked) };
        router.route(&format!("/{}", step.path()), get(handler))
    });
    shown
        .merge(open::routes())
        .merge(attributes::routes())
        .merge(hierarchies::routes())
        .merge(promises::routes())
        .merge(explore::routes())
        .merge(compare::routes())
        .merge(risk::routes())
        .merge(release::routes())
        .merge(recipe::routes())
        .merge(status::routes())
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
pub(crate) fn show(app: &App, step: Step, asked: &Form) -> Response {
    // The page that waited for its table goes on by itself, once.
    let waited = step == Step::Open && !asked.text("waited").is_empty();
    if waited && locked(&app.project).as_mut().is_some_and(|project| std::mem::take(&mut project.arrived)) {
        return go(Step::Attributes);
    }
    page(app, step, asked, None)
}

/// The page after a change, or with what was wrong with it.
pub(crate) fn changed(app: &App, step: Step, asked: &Form, result: Result<(), JobError>) -> Response {
    page(app, step, asked, result.err().map(|error| error.to_data()))
}

/// Makes changes to the open recipe, and shows the page.
pub(crate) fn edit(app: &App, step: Step, asked: &Form, edits: Result<Vec<Edit>, JobError>) -> Response {
    let result = edits.and_then(|edits| with_project(app, |project| project.change(&app.folders, &edits)));
    changed(app, step, asked, result)
}

/// Some work on what is open.
///
/// # Errors
/// [`JobError::Usage`] if nothing is; those of the work.
pub(crate) fn with_project<T>(
    app: &App,
    work: impl FnOnce(&mut Project) -> Result<T, JobError>,
) -> Result<T, JobError> {
    let nothing = || JobError::Usage("nothing is open: choose a table first".into());
    work(locked(&app.project).as_mut().ok_or_else(nothing)?)
}

/// The content, and what is being done for it. What a page began and is done already is in it: nobody would tell the page.
fn shown(app: &App, step: Step, asked: &Form) -> (Markup, Option<Status>) {
    let mut began = app.worker.begun();
    for _ in 0..MOST_LOOKS {
        let content = step.content(app, asked);
        let (doing, begun) = (app.worker.status(), app.worker.begun());
        if doing.is_some() || begun == began {
            return (content, doing);
        }
        began = begun;
    }
    (step.content(app, asked), app.worker.status())
}

/// What is open and how often it changed; nothing where nothing is.
fn revision(app: &App) -> String {
    locked(&app.project).as_ref().map(Project::revision).unwrap_or_default()
}

fn page(app: &App, step: Step, asked: &Form, mistake: Option<Mistake>) -> Response {
    // Before the content: a change meanwhile is one that the window still has to learn of.
    let revision = revision(app);
    let (content, doing) = shown(app, step, asked);
    // What the content says in its place is not said twice.
    let alert = mistake.as_ref().filter(|mistake| !content.0.contains(&status::said(mistake).0));
    let open = locked(&app.project);
    let project = open.as_ref();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="htmx-config" content=(HTMX);
                title { (step.name()) " · Velamen studio" }
                link rel="stylesheet" href="static/studio.css";
                link rel="stylesheet" href="static/forms.css";
                link rel="icon" href="static/icon.svg" type="image/svg+xml";
                script src="static/htmx.min.js" defer {}
                script type="module" src="static/studio.js" {}
                script type="module" src="static/forms.js" {}
                script type="module" src="static/drafts.js" {}
            }
            body hx-headers=(HEADERS) hx-target="#app" hx-select="#app" hx-swap="outerHTML show:none" {
                a.skip href="#main" { "Skip to the page" }
                div #app data-revision=(revision) {
                    (header_of(project, &vals(step, asked)))
                    (steps(step, project.is_some()))
                    (status::view(app, doing.as_ref()))
                    // Beside the page and not around it: what is inside would inherit what it asks for.
                    div hx-get=(again(step, asked)) hx-trigger="settled from:body" {}
                    div hx-get=(address(step, asked)) hx-trigger="elsewhere from:body" {}
                    div.columns {
                        main #main tabindex="-1" {
                            @if let Some(mistake) = alert { (status::alert(mistake)) }
                            (content)
                            @if project.is_some() { (onward(step)) }
                        }
                        @if let Some(project) = project { (recipe::aside(project, &vals(step, asked))) }
                    }
                }
            }
        }
    };
    Html(page.into_string()).into_response()
}

/// The page's own address, with what was asked of it.
fn address(step: Step, asked: &Form) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(asked.fields().filter(|(name, _)| KEPT.contains(name)));
    let query = query.finish();
    if query.is_empty() { step.path().to_owned() } else { format!("{}?{query}", step.path()) }
}

/// The same, once what the page waited for is there.
fn again(step: Step, asked: &Form) -> String {
    if step == Step::Open { "open?waited=yes".into() } else { address(step, asked) }
}

/// The fields of an address that say which part of a page is shown. None of them holds a cell value.
const KEPT: [&str; 8] = ["attribute", "part", "sort", "most-risk", "most-changed", "a", "b", "levels"];

/// The page and what is shown of it, for changes that all pages have.
fn vals(step: Step, asked: &Form) -> String {
    let kept = asked.fields().filter(|(name, _)| KEPT.contains(name));
    let all: serde_json::Map<String, serde_json::Value> = [("page", step.path())]
        .into_iter()
        .chain(kept)
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    serde_json::Value::from(all).to_string()
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
                    @if let Some(profile) = &project.profile { " · " (count(profile.records)) " records" }
                }
            }
            div.tools {
                button #undo type="button" hx-post="undo" hx-vals=(vals) disabled[!can(crate::history::History::can_undo)]
                    aria-keyshortcuts="Control+Z" title="Undo (Ctrl+Z)" { "Undo" }
                button #redo type="button" hx-post="redo" hx-vals=(vals) disabled[!can(crate::history::History::can_redo)]
                    aria-keyshortcuts="Control+Shift+Z" title="Redo (Ctrl+Shift+Z)" { "Redo" }
                button #end type="button" hx-post="end" hx-target="body" hx-select="unset" hx-swap="innerHTML"
                    hx-confirm="End the studio? What was not saved or released is lost." { "End" }
            }
        }
    }
}

fn steps(current: Step, open: bool) -> Markup {
    html! {
        nav.steps aria-label="Steps" {
            ol {
                @for step in Step::ALL {
                    li {
                        @if open || step == Step::Open {
                            a href=(step.path()) aria-current=[(step == current).then_some("page")] { (step.name()) }
                        } @else {
                            span.off { (step.name()) }
                        }
                    }
                }
            }
        }
    }
}

/// The way to the step that follows.
fn onward(step: Step) -> Markup {
    let next = Step::ALL.into_iter().skip_while(|other| *other != step).nth(1);
    html! {
        @if let Some(next) = next {
            p.onward { a.button href=(next.path()) { "Next: " (next.name()) span aria-hidden="true" { " →" } } }
        }
    }
}

fn nothing_open() -> Markup {
    html! {
        h1 { "Nothing is open yet" }
        p { a href="open" { "Choose a table" } " first. If one is being read, this page follows by itself." }
    }
}

/// The name of a plain value, as recipes write it.
pub(crate) fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Sends the browser to another page.
pub(crate) fn go(step: Step) -> Response {
    (StatusCode::NO_CONTENT, [(header::HeaderName::from_static("hx-redirect"), step.path())]).into_response()
}
