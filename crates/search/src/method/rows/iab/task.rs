//! What a search is asked for.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_core::lattice::Lattice;

use super::GREEDY_ROWS;
use crate::method::MethodError;

/// In which order tables are expanded, and when that ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowStrategy {
    /// Most rows first, until none is left that could win.
    Iab,
    /// Fewest violations first, until there are none.
    Greedy,
    /// All.
    Exhaustive,
}

/// What one generalization of an attribute changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// All its values.
    #[default]
    FullDomain,
    /// The values under one parent.
    Subtree,
}

/// ⟨shield, k⟩.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Quasi-identifiers, by position.
    pub shield: Vec<usize>,
    /// The least records of a combination of their values.
    pub k: u64,
}

/// A search and what is asked of its result.
#[derive(Debug, Clone, Copy)]
pub struct Iab<'a> {
    /// All must hold.
    pub requirements: &'a [Requirement],
    /// How tables are looked through.
    pub search: RowStrategy,
    /// What one step changes.
    pub reach: Reach,
    /// The most tables that are made; twice as many where greedy steps have to end the search.
    pub budget: u64,
    /// The most rows, summed over the tables that are made; three times as many where greedy steps have to end the search.
    pub most_rows: u64,
    /// The levels that attributes may have.
    pub lattice: &'a Lattice,
    /// Set from outside when the best so far will do.
    pub expired: Option<&'a AtomicBool>,
}

impl Iab<'_> {
    pub(super) fn is_expired(&self) -> bool {
        self.expired.is_some_and(|expired| expired.load(Ordering::Relaxed))
    }

    /// The most rows of tables that greedy steps make, with those before them.
    pub(super) fn most_greedy_rows(&self) -> u64 {
        self.most_rows.saturating_mul(GREEDY_ROWS)
    }

    /// The refusal where the budget ends before the search: it names what searches less than this.
    pub(super) fn out_of_budget(&self) -> MethodError {
        let cheaper = match (self.search, self.reach) {
            (RowStrategy::Greedy, Reach::FullDomain) => "",
            (RowStrategy::Exhaustive, Reach::FullDomain) => ", or search less with name = \"iab\"",
            (_, Reach::Subtree) => ", or search less with recoding = \"full-domain\"",
            (RowStrategy::Iab, Reach::FullDomain) => ", or search less with name = \"greedy\"",
        };
        let tables = thousands(self.budget);
        let rows = match (self.search, self.most_greedy_rows()) {
            (RowStrategy::Exhaustive, _) | (_, u64::MAX) => String::new(),
            (_, rows) => format!(" or {} rows of these together", thousands(rows)),
        };
        MethodError::OutOfBudget(
            Problem::new(format!("the search did not end within its budget of {tables} tables{rows}"))
                .mend(format!("raise budget-steps{cheaper}")),
        )
    }
}

/// The two figures of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowFigures {
    /// Distinct rows that violate a requirement.
    pub violations: usize,
    /// Distinct rows.
    pub rows: usize,
}

/// How the answer was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSearchCourse {
    /// The table as it was.
    pub start: RowFigures,
    /// The answer.
    pub answer: RowFigures,
    /// Generalizations from the one to the other.
    pub steps: u32,
    /// Tables that were made.
    pub generated: u64,
    /// Whether no table without violations can have more rows.
    pub proven: bool,
    /// Whether it was told to stop before its end.
    pub stopped: bool,
}

/// With a comma between thousands.
fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// The refusal of tables that do not fit in keys.
pub(super) fn too_wide() -> MethodError {
    MethodError::Unfit(
        Problem::new("the attributes need more than 1024 bits a record").mend("coarsen or drop some"),
    )
}
