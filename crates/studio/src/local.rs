//! The studio without a server: a request is a call, and its answer what the call returns.
//!
//! A page of the browser that carries the program asks so. There is no cookie, no token and no check of hosts and origins: they
//! keep others from a server, and here is none. Nobody but the page that carries the program can call it.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;
use tower_service::Service as _;

use crate::folder::Folders;
use crate::page::progress;
use crate::routes::{pages, studio};
use crate::streams::streamed;
use crate::worker::{Report, Status, Worker, locked};
use crate::{App, StudioError};

/// How often it is said how far a task is.
const OFTEN: Duration = Duration::from_millis(100);

/// A request, but for its body.
#[derive(Debug, Clone, Deserialize)]
pub struct Question {
    /// `GET` or `POST`.
    pub method: String,
    /// The page, with what is asked of it, such as `/open?waited=yes`.
    pub address: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
}

/// An answer, but for its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
}

/// A studio that is asked by calls, over files in memory.
pub struct Local {
    app: App,
    pages: Router,
    runtime: Runtime,
}

impl Local {
    /// A studio over a folder, with another one for itself. While a task runs, `said` is given the line that says how far it is, as
    /// HTML.
    ///
    /// # Errors
    /// [`StudioError`] if a folder cannot be read, or the system gives no randomness.
    pub fn new(
        folder: &Path,
        own: &Path,
        said: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, StudioError> {
        let folders = Folders::in_memory(folder, own)?;
        let app = studio(folders, Worker::of_caller(reported(said)))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| StudioError::Threads(error.to_string()))?;
        Ok(Self { pages: pages(&app), app, runtime })
    }

    /// Answers a request with that body, and writes the answer's content. What it waits for is done before.
    ///
    /// # Errors
    /// If the request is none, or the content cannot be written.
    pub fn answer(
        &self,
        question: &Question,
        body: Option<File>,
        into: &mut dyn Write,
    ) -> io::Result<Answer> {
        let request = request(question, body).map_err(io::Error::other)?;
        self.runtime.block_on(async {
            // A router answers always.
            let response = self.pages.clone().call(request).await.unwrap_or_else(|never| match never {});
            let (head, body) = response.into_parts();
            let mut pieces = body.into_data_stream();
            while let Some(piece) = pieces.next().await {
                into.write_all(&piece.map_err(io::Error::other)?)?;
            }
            Ok(answer_of(head.status, &head.headers))
        })
    }

    /// Does what a page began and did not wait for.
    pub fn work(&self) {
        self.speaking(|| self.app.worker.work());
    }

    /// Leaves what waits as if the person had stopped it.
    pub fn stop(&self) {
        self.speaking(|| self.app.worker.work_stopped());
    }

    /// In the language of the pages.
    fn speaking(&self, work: impl FnOnce()) {
        let language = locked(&self.app.language).unwrap_or_default();
        velamen_report::language::speaking(language, work);
    }
}

/// Says how far a task is, from time to time.
fn reported(said: impl Fn(&str) + Send + Sync + 'static) -> Report {
    let last = Mutex::new(None);
    Arc::new(move |status: &Status| {
        if is_time(&last) {
            said(&progress(status));
        }
    })
}

/// Whether the last time was long enough ago; then this is the last.
fn is_time(last: &Mutex<Option<Instant>>) -> bool {
    let (mut last, now) = (locked(last), Instant::now());
    let is_time = last.is_none_or(|last| now.duration_since(last) >= OFTEN);
    if is_time {
        *last = Some(now);
    }
    is_time
}

fn request(question: &Question, body: Option<File>) -> Result<Request, axum::http::Error> {
    let builder = Request::builder().method(question.method.as_str()).uri(&question.address);
    let builder = question.headers.iter().fold(builder, |builder, (name, value)| builder.header(name, value));
    builder.body(body.map_or_else(Body::empty, streamed))
}

fn answer_of(status: StatusCode, headers: &HeaderMap) -> Answer {
    let header = |(name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    Answer { status: status.as_u16(), headers: headers.iter().filter_map(header).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Asked {
        local: Local,
        folder: tempfile::TempDir,
        _own: tempfile::TempDir,
    }

    impl Asked {
        fn new() -> Self {
            let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let local = Local::new(folder.path(), own.path(), |_| ()).unwrap();
            Self { local, folder, _own: own }
        }

        fn of(&self, method: &str, address: &str, body: &[u8]) -> (Answer, String) {
            let form = ("content-type".into(), "application/x-www-form-urlencoded".into());
            let question = Question { method: method.into(), address: address.into(), headers: vec![form] };
            let sent = self.folder.path().join(".sent");
            std::fs::write(&sent, body).unwrap();
            let mut content = Vec::new();
            let answer = self.local.answer(&question, Some(File::open(sent).unwrap()), &mut content).unwrap();
            (answer, String::from_utf8(content).unwrap())
        }
    }

    fn table() -> String {
        let row = |n: usize| format!("{},{}\n", 20 + n * 7 % 60, ["flu", "asthma", "stroke"][n * 5 % 7 % 3]);
        "age,diagnosis\n".to_owned() + &(0..300).map(row).collect::<String>()
    }

    #[test]
    fn a_table_that_is_dropped_is_open_when_the_call_returns() {
        let asked = Asked::new();
        let (answer, _) = asked.of("POST", "/open/drop?name=stays.csv", table().as_bytes());
        assert_eq!(answer.status, 204, "{answer:?}");
        assert!(answer.headers.contains(&("hx-redirect".into(), "guide".into())), "{answer:?}");
        assert!(asked.folder.path().join("stays.csv").exists(), "it lies beside the recipe");
        let (answer, page) = asked.of("GET", "/attributes", b"");
        assert!(answer.status == 200 && page.contains("Role of diagnosis"), "{page}");
    }

    #[test]
    fn what_a_page_begins_is_done_when_it_is_asked_for_or_left_as_stopped() {
        let asked = Asked::new();
        asked.of("POST", "/open/drop?name=stays.csv", table().as_bytes());
        asked.of("POST", "/attributes/role", b"name=diagnosis&role=sensitive");
        let (_, page) = asked.of("GET", "/explore", b"");
        assert!(page.contains("class=\"busy\""), "it is begun");
        asked.local.stop();
        let (_, page) = asked.of("GET", "/explore", b"");
        assert!(page.contains("You stopped the search"), "{page}");
        asked.of("POST", "/explore/again", b"");
        asked.local.work();
        let (_, page) = asked.of("GET", "/explore", b"");
        assert!(page.contains("id=\"release-1\""), "{page}");
    }

    #[test]
    fn a_release_leaves_as_a_zip_file() {
        let asked = Asked::new();
        asked.of("POST", "/open/drop?name=stays.csv", table().as_bytes());
        let (_, page) = asked.of("POST", "/release/run", b"");
        assert!(page.contains("id=\"made\""), "{page}");
        let question =
            Question { method: "GET".into(), address: "/packed?folder=release".into(), headers: Vec::new() };
        let mut content = Vec::new();
        assert_eq!(asked.local.answer(&question, None, &mut content).unwrap().status, 200);
        let mut archive = zip::ZipArchive::new(io::Cursor::new(content)).unwrap();
        let mut released = Vec::new();
        io::copy(&mut archive.by_name("stays-release/data.csv").unwrap(), &mut released).unwrap();
        assert_eq!(released, std::fs::read(asked.folder.path().join("stays-release/data.csv")).unwrap());
    }
}
