//! Normalized certainty penalty (NCP).
//!
//! # Definition
//! The mean over all quasi-identifier cells of leaves / M, and 0 for a leaf (1 where suppressed).
//! Range 0 to 1, lower is better, monotone.
//!
//! # References
//! Xu et al. 2006, "Utility-based anonymization using local recoding".

use super::cell::{mean, of_recoded, one};
use super::{Aggregate, CellFigures, CellMetric, Entry};

/// The normalized certainty penalty.
pub const NCP: CellMetric = CellMetric {
    name: "ncp",
    summary: "mean share of the domain that a generalized cell covers, 0 for original values",
    cell: |cell| if cell.leaves > 1.0 { cell.leaves / cell.domain } else { 0.0 },
    suppressed: one,
    normalise: mean,
    aggregate: Aggregate::ArithmeticMean,
    can_ignore_suppression: false,
};

pub(super) const ENTRY: Entry = Entry {
    name: NCP.name,
    summary: NCP.summary,
    range: "0 to 1, lower is better",
    words: "The mean share of an attribute's range that a generalized value covers; untouched values count 0.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(NCP.aggregate),
    bind: |table, options| Box::new(CellFigures::new(NCP, table, options)),
    recoded: |of, options| of_recoded(NCP, of, options),
};

#[cfg(test)]
mod tests {
    use super::*;
    use velamen_core::hierarchy::Cell;

    #[test]
    fn a_leaf_costs_nothing() {
        let cell = |leaves| (NCP.cell)(&Cell { leaves, domain: 4.0, climbed: 0.0 });
        assert_eq!([cell(1.0), cell(2.0), cell(4.0)], [0.0, 0.5, 1.0]);
    }
}
