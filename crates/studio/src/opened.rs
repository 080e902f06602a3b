//! An opened studio without a browser, for tests of pages.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::State;
use axum::response::Response;

use crate::App;
use crate::folder::Folders;
use crate::form::Form;
use crate::page::{Change, Page, edit};
use crate::project::{Opened, open};
use crate::routes::studio;
use crate::worker::{Worker, locked};

/// A studio over a folder, with a recipe of it open.
pub(crate) struct Open {
    pub(crate) app: App,
    pub(crate) folder: tempfile::TempDir,
    _own: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Open {
    /// Writes the files and opens the last of them.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
        Self::of(&files)
    }

    /// The same of one file that is not UTF-8.
    pub(crate) fn with_bytes(name: &str, content: &[u8]) -> Self {
        Self::of(&[(name, content)])
    }

    fn of(files: &[(&str, &[u8])]) -> Self {
        let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        let folders = Folders::new(Some(folder.path()), own.path()).unwrap();
        let app = studio(folders, Worker::start(1).unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let opened = Self { app, folder, _own: own, runtime };
        let last = opened.app.folders.below(files.last().unwrap().0).unwrap();
        open(&opened.app, Opened::File(last));
        opened.settle();
        assert!(locked(&opened.app.project).is_some(), "{:?}", opened.app.worker.failed());
        opened
    }

    /// Waits until nothing runs.
    pub(crate) fn settle(&self) {
        self.runtime.block_on(self.app.worker.idle_within(Duration::from_secs(60)));
    }

    /// The page that a handler answers with.
    pub(crate) fn post<F: Future<Output = Response>>(
        &self,
        handler: impl Fn(State<App>, Form) -> F,
        form: &[(&str, &str)],
    ) -> String {
        let app = State(Arc::clone(&self.app));
        let response = self.runtime.block_on(handler(app, Form::with(form)));
        self.read(response)
    }

    /// The page after one of its changes.
    pub(crate) fn change(&self, page: &'static Page, change: Change, form: &[(&str, &str)]) -> String {
        let form = Form::with(form);
        self.read(edit(&self.app, page, &form, change(&self.app, &form)))
    }

    /// A page as it is shown.
    pub(crate) fn shown(&self, page: &'static Page) -> String {
        self.read(crate::page::show(&self.app, page, &Form::default()))
    }

    fn read(&self, response: Response) -> String {
        let body = self.runtime.block_on(to_bytes(response.into_body(), usize::MAX)).unwrap();
        String::from_utf8(body.to_vec()).unwrap()
    }

    /// The recipe's text.
    pub(crate) fn text(&self) -> String {
        locked(&self.app.project).as_ref().unwrap().text().to_owned()
    }

    pub(crate) fn undo(&self) {
        locked(&self.app.project).as_mut().unwrap().history.undo();
    }
}
