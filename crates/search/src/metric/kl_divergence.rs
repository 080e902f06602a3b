//! Kullback–Leibler divergence.
//!
//! # Definition
//! Σ over the distinct original combinations x of p log₂(p / q), p = f_x / N and q = c / (N · area)
//! for a combination in a class of c records that covers `area` combinations of leaves; the
//! suppressed records are one class that covers the whole domain. In bits, from 0, lower is better.
//! A class's records spread over more of the domain never come closer to the original, so the
//! figure without suppression is monotone and bounds the figure from below.
//!
//! # References
//! Machanavajjhala et al. 2007, "l-diversity"; Kifer & Gehrke 2006, "Injecting utility into
//! anonymized datasets".

use velamen_core::frequency::Counted;
use velamen_core::lattice::Node;

use super::ambiguity::Areas;
use super::{Bag, Entry, Metric, Needs, Outcome, Recoded, Score};

pub(super) const ENTRY: Entry = Entry {
    name: "kl-divergence",
    summary: "bits by record that the released table, spread evenly, is away from the original",
    range: "0 bits and above, lower is better",
    words: "How far the released table, its generalized values spread evenly, is from the original one.",
    needs_originals: true,
    more_is_better: false,
    aggregate: None,
    bind: |table, _| Box::new(KlDivergence::new(table)),
    recoded: |of, _| of_recoded(of),
};

fn of_recoded(of: &Recoded<'_>) -> Score {
    let kept: f64 = of.areas().map(|(c, area)| c * (area - c.log2())).sum();
    let suppressed = of.suppressed();
    let pool = if suppressed > 0.0 { suppressed * (of.whole() - suppressed.log2()) } else { 0.0 };
    KlDivergence::new(&Counted::of(of.table)).score(kept + pool)
}

#[derive(Debug)]
struct KlDivergence {
    areas: Areas,
    /// Σ f log₂ f over the distinct combinations of quasi-identifiers.
    original: f64,
}

impl KlDivergence {
    fn new(table: &Counted<'_>) -> Self {
        let sizes = table.class_sizes().iter().map(|&(f, combinations)| (f as f64, combinations as f64));
        let original = sizes.map(|(f, combinations)| combinations * f * f.log2()).sum();
        Self { areas: Areas::new(table), original }
    }

    /// Σ c log₂(area / c).
    fn spread(&self, node: &Node, bag: &Bag) -> f64 {
        bag.classes(node.0.len()).map(|(c, codes)| c * (self.areas.of(node, codes) - c.log2())).sum()
    }

    fn score(&self, spread: f64) -> Score {
        Score::One((self.original + spread) / self.areas.records)
    }
}

impl Metric for KlDivergence {
    fn needs(&self) -> Needs {
        Needs { kept_codes: true, suppressed_codes: true, ..Needs::default() }
    }

    /// As if all records were in one class: Σ c log₂ c ≤ N log₂ N.
    fn bound(&self, node: &Node) -> Score {
        let n = self.areas.records;
        self.score(self.areas.total(node) - n * n.log2() - 1e-9 * n)
    }

    fn figure(&self, at: &Outcome<'_>) -> Score {
        let suppressed = at.suppressed.records() as f64;
        let pool = if suppressed > 0.0 { suppressed * (self.areas.whole - suppressed.log2()) } else { 0.0 };
        self.score(self.spread(at.node, at.kept) + pool)
    }

    fn learned(&self, at: &Outcome<'_>) -> Option<Score> {
        let spread = self.spread(at.node, at.kept) + self.spread(at.node, at.suppressed);
        Some(self.score(spread - 1e-9 * self.areas.records))
    }
}
