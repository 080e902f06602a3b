//! Ambiguity.
//!
//! # Definition
//! Σ over classes of c · Π over the quasi-identifiers of the leaves that the class's value covers
//! (the whole domain where suppressed): how many combinations each record could be. Range N to
//! N · Π M, lower is better, monotone.
//!
//! # References
//! Goldberger & Tassa 2010, "Efficient anonymizations with enhanced utility".

use velamen_core::frequency::Counted;
use velamen_core::lattice::Node;

use super::{Entry, Metric, Needs, Outcome, Recoded, Score};

pub(super) const ENTRY: Entry = Entry {
    name: "ambiguity",
    summary: "how many combinations of original values each record could have, summed",
    range: "from the number of records, lower is better",
    words: "How many combinations of original values each released record could stand for, added up.",
    needs_originals: false,
    more_is_better: false,
    aggregate: None,
    bind: |table, _| Box::new(Ambiguity(Areas::new(table))),
    recoded: |of, _| of_recoded(of),
};

/// The leaves that a class covers, as logarithms (base 2) that are added.
#[derive(Debug)]
pub(super) struct Areas {
    pub(super) records: f64,
    /// Per attribute, level and code: log₂ leaves.
    logs: Vec<Vec<Vec<f64>>>,
    /// Per attribute and level: Σ over records of log₂ leaves.
    sums: Vec<Vec<f64>>,
    /// log₂ Π M.
    pub(super) whole: f64,
}

impl Areas {
    pub(super) fn new(table: &Counted<'_>) -> Self {
        let hierarchies = || table.qis.iter().map(|qi| &qi.hierarchy);
        let logs: Vec<Vec<Vec<f64>>> = hierarchies()
            .map(|h| {
                let log = |level: u8, code: u32| (h.leaves(level, code) as f64).log2();
                (0..=h.top())
                    .map(|level| (0..h.width(level) as u32).map(|code| log(level, code)).collect())
                    .collect()
            })
            .collect();
        let sums = hierarchies().enumerate().map(|(q, h)| {
            let marginal = table.marginal(q);
            let log = |level: u8, leaf: u32| logs[q][usize::from(level)][h.code(level, leaf) as usize];
            let sum = |level| (0..).zip(marginal).map(|(leaf, &n)| n as f64 * log(level, leaf)).sum();
            (0..=h.top()).map(sum).collect()
        });
        let sums = sums.collect();
        let whole = hierarchies().map(|h| (h.domain() as f64).log2()).sum();
        Self { records: table.records() as f64, logs, sums, whole }
    }

    /// log₂ of the combinations of leaves that a class covers.
    pub(super) fn of(&self, node: &Node, codes: &[u32]) -> f64 {
        let log = |(q, &code): (usize, &u32)| self.logs[q][usize::from(node.0[q])][code as usize];
        codes.iter().enumerate().map(log).sum()
    }

    /// Σ over all records of log₂ area.
    pub(super) fn total(&self, node: &Node) -> f64 {
        node.0.iter().zip(&self.sums).map(|(&level, sums)| sums[usize::from(level)]).sum()
    }
}

fn of_recoded(of: &Recoded<'_>) -> Score {
    let kept: f64 = of.areas().map(|(size, area)| size * area.exp2()).sum();
    Score::One(kept + of.suppressed() * of.whole().exp2())
}

#[derive(Debug)]
struct Ambiguity(Areas);

impl Ambiguity {
    fn covered(&self, node: &Node, bag: &super::Bag) -> f64 {
        bag.classes(node.0.len()).map(|(size, codes)| size * self.0.of(node, codes).exp2()).sum()
    }
}

impl Metric for Ambiguity {
    fn needs(&self) -> Needs {
        Needs { kept_codes: true, suppressed_codes: true, ..Needs::default() }
    }

    /// N · 2^(mean log₂ area): the exponential is convex.
    fn bound(&self, node: &Node) -> Score {
        let mean = self.0.total(node) / self.0.records;
        // Rounding must not lift the bound above a figure that it equals.
        Score::One(self.0.records * mean.exp2() * (1.0 - 1e-12))
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        let suppressed = at.suppressed.records() as f64 * self.0.whole.exp2();
        Score::One(self.covered(at.node, at.kept) + suppressed)
    }

    fn learned(&self, at: &Outcome<'_>) -> Option<Score> {
        Some(Score::One(
            (self.covered(at.node, at.kept) + self.covered(at.node, at.suppressed)) * (1.0 - 1e-12),
        ))
    }
}
