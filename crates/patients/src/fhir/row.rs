//! A resource as a row of its kind's table.

use std::borrow::Cow;

use crate::humans::Human;

/// A row of a table, or a resource of a kind that is left out.
#[derive(Clone)]
pub(super) struct Row<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) cells: Vec<Cow<'a, str>>,
    /// The servers that its references name.
    pub(super) servers: Vec<String>,
    /// Whether it goes because it says that what it describes is not so.
    pub(super) is_denied: bool,
    /// Of a patient, what shows who it is.
    pub(super) human: Option<Human>,
}

impl<'a> Row<'a> {
    /// Of a resource that is left out.
    pub(super) const fn left(kind: Cow<'a, str>, servers: Vec<String>) -> Self {
        Self { kind, cells: Vec::new(), servers, is_denied: false, human: None }
    }

    /// Of one that is left out because it says that what it describes is not so.
    pub(super) const fn denied(kind: Cow<'a, str>, servers: Vec<String>) -> Self {
        Self { kind, cells: Vec::new(), servers, is_denied: true, human: None }
    }
}
