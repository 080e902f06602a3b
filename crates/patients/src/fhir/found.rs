//! What was found in a file: a resource's text, and where it stands.

use std::path::Path;

use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::places::Within;

/// How addresses of resources that have no server begin.
pub(super) const UUID: &str = "urn:uuid:";

/// Where a resource stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) file: &'a Path,
    pub(super) within: Within,
}

impl Place<'_> {
    pub(super) fn refuse(&self, what: &str, problem: Problem) -> JobError {
        let place = format!("{}: {}{what}: ", self.file.display(), self.within);
        JobError::data(problem.after(&place))
    }
}

/// How many resources, or entries, are left out, and where the first stands.
#[derive(Default)]
pub(super) struct Left {
    pub(super) number: u64,
    pub(super) first: String,
}

impl Left {
    /// Counts one more.
    pub(super) fn count(&mut self, place: &Place<'_>) {
        if self.number == 0 {
            self.first = format!("{}: {}", place.file.display(), place.within);
        }
        self.number += 1;
    }

    /// What is said of resources of a kind, and why they are left out.
    pub(super) fn words(&self, kind: &str, why: &str) -> String {
        let are = if self.number == 1 { "a resource is" } else { &format!("{} resources are", self.number) };
        format!("table `{kind}`: {are} left out, {why}; the first is {}", self.first)
    }

    /// Counts those of a later file.
    pub(super) fn add(&mut self, other: Self) {
        let first = if self.number == 0 { other.first } else { std::mem::take(&mut self.first) };
        (self.number, self.first) = (self.number + other.number, first);
    }
}

/// A line, or an entry of a bundle: its place, its text and its full address.
pub(super) struct Found<'a> {
    pub(super) place: Place<'a>,
    pub(super) text: &'a str,
    pub(super) address: Option<String>,
}

impl Found<'_> {
    /// The UUID of its full address.
    pub(super) fn uuid(&self) -> Option<&str> {
        self.address.as_deref()?.strip_prefix(UUID)
    }

    /// The server of its full address.
    pub(super) fn server(&self, kind: &str) -> Option<&str> {
        let (before, _) = self.address.as_deref()?.rsplit_once('/')?;
        before.strip_suffix(kind)?.strip_suffix('/')
    }

    /// Refuses a full address on a server that ends in another id than the resource has: nobody could tell which one references
    /// mean.
    pub(super) fn check_address(&self, kind: &str, id: Option<&str>) -> Result<(), JobError> {
        let named = self.address.as_deref().and_then(|address| address.rsplit('/').next());
        if self.server(kind).is_none() || id.is_none() || named == id {
            return Ok(());
        }
        let problem = Problem::new("its full address ends in another id than the resource has");
        Err(self.place.refuse(&format!(", {kind}.id"), problem.expected("one id for both")))
    }
}
