//! A resource as a row of its kind's table.

use std::borrow::Cow;

/// A row of a table, or a resource of a kind that is left out.
#[derive(Clone)]
pub(super) struct Row<'a> {
    pub(super) kind: Cow<'a, str>,
    pub(super) cells: Vec<Cow<'a, str>>,
    /// The servers that its references name.
    pub(super) servers: Vec<String>,
}
