//! Rows retained.
//!
//! # Definition
//! How many distinct tuples the release has, over all released attributes; suppressed records count
//! with `*` in every quasi-identifier. Range 1 to the distinct tuples of the original, more is
//! better, monotone.
//!
//! # References
//! Arca & Hewett 2021, "Analytics on anonymity for privacy retention in smart health data".

use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::recoding::Member;

use super::{Entry, Metric, Needs, Outcome, Score};

pub(super) const ENTRY: Entry = Entry {
    name: "rows-retained",
    summary: "distinct released tuples",
    range: "0 and above, higher is better",
    words: "How many different records the release has.",
    needs_originals: false,
    more_is_better: true,
    aggregate: None,
    bind: |table, _| Box::new(RowsRetained::new(table)),
    recoded: |of, _| {
        let of_class = |members: &Vec<Member>| of.distinct_rest(members);
        let kept: usize = of.plan.members.iter().map(of_class).sum();
        Score::One(-((kept + of.distinct_rest(&of.plan.suppressed)) as f64))
    },
};

#[derive(Debug)]
struct RowsRetained {
    distinct: f64,
    rest: f64,
    widths: Vec<Vec<f64>>,
}

impl RowsRetained {
    fn new(table: &FrequencyTable) -> Self {
        let widths = |qi: &velamen_core::frequency::QuasiIdentifier| {
            (0..=qi.hierarchy.top()).map(|level| qi.hierarchy.width(level) as f64).collect()
        };
        Self {
            distinct: table.len() as f64,
            rest: table.rest.len as f64,
            widths: table.qis.iter().map(widths).collect(),
        }
    }
}

impl Metric for RowsRetained {
    fn needs(&self) -> Needs {
        Needs { rest: true, ..Needs::default() }
    }

    fn bound(&self, node: &Node) -> Score {
        let classes: f64 =
            node.0.iter().zip(&self.widths).map(|(&level, widths)| widths[usize::from(level)]).product();
        Score::One(-self.distinct.min(classes * self.rest))
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        let mut suppressed = at.suppressed.rest.clone();
        suppressed.sort_unstable();
        suppressed.dedup();
        Score::One(-((at.kept.rest.len() + suppressed.len()) as f64))
    }

    fn learned(&self, at: &Outcome<'_>) -> Option<Score> {
        Some(Score::One(-((at.kept.rest.len() + at.suppressed.rest.len()) as f64)))
    }
}
