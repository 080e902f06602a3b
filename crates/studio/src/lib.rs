//! The studio: a page in the browser for one custodian, on this machine alone.
//!
//! Everything that is clicked is a change to the recipe, which is shown as text: the command line makes the same
//! release of it. [`serve`] listens on loopback, prints nothing itself, and ends when it is told to. What keeps others
//! out stands in `security.rs`; each page is one file in `page/`, and a program adds one of its own to [`PAGES`].
//!
//! One thread works on the table (`worker.rs`); the pages are functions of the open recipe and of what that thread
//! has found so far.
#![warn(missing_docs, unreachable_pub)]

#[cfg(feature = "server")]
mod browser;
mod candidate;
mod column;
#[cfg(feature = "server")]
mod connections;
mod cost;
mod difference;
mod edit;
mod evidence;
mod findings;
mod folder;
mod form;
mod front;
mod head;
mod history;
mod language;
mod levels;
mod local;
#[cfg(test)]
mod opened;
mod originals;
mod pack;
mod page;
mod project;
mod reasons;
mod routes;
mod rows;
mod run;
mod sample;
mod scatter;
mod schema;
#[cfg(feature = "server")]
mod security;
#[cfg(feature = "server")]
mod server;
mod shell;
mod streams;
mod told;
mod trial;
mod words;
mod worker;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use thiserror::Error;
use velamen_recipe::JobError;

#[cfg(feature = "server")]
pub use browser::{has_desktop, open as open_browser};
pub use edit::{Edit, at};
pub use form::Form;
pub use local::{Answer, Local, Question};
pub use page::{Change, PAGES, Page, View};
pub use project::Project;
#[cfg(feature = "server")]
pub use server::serve;

/// What the caller decides.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder whose files can be opened, and where recipes and releases go; `None` for the built-in sample.
    pub folder: Option<PathBuf>,
    /// How many threads work on the table; 0 for as many as there are cores.
    pub threads: usize,
}

/// Why the studio does not start or go on.
#[derive(Debug, Error)]
pub enum StudioError {
    /// No loopback address can be listened on.
    #[error("cannot listen on 127.0.0.1: {0}")]
    Listen(std::io::Error),
    /// The system gives no randomness.
    #[error("the system gives no randomness: {0}")]
    Randomness(String),
    /// No threads can be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
    /// The private folder cannot be made.
    #[error("cannot make a private folder: {0}")]
    Private(std::io::Error),
    /// The folder cannot be opened.
    #[error(transparent)]
    Folder(#[from] JobError),
}

impl From<StudioError> for JobError {
    fn from(error: StudioError) -> Self {
        match error {
            StudioError::Folder(error) => error,
            other => Self::unusable(other.to_string()),
        }
    }
}

/// What all pages share.
pub struct Studio {
    /// Where files may lie.
    pub(crate) folders: folder::Folders,
    /// What is open.
    pub(crate) project: Mutex<Option<project::Project>>,
    /// The fronts that were found last.
    pub(crate) fronts: Mutex<front::Fronts>,
    /// The last trial release.
    pub(crate) trials: Mutex<trial::Trials>,
    /// The releases to choose from that were made last.
    pub(crate) candidates: Mutex<candidate::Candidates>,
    /// What was estimated and made.
    pub(crate) runs: Mutex<run::Runs>,
    /// Who works on it.
    pub(crate) worker: worker::Worker,
    /// What looks and trials draw by where the recipe fixes no seed, so that they show the same; no release does.
    pub(crate) seed: velamen_dp::Seed,
    /// The columns that hierarchies are shown over.
    pub(crate) columns: Mutex<column::Columns>,
    /// The original records of the open table.
    pub(crate) originals: Mutex<originals::Originals>,
    /// What rows of the table were asked for by a value: no address has one.
    pub(crate) finds: Mutex<page::Finds>,
    /// The language of the pages; none until the first is asked for.
    pub(crate) language: Mutex<Option<velamen_report::language::Language>>,
    /// What promises cost.
    pub(crate) costs: Mutex<cost::Costs>,
    /// Set when the person closes the studio.
    pub(crate) over: AtomicBool,
    /// The only file that is being received.
    pub(crate) receiving: tokio::sync::Semaphore,
}

/// The studio, as routes have it.
pub type App = Arc<Studio>;
