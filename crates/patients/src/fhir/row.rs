//! A resource as a row of its kind's table.

/// A row of a table, or a resource of a kind that is left out.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) kind: String,
    pub(super) cells: Vec<String>,
    /// The servers that its references name.
    pub(super) servers: Vec<String>,
}
