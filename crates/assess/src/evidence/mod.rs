//! Evidence: a form that a board or a regulator asks for, filled from checks of a release.
//!
//! A form is data (`form.rs`): items, and for each the cases in which a check answers it, in which it does not apply, or in
//! which it stays the custodian's to write. A figure (`pick.rs`) is a place in the answer of an operation or in a file of
//! the release, so that a command can be named that shows it again. Nothing else fills an item.

mod answers;
mod ask;
mod document;
mod facts;
mod fill;
mod filled;
mod form;
mod markdown;
mod name;
mod page;
mod pick;
mod source;
#[cfg(test)]
mod tests;
mod words;
mod write;

use std::path::Path;

use velamen_recipe::JobError;

use self::answers::Answers;
use self::facts::Facts;
use self::source::Sources;

pub use self::ask::{Asks, EvidenceRequest};
pub use self::filled::{Change, Counts, Evidence, Figure, Item, Section, Side, State};
pub use self::name::FormName;

/// Verifies a release and fills a form for it.
///
/// # Errors
/// [`JobError::promise`] of a release that is broken, and what reading and writing can give.
pub fn evidence(request: &EvidenceRequest, asks: &dyn Asks) -> Result<Evidence, JobError> {
    let target = write::Target::of(request)?;
    let (findings, unchecked) = verified(&request.release, asks)?;
    let sources = Sources::new(request, findings, asks)?;
    let facts = Facts::of(&sources);
    let written = request.answers.as_deref().map(|file| Answers::read(file, request.form)).transpose()?;
    let mut filled = fill::fill(request, &sources, &facts)?;
    // An operation that was stopped gave no figure, which is no answer to any item.
    asks.check()?;
    filled.remarks.extend(sources.without_original());
    if let (Some(file), Some(mut written)) = (&request.answers, written) {
        written.put_into(&mut filled);
        written.write(file, &filled)?;
    }
    filled.unchecked = unchecked;
    filled.count();
    filled.document = document::document(&filled, &request.release, &sources)?;
    target.map_or(Ok(()), |target| target.write(&filled))?;
    Ok(filled)
}

/// The findings of a release that is not broken, and what is said of those that were not checked.
fn verified(release: &Path, asks: &dyn Asks) -> Result<(serde_json::Value, Option<JobError>), JobError> {
    let (findings, concluded) = asks.ask("verify", serde_json::json!({ "release": release }))?;
    match concluded {
        // It stands in the form with its state.
        Err(error) if error.class() == velamen_recipe::Class::NotChecked => Ok((findings, Some(error))),
        Err(error) => Err(error),
        Ok(()) => Ok((findings, None)),
    }
}

/// The form as a page to print.
#[must_use]
pub fn html(evidence: &Evidence) -> String {
    page::html(evidence)
}

/// The form as Markdown.
#[must_use]
pub fn markdown(evidence: &Evidence) -> String {
    markdown::markdown(evidence)
}
