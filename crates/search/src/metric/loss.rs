//! Loss (LM, full leaf share, geometric mean).
//!
//! # Definition
//! Per attribute v = (S − N/M) / (N − N/M) with S = Σ over records of the share of the domain that
//! the cell covers (1 where suppressed); over the m attributes (Π (v·w + 1))^(1/m) − 1. With a factor
//! g other than ½ kept cells count their share times the generalization factor γ, N/M becomes γ·N/M,
//! and suppressed cells count share + σ·(1 − share) with the suppression factor σ. Range 0 to 1, lower
//! is better, monotone. An attribute whose domain has one value counts 0.
//!
//! # References
//! Iyengar 2002, "Transforming data to satisfy privacy constraints".

use velamen_core::hierarchy::Cell;

use super::cell::{of_recoded, one};
use super::{Aggregate, CellFigures, CellMetric, Entry};

/// The loss metric.
pub(super) const LOSS: CellMetric = CellMetric {
    name: "loss",
    summary: "share of each attribute's domain that a released cell covers, geometric mean over attributes",
    cell: |cell: &Cell| cell.leaves / cell.domain,
    suppressed: one,
    normalise,
    aggregate: Aggregate::GeometricMean,
    can_ignore_suppression: false,
};

pub(super) const ENTRY: Entry = Entry {
    name: LOSS.name,
    summary: LOSS.summary,
    range: "0 to 1, lower is better",
    words: "The mean share of an attribute's values that one released value stands for, geometric mean over attributes.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(LOSS.aggregate),
    bind: |table, options| Box::new(CellFigures::new(LOSS, table, options)),
    recoded: |of, options| of_recoded(LOSS, of, options),
};

fn normalise(sum: f64, records: f64, domain: f64, factor: f64) -> f64 {
    let least = factor * records / domain;
    let range = records - least;
    // Rounding can leave the sum a little below its least value.
    if range > 0.0 && domain > 1.0 { ((sum - least) / range).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_generalized_is_0_and_everything_is_1() {
        assert_eq!(normalise(2.0, 8.0, 4.0, 1.0), 0.0);
        assert_eq!(normalise(8.0, 8.0, 4.0, 1.0), 1.0);
        assert_eq!(normalise(8.0, 8.0, 1.0, 1.0), 0.0);
    }
}
