//! Reconstruction error (RCE).
//!
//! # Definition
//! Sum over the original records of ∫ (original density − released density)². The original density
//! is a point mass; the released one is p spread uniformly over the w values that a cell covers,
//! where p = 1 − (catalog count of s in the record's group) / (released records of s in the group).
//! On a discrete domain a cell gives 1 − 2p/w + p²/w, and the sensitive value (w = 1) (1 − p)².
//!
//! With f = 1 − p, 2p − p² = 1 − f². So a record of a class with Σ 1/w = σ over m attributes gives:
//! (m + 1) − (σ + 1)(1 − f²) in the marginal reading and 1 − (1 − f²)/Πw in the joint one. Hence
//! RCE = (RCE without counterfeits) + Σ f² · (weight of the record), which [`certain`] and
//! [`weight`] give. Lower is better; 0 where nothing is changed. A suppressed cell covers
//! the whole domain.
//!
//! A record that relocation moved is released at w values of which none need be its own: then a cell
//! gives 1 + 1/w, since the point and the spread lie apart. [`of_moved`] sums that.
//!
//! # References
//! Lee et al. 2017, "Quality metric"; Xiao & Tao 2006, "Anatomy: simple and effective privacy preservation", where the
//! error comes from.
//!
//! # Deviations
//! The paper does not say whether the integral runs over each attribute by itself or over their
//! product; both readings are given, the marginal one is the default.
//!
//! The paper suppresses no record and so says nothing of one's sensitive value. It adds nothing here, as if it stood there;
//! [`lost_value`] counts it as lost, which h-ceiling does where it is asked for.
//!
//! As the metric of a search it does not see what is moved.

use serde_json::{Value, json};
use velamen_contract::metric::Reading;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Cell;
use velamen_core::plan::{Fate, Plan};

use super::cell::{CellMetric, of_recoded};
use super::{Aggregate, CellFigures, Entry};

/// The marginal reading without counterfeits: 1 − 1/w a cell, 1 − 1/M where suppressed.
const RCE: CellMetric = CellMetric {
    name: "rce",
    summary: "squared difference between the original and the released densities, summed over cells",
    cell: uncertainty,
    suppressed: uncertainty,
    normalise: |sum, _records, _domain, _factor| sum,
    aggregate: Aggregate::Sum,
    can_ignore_suppression: false,
};

pub(super) const ENTRY: Entry = Entry {
    name: RCE.name,
    summary: RCE.summary,
    range: "0 and above, lower is better",
    words: "The expected error if the originals were guessed back from the released records: it grows with the number \
            of records.",
    needs_originals: false,
    more_is_better: false,
    aggregate: Some(RCE.aggregate),
    bind: |table, options| Box::new(CellFigures::new(RCE, table, options)),
    recoded: |of, options| of_recoded(RCE, of, options),
};

fn uncertainty(cell: &Cell) -> f64 {
    1.0 - 1.0 / cell.leaves
}

/// A record's RCE if its value is certain (p = 1), given the reciprocals 1/w of its cells.
#[must_use]
pub fn certain(reading: Reading, reciprocals: &[f64]) -> f64 {
    match reading {
        Reading::Marginal => reciprocals.iter().map(|r| 1.0 - r).sum(),
        Reading::Joint => 1.0 - reciprocals.iter().product::<f64>(),
    }
}

/// What f² is multiplied by: the RCE that a wholly uncertain record (p = 0) adds.
#[must_use]
pub fn weight(reading: Reading, reciprocals: &[f64]) -> f64 {
    match reading {
        Reading::Marginal => reciprocals.iter().sum::<f64>() + 1.0,
        Reading::Joint => reciprocals.iter().product(),
    }
}

/// A record's RCE if its value is certain, given 1/w of each cell and whether the cell covers the
/// record's own value.
fn released(reading: Reading, cells: &[(f64, bool)]) -> f64 {
    let apart = |reciprocal: f64, covers: bool| {
        if covers { 1.0 - reciprocal } else { 1.0 + reciprocal }
    };
    match reading {
        Reading::Marginal => cells.iter().map(|&(reciprocal, covers)| apart(reciprocal, covers)).sum(),
        Reading::Joint => apart(cells.iter().map(|cell| cell.0).product(), cells.iter().all(|cell| cell.1)),
    }
}

/// What a suppressed record's sensitive value adds, given 1/w of each cell, where it is counted as wholly lost: nothing is released
/// where it was. In the joint reading the record is then lost altogether.
#[must_use]
pub fn lost_value(reading: Reading, reciprocals: &[f64]) -> f64 {
    match reading {
        Reading::Marginal => 1.0,
        Reading::Joint => reciprocals.iter().product(),
    }
}

