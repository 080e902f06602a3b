//! Discernibility without penalty for suppression (DM*).
//!
//! # Definition
//! Σ c² over all classes, kept or suppressed. Range N to N², lower is better, monotone.
//!
//! # References
//! LeFevre, DeWitt & Ramakrishnan 2006, "Mondrian multidimensional k-anonymity" (C_DM).

use velamen_core::lattice::Node;

use super::class_sizes::{MostClasses, squares};
use super::{Entry, Metric, Needs, Outcome, Score};

pub(super) const ENTRY: Entry = Entry {
    name: "discernibility-star",
    summary: "sum of the squared class sizes, suppressed classes alike",
    range: "from the number of records, lower is better",
    words: "The squared group sizes, added up, suppressed groups alike.",
    needs_originals: false,
    more_is_better: false,
    aggregate: None,
    bind: |table, _| Box::new(DiscernibilityStar(MostClasses::new(table))),
    recoded: |of, _| Score::One(squares(&of.sizes()) + of.suppressed().powi(2)),
};

#[derive(Debug)]
struct DiscernibilityStar(MostClasses);

impl Metric for DiscernibilityStar {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// N² / classes, by the inequality of Cauchy and Schwarz.
    fn bound(&self, node: &Node) -> Score {
        Score::One(self.0.records.powi(2) / self.0.at(node))
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        Score::One(squares(&at.kept.sizes) + squares(&at.suppressed.sizes))
    }

    fn learned(&self, at: &Outcome<'_>) -> Option<Score> {
        Some(self.figure(at))
    }
}
