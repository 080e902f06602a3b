//! LM as Lee 2017 uses it.
//!
//! # Definition
//! The mean over all quasi-identifier cells of the degree of generalization D = (leaves − 1) / (M − 1)
//! (1 where suppressed). Range 0 to 1, lower is better, monotone.
//!
//! # References
//! Lee et al. 2017, BMC Med Inform Decis Mak 17:104; Iyengar 2002.

use velamen_contract::metric::LOST_DETAIL;
use velamen_core::hierarchy::Cell;

use super::cell::{mean, of_recoded, one};
use super::{Aggregate, CellFigures, CellMetric, Entry};

/// Iyengar's LM over degrees of generalization.
pub const LM: CellMetric = CellMetric {
    name: LOST_DETAIL,
    summary: "mean degree of generalization of all quasi-identifier cells",
    cell: degree,
    suppressed: one,
    normalise: mean,
    aggregate: Aggregate::ArithmeticMean,
    can_ignore_suppression: false,
};

pub(super) const ENTRY: Entry = Entry {
    name: LM.name,
    summary: LM.summary,
    range: "0 to 1, lower is better",
    words: "The mean degree of generalization over all cells: 0, all as recorded; 1, nothing left.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(LM.aggregate),
    bind: |table, options| Box::new(CellFigures::new(LM, table, options)),
    recoded: |of, options| of_recoded(LM, of, options),
};

fn degree(cell: &Cell) -> f64 {
    if cell.domain > 1.0 { (cell.leaves - 1.0) / (cell.domain - 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::combine;
    use super::*;

    #[test]
    fn is_the_mean_degree() {
        // Lee 2017, Table 5: four records of degrees 2/99, 0, 990/99999 and four of 6/99, 0, 225/99999.
        let cell = |leaves: f64, domain: f64| degree(&Cell { leaves, domain, climbed: 0.0 });
        let age = mean(4.0 * cell(3.0, 100.0) + 4.0 * cell(6.0, 100.0), 8.0, 100.0, 1.0);
        let zip = mean(4.0 * cell(991.0, 100_000.0) + 4.0 * cell(226.0, 100_000.0), 8.0, 100_000.0, 1.0);
        let expected =
            (4.0 * (2.0 / 99.0 + 990.0 / 99_999.0) / 3.0 + 4.0 * (5.0 / 99.0 + 225.0 / 99_999.0) / 3.0) / 8.0;
        let lm = combine(LM.aggregate, [age, 0.0, zip].into_iter(), &[1.0; 3]).first();
        assert!((lm - expected).abs() < 1e-15);
    }
}
