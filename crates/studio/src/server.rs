//! Listening, and what stands around every page.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use velamen_engine::Scratch;

use crate::connections;
use crate::folder::Folders;
use crate::project::{Opened, open};
use crate::routes::pages;
use crate::security::{Gate, guard};
use crate::worker::Worker;
use crate::{App, Options, Studio, StudioError, page, routes};

/// The most requests of the owner that are answered at a time.
const REQUESTS: usize = 32;

/// How often the wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// How long open requests may take to end after that.
const GRACE: Duration = Duration::from_secs(2);

/// Serves the studio until `cancel` is set or the person closes it. `ready` gets the link to print, which works once.
///
/// Whatever was kept in memory and in the private folder is gone afterwards; two studios do not know each other.
///
/// # Errors
/// [`StudioError`] if the folder cannot be opened, or no port can be listened on.
pub fn serve(options: &Options, cancel: &AtomicBool, ready: impl FnOnce(&str)) -> Result<(), StudioError> {
    let private = Scratch::new("velamen-studio-").map_err(StudioError::Private)?;
    let folders = Folders::new(options.folder.as_deref(), private.path())?;
    let studio = routes::studio(folders, Worker::start(options.threads)?)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| StudioError::Threads(error.to_string()))?;
    let served = runtime.block_on(async {
        // A port of the system's choice, on this machine's own address and no other.
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(StudioError::Listen)?;
        let port = listener.local_addr().map_err(StudioError::Listen)?.port();
        let gate = Arc::new(Gate::new(port, page::landing(options.folder.is_some()))?);
        if options.folder.is_none() {
            open(&studio, Opened::Sample);
        }
        ready(&gate.link());
        let router = router(&studio, &gate);
        tokio::select! {
            () = connections::serve(listener, router) => Ok(()),
            () = ended(&studio, cancel) => Ok(()),
        }
    });
    runtime.shutdown_timeout(GRACE);
    studio.worker.close();
    served
}

/// Waits until somebody wants the studio to end.
async fn ended(studio: &Studio, cancel: &AtomicBool) {
    while !cancel.load(Ordering::Relaxed) && !studio.over.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
    // The page that says so is still to be sent.
    tokio::time::sleep(LOOK).await;
}

fn router(studio: &App, gate: &Arc<Gate>) -> Router {
    let requests = Arc::new(Semaphore::new(REQUESTS));
    let bounded = move |request: Request, next: Next| {
        let requests = Arc::clone(&requests);
        async move {
            match requests.try_acquire() {
                Ok(_permit) => next.run(request).await,
                Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "Too many requests at a time.\n").into_response(),
            }
        }
    };
    Router::new()
        .nest(gate.path(), pages(studio))
        .fallback(|| async { (StatusCode::NOT_FOUND, "There is no such page.\n") })
        .layer(from_fn(bounded))
        // Before anything is counted: others' requests take no place of the owner's.
        .layer(from_fn_with_state(Arc::clone(gate), guard))
}
