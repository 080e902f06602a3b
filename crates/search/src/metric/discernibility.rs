//! Discernibility (DM).
//!
//! # Definition
//! Σ over kept classes c² + Σ over suppressed classes c·N. Range N to N², lower is better. Not
//! monotone where records are suppressed; Σ c² over all classes is, and bounds it from below.
//!
//! # References
//! Bayardo & Agrawal 2005, "Data privacy through optimal k-anonymization".

use velamen_core::lattice::Node;

use super::class_sizes::{MostClasses, squares};
use super::{Bag, Entry, Metric, Needs, Outcome, Score};

pub(super) const ENTRY: Entry = Entry {
    name: "discernibility",
    summary: "for each record, the number of records it cannot be distinguished from, all for a suppressed one",
    range: "from the number of records, lower is better",
    words: "For each record, the number of records it cannot be distinguished from, added up.",
    needs_originals: false,
    more_is_better: false,
    aggregate: None,
    bind: |table, _| Box::new(Discernibility(MostClasses::new(table))),
    recoded: |of, _| Score::One(squares(&of.sizes()) + of.suppressed() * of.records()),
};

#[derive(Debug)]
struct Discernibility(MostClasses);

impl Metric for Discernibility {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// N² / classes, by the inequality of Cauchy and Schwarz.
    fn bound(&self, node: &Node) -> Score {
        Score::One(self.0.records.powi(2) / self.0.at(node))
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        Score::One(squares(&at.kept.sizes) + at.suppressed.records() as f64 * self.0.records)
    }

    /// The records lost.
    fn carried(&self, _node: &Node, lost: &Bag) -> Option<Vec<f64>> {
        Some(vec![lost.records() as f64])
    }

    fn bound_with(&self, node: &Node, carried: &[f64]) -> Score {
        let lost = carried.first().copied().unwrap_or(0.0);
        // With two classes or more, what is lost never costs less than what is kept.
        let classes = self.0.at(node).max(2.0);
        Score::One(lost * self.0.records + (self.0.records - lost).powi(2) / classes)
    }

    fn learned(&self, at: &Outcome<'_>) -> Option<Score> {
        Some(Score::One(squares(&at.kept.sizes) + squares(&at.suppressed.sizes)))
    }
}
