//! What a method decided.

use std::borrow::Cow;

use velamen_core::earlier::Earlier;
use velamen_core::frequency::FrequencyTable;
use velamen_recipe::Resolved;
use velamen_search::method::Decision;

use crate::budget::Account;
use crate::table::Source;

/// A method's decision on a table. Nothing of it is written.
pub struct Searched<'a> {
    pub(super) recipe: &'a Resolved,
    pub(super) source: &'a Source,
    /// Without the person attribute.
    pub(super) table: Cow<'a, FrequencyTable>,
    pub(super) decision: Decision,
    pub(super) budget: Option<Account>,
    pub(super) warnings: Vec<String>,
    /// An earlier release of the table.
    pub(super) earlier: Option<&'a Earlier>,
}
