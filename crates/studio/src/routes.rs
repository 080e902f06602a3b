//! A studio, and the pages that it answers with, whoever asks for them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, get};
use tokio::sync::Semaphore;
use velamen_dp::Seed;

use crate::folder::Folders;
use crate::language::speak;
use crate::worker::Worker;
use crate::{App, Studio, StudioError, page};

/// A studio with nothing open.
///
/// # Errors
/// [`StudioError::Randomness`].
pub(crate) fn studio(folders: Folders, worker: Worker) -> Result<App, StudioError> {
    Ok(Arc::new(Studio {
        folders,
        project: Mutex::default(),
        fronts: Mutex::default(),
        trials: Mutex::default(),
        candidates: Mutex::default(),
        runs: Mutex::default(),
        worker,
        seed: Seed::fresh().map_err(|error| StudioError::Randomness(error.to_string()))?,
        columns: Mutex::default(),
        originals: Mutex::default(),
        finds: Mutex::default(),
        language: Mutex::default(),
        costs: Mutex::default(),
        over: AtomicBool::new(false),
        receiving: Semaphore::new(1),
    }))
}

/// The pages with what they load, in the language of the studio. Who may ask for them stands elsewhere.
pub(crate) fn pages(studio: &App) -> Router {
    let pages = page::routes().merge(files()).layer(from_fn_with_state(Arc::clone(studio), speak));
    pages.with_state(Arc::clone(studio))
}

/// Scripts and styles, as they were built in.
fn files() -> Router<App> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    Router::new()
        .route("/static/htmx.min.js", file(SCRIPT, include_str!("static/htmx.min.js")))
        .route("/static/studio.js", file(SCRIPT, include_str!("static/studio.js")))
        .route("/static/forms.js", file(SCRIPT, include_str!("static/forms.js")))
        .route("/static/drafts.js", file(SCRIPT, include_str!("static/drafts.js")))
        .route("/static/forms.css", file("text/css; charset=utf-8", include_str!("static/forms.css")))
        .route("/static/forest.css", file("text/css; charset=utf-8", velamen_report::forest::STYLE))
        .route("/static/icon.svg", file("image/svg+xml", include_str!("static/icon.svg")))
        .route("/static/studio.css", file("text/css; charset=utf-8", include_str!("static/studio.css")))
}

fn file(kind: &'static str, text: &'static str) -> MethodRouter<App> {
    get(move || async move { ([(header::CONTENT_TYPE, HeaderValue::from_static(kind))], text) })
}
