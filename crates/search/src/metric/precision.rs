//! Precision (Prec, as a loss).
//!
//! # Definition
//! The mean over all quasi-identifier cells of level / height (1 where suppressed; with `monotone`
//! as generalized). Range 0 to 1, lower is better, monotone.
//!
//! # References
//! Sweeney 2002, "Achieving k-anonymity privacy protection using generalization and suppression".

use super::cell::{mean, of_recoded, one};
use super::{Aggregate, CellFigures, CellMetric, Entry};

/// Levels climbed, as a share of the hierarchy's height.
pub(super) const PRECISION: CellMetric = CellMetric {
    name: "precision",
    summary: "mean share of the hierarchy climbed",
    cell: |cell| cell.climbed,
    suppressed: one,
    normalise: mean,
    aggregate: Aggregate::ArithmeticMean,
    can_ignore_suppression: true,
};

pub(super) const ENTRY: Entry = Entry {
    name: PRECISION.name,
    summary: PRECISION.summary,
    range: "0 to 1, lower is better",
    words: "The mean share of the way up its hierarchy that a value was generalized.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(PRECISION.aggregate),
    bind: |table, options| Box::new(CellFigures::new(PRECISION, table, options)),
    recoded: |of, options| of_recoded(PRECISION, of, options),
};

#[cfg(test)]
mod tests {
    use velamen_core::hierarchy::Rule;

    #[test]
    fn counts_levels_not_leaves() {
        let (_, hierarchy) = Rule::Flat.over(vec!["a".into(), "b".into(), "c".into()], false);
        assert_eq!((hierarchy.cell(0, 2).climbed, hierarchy.cell(1, 0).climbed), (0.0, 1.0));
    }
}
