//! What is being done, how far it is, and what went wrong.

use axum::Router;
use axum::extract::State;
use axum::http::header::HeaderName;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use maud::{Markup, html};
use velamen_recipe::Mistake;
use velamen_report::language::{mark, say, t, text};

use super::{change, count};
use crate::App;
use crate::told;
use crate::worker::Status;

pub(super) fn routes() -> Router<App> {
    let router = Router::new().route("/status", get(status)).route("/revision", get(revision));
    let router = change(router, "/cancel", cancel);
    change(router, "/end", end)
}

/// The line under the steps: asked for again and again while something runs.
pub(super) fn view(app: &App, status: Option<&Status>) -> Markup {
    let failed = app.worker.failed();
    html! {
        div #status role="status" hx-get=[status.map(|_| "status")] hx-trigger=[status.map(|_| "load delay:300ms")]
            hx-target="#status" hx-select="#status" hx-swap="outerHTML" {
            @if let Some(status) = status {
                (doing(status))
            } @else if let Some((what, mistake)) = &failed {
                div.alert role="alert" { strong { (t(what)) ": " } (said(mistake)) }
            }
        }
    }
}

/// How far a task is, and the way to stop it. The line asks for itself until nothing runs, and then the page does: what is half
/// typed stays.
pub(super) fn doing(status: &Status) -> Markup {
    html! {
        span.busy aria-hidden="true" {}
        span {
            (t(status.what)) "… "
            @if !status.step.is_empty() { (step(status.step)) ", " }
            @if status.total > 0 { (say!("{} of {}", count(status.done), count(status.total))) ", " }
            (status.since.elapsed().as_secs()) " s"
        }
        @if status.total > 0 { progress max=(status.total) value=(status.done) aria-label=(t(status.what)) {} }
        @if status.stopping {
            strong #stopping { (t("Stopping: it ends once the step that runs is done. That can take a minute.")) }
        } @else {
            button #cancel type="button" hx-post="cancel" hx-target="#status" hx-select="#status" hx-swap="outerHTML" { (t("Stop")) }
        }
    }
}

/// The steps of the tasks that take long, as the terminal calls them.
const STEPS: [&str; 14] = [
    mark("candidates"),
    mark("classifiers"),
    mark("clustering"),
    mark("counting counterfeits"),
    mark("cutting"),
    mark("distributions"),
    mark("looking at columns"),
    mark("looking for people"),
    mark("measuring"),
    mark("queries"),
    mark("reading"),
    mark("searching"),
    mark("searching sets of attributes"),
    mark("writing"),
];

/// A step in the language that is spoken; what has no line is what the terminal says.
fn step(english: &str) -> &str {
    if STEPS.contains(&english) { t(english) } else { english }
}

/// What is said where another task took the place of one that was begun.
pub(super) fn behind(own: &str, what: &str) -> String {
    text!(
        "{}: the studio does one task at a time, and another page or window began \"{}\". It goes on by itself after that.",
        own,
        t(what)
    )
}

/// What was wrong with a change.
pub(super) fn alert(mistake: &Mistake) -> Markup {
    html! { div.alert role="alert" { (said(mistake)) } }
}

/// The mistake with its place.
pub(super) fn said(mistake: &Mistake) -> Markup {
    told::mistake(mistake)
}

/// Once nothing runs any more, the page asks for its content again.
async fn status(State(app): State<App>) -> Response {
    let status = app.worker.status();
    let body = Html(view(&app, status.as_ref()).into_string());
    match status {
        Some(_) => body.into_response(),
        None => ([(HeaderName::from_static("hx-trigger"), "settled")], body).into_response(),
    }
}

/// What is open, as a window compares it with what it shows: it may have been changed in another one.
async fn revision(State(app): State<App>) -> String {
    super::revision(&app)
}

/// Says at once that it stops: the step that runs can take a while.
async fn cancel(State(app): State<App>) -> Response {
    app.worker.cancel();
    status(State(app)).await
}

async fn end(State(app): State<App>) -> Response {
    app.worker.cancel();
    app.over.store(true, std::sync::atomic::Ordering::Relaxed);
    let page = html! {
        main.ended { h1 { (t("The studio has ended")) } p { (t("You can close this window. The private folder is gone.")) } }
    };
    Html(page.into_string()).into_response()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::opened::Open;

    #[test]
    fn what_is_stopped_says_so_at_once_and_a_failure_goes_once_it_was_seen() {
        let studio = Open::new(&[("t.csv", "age\n1\n2\n")]);
        let worker = &studio.app.worker;
        let ((go, wait), (began, begun)) = (channel(), channel());
        worker.put_firm("train", move |_, _| {
            began.send(()).unwrap();
            wait.recv().unwrap();
            Err(velamen_recipe::JobError::data("no"))
        });
        begun.recv().unwrap();
        assert!(!worker.status().unwrap().stopping);
        worker.cancel();
        let status = worker.status().unwrap();
        assert!(status.stopping && doing(&status).into_string().contains("id=\"stopping\""));
        go.send(()).unwrap();
        studio.settle();
        for (page, open, is_shown) in
            [("release", "1-0", true), ("release", "1-0", true), ("release", "1-1", false)]
        {
            worker.show_failure(page, open);
            assert_eq!(worker.failed().is_some(), is_shown, "{page}, {open}");
        }
    }
}