/// How many integrals a record takes, for the normalized figure.
#[must_use]
pub fn integrals(reading: Reading, attributes: usize) -> f64 {
    match reading {
        Reading::Marginal => attributes as f64 + 1.0,
        Reading::Joint => 1.0,
    }
}

/// What the custodian is told of an RCE over the original records.
pub(crate) fn figures(rce: f64, table: &FrequencyTable, reading: Reading) -> Value {
    let all = table.records() as f64 * integrals(reading, table.qis.len());
    json!({ RCE.name: rce, "rce-normalised": rce / all })
}

/// The RCE among the custodian's figures, where it is there.
#[must_use]
pub fn of_original(figures: &Value) -> Option<f64> {
    figures.get(RCE.name)?.as_f64()
}

/// RCE over the original records of a plan without counterfeits, whose outliers may have moved to
/// another class.
///
/// All classes of a plan are at one node, so a cell covers a moved record's value exactly where both
/// classes have the same code.
#[must_use]
pub fn of_moved(table: &FrequencyTable, plan: &Plan, reading: Reading) -> f64 {
    let of_class = |class: usize| {
        let cells: Vec<_> = (0..table.qis.len()).map(|q| cell(table, plan, q, class)).collect();
        plan.classes.sizes[class] as f64 * released(reading, &cells)
    };
    (0..plan.classes.len()).map(of_class).sum()
}

/// 1/w of a class's cell, and whether it covers the class's own value.
#[inline]
fn cell(table: &FrequencyTable, plan: &Plan, q: usize, class: usize) -> (f64, bool) {
    let hierarchy = &table.qis[q].hierarchy;
    let own = plan.classes.codes(class)[q];
    let at = match plan.fates[class] {
        Fate::Suppress => return (1.0 / hierarchy.domain() as f64, true),
        Fate::Keep => own,
        Fate::Move(other) => plan.classes.codes(other as usize)[q],
    };
    (1.0 / hierarchy.leaves(plan.node.0[q], at) as f64, own == at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_record_lies_apart_from_what_is_released() {
        // Lee 2017, Table 4: a woman of 37 from 22071 becomes a man of 61-66 from 55099-55324.
        let cells = [(1.0 / 6.0, false), (1.0, false), (1.0 / 226.0, false)];
        let marginal = released(Reading::Marginal, &cells);
        assert!((marginal - (1.0 + 1.0 / 6.0 + 2.0 + 1.0 + 1.0 / 226.0)).abs() < 1e-12);
        // One cell of another's is enough for the points to be others.
        let one = [(1.0 / 6.0, true), (1.0, true), (1.0 / 226.0, false)];
        assert!((released(Reading::Joint, &one) - (1.0 + 1.0 / 1356.0)).abs() < 1e-12);
        let own = cells.map(|(reciprocal, _)| (reciprocal, true));
        for reading in [Reading::Marginal, Reading::Joint] {
            let reciprocals = own.map(|cell| cell.0);
            assert!((released(reading, &own) - certain(reading, &reciprocals)).abs() < 1e-12);
        }
    }

    /// The definition, cell by cell.
    fn plain(reading: Reading, widths: &[f64], p: f64) -> f64 {
        match reading {
            Reading::Marginal => {
                widths.iter().map(|w| 1.0 - 2.0 * p / w + p * p / w).sum::<f64>() + (1.0 - p) * (1.0 - p)
            }
            Reading::Joint => {
                let w: f64 = widths.iter().product();
                1.0 - 2.0 * p / w + p * p / w
            }
        }
    }

    #[test]
    fn a_lost_value_is_one_integral_more() {
        let reciprocals = [0.5, 0.25];
        let of = |reading| certain(reading, &reciprocals) + lost_value(reading, &reciprocals);
        assert_eq!([of(Reading::Marginal), of(Reading::Joint)], [0.5 + 0.75 + 1.0, 1.0]);
    }

    #[test]
    fn agrees_with_the_definition() {
        // Lee 2017, Table 5: a Diabetes record of class 1 has p = 3/4.
        for reading in [Reading::Marginal, Reading::Joint] {
            for p in [1.0, 0.75, 0.2, 0.0] {
                let widths = [3.0, 1.0, 991.0];
                let reciprocals = widths.map(|w| 1.0 / w);
                let f: f64 = 1.0 - p;
                let ours = certain(reading, &reciprocals) + f * f * weight(reading, &reciprocals);
                assert!((ours - plain(reading, &widths, p)).abs() < 1e-12, "{reading:?} {p}");
            }
        }
    }
}
