//! What a method decided.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use velamen_core::earlier::Earlier;
use velamen_core::frequency::{Counted, Counts, FrequencyTable};
use velamen_measure::risk::adversary::AdversaryFigures;
use velamen_recipe::Resolved;
use velamen_search::method::{Decision, Records};

use super::persons::SetApart;
use crate::budget::Account;
use crate::table::OpenedTable;

/// A method's decision on a table. Nothing of it is written.
pub struct Searched<'a> {
    pub(super) recipe: &'a Resolved,
    /// Its file, for messages.
    pub(super) path: &'a Path,
    pub(super) source: &'a OpenedTable,
    /// Without the person attribute.
    pub(super) table: Cow<'a, FrequencyTable>,
    /// What is counted of that table.
    pub(super) counts: Arc<Counts>,
    /// What of the release only the custodian's program sees.
    pub(super) apart: SetApart,
    pub(super) decision: Decision,
    /// What an adversary gets from its counterfeits, where they were judged.
    pub(super) judged: Option<AdversaryFigures>,
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

    /// Counts what the custodian is told of the records, then lets go of their values, where invented ones stand in for them:
    /// beside those they take as much memory again. A table that is lent stays as it is.
    pub(super) fn without_values(&mut self) {
        if !matches!(self.table, Cow::Owned(_)) || self.recipe.method.facts.records != Records::Invented {
            return;
        }
        let counted = self.counted();
        counted.count_marginals();
        let _ = counted.class_sizes();
        if let Cow::Owned(table) = &mut self.table {
            table.codes.iter_mut().for_each(|codes| *codes = Vec::new());
            table.rest_index = Vec::new();
        }
    }

    /// Whether the records' values are still there.
    pub(super) fn has_values(&self) -> bool {
        self.table.codes.iter().all(|codes| codes.len() == self.table.len())
    }
}
