//! Average class size (AECS).
//!
//! # Definition
//! N / (kept classes + 1 if anything is suppressed). Divided by k it is C_avg. Range 1 to N, lower is
//! better. N / (all classes) is monotone and bounds it from below.
//!
//! # References
//! LeFevre, DeWitt & Ramakrishnan 2006, "Mondrian multidimensional k-anonymity".

use velamen_core::lattice::Node;

use super::class_sizes::MostClasses;
use super::{Entry, Metric, Needs, Outcome, Score};

pub(super) const ENTRY: Entry = Entry {
    name: "average-class-size",
    summary: "records by class, all suppressed records being one",
    range: "1 and above, lower is better",
    words: "The mean number of records in a group.",
    needs_originals: false,
    more_is_better: false,
    aggregate: None,
    bind: |table, _| Box::new(AverageClassSize(MostClasses::new(table))),
    recoded: |of, _| {
        let classes = of.sizes().len() + usize::from(of.suppressed() > 0.0);
        Score::One(of.records() / classes.max(1) as f64)
    },
};

#[derive(Debug)]
struct AverageClassSize(MostClasses);

impl Metric for AverageClassSize {
    fn needs(&self) -> Needs {
        Needs::default()
    }

    fn bound(&self, node: &Node) -> Score {
        Score::One(self.0.records / self.0.at(node))
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        let classes = at.kept.sizes.len() + usize::from(!at.suppressed.sizes.is_empty());
        Score::One(self.0.records / classes.max(1) as f64)
    }

    fn learned(&self, at: &Outcome<'_>) -> Option<Score> {
        let classes = at.kept.sizes.len() + at.suppressed.sizes.len();
        Some(Score::One(self.0.records / classes.max(1) as f64))
    }
}
