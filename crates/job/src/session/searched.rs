//! What a method decided.

use std::borrow::Cow;
use std::sync::Arc;

use velamen_core::earlier::Earlier;
use velamen_core::frequency::{Counted, Counts, FrequencyTable};
use velamen_recipe::Resolved;
use velamen_search::method::Decision;

use super::persons::SetApart;
use crate::budget::Account;
use crate::table::OpenedTable;

/// A method's decision on a table. Nothing of it is written.
pub struct Searched<'a> {
    pub(super) recipe: &'a Resolved,
    pub(super) source: &'a OpenedTable,
    /// Without the person attribute.
    pub(super) table: Cow<'a, FrequencyTable>,
    /// What is counted of that table.
    pub(super) counts: Arc<Counts>,
    /// What of the release only the custodian's program sees.
    pub(super) apart: SetApart,
    pub(super) decision: Decision,
    pub(super) budget: Option<Account>,
    pub(super) warnings: Vec<String>,
    /// An earlier release of the table.
    pub(super) earlier: Option<&'a Earlier>,
}

impl Searched<'_> {
    /// The table with what is counted of it.
    pub(super) fn counted(&self) -> Counted<'_> {
        Counted::so_far(&self.table, &self.counts)
    }
}
