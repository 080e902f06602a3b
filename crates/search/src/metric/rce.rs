//! Reconstruction error (RCE).
//!
//! # Definition
//! Sum over the original records of ∫ (original density − released density)². The original density
//! is a point mass; the released one is p spread uniformly over the w values that a cell covers,
//! where p = 1 − (catalog count of s in the record's group) / (released records of s in the group).
//! On a discrete domain a cell gives 1 − 2p/w + p²/w, and the sensitive value (w = 1) (1 − p)².
//!
//! With f = 1 − p, 2p − p² = 1 − f², so a record of a class with Σ 1/w = σ over m attributes gives
//! (m + 1) − (σ + 1)(1 − f²) in the marginal reading and 1 − (1 − f²)/Πw in the joint one. Hence
//! RCE = (RCE without counterfeits) + Σ f² · (weight of the record), which [`Reading::certain`] and
//! [`Reading::weight`] give. Less is better; 0 where nothing is changed. A suppressed cell covers
//! the whole domain.
//!
//! # References
//! Lee et al. 2017, "Quality metric"; Xiao & Tao 2006, "Anatomy: simple and effective privacy preservation", where the
//! error comes from.
//!
//! # Deviations
//! The paper does not say whether the integral runs over each attribute by itself or over their
//! product; both readings are given, the marginal one is the default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::hierarchy::Cell;

use super::cell::{CellMetric, of_recoded};
use super::{Aggregate, Entry, Figures};

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
    range: "0 and above, less is better",
    words: "The expected error if the originals were guessed back from the released records: it grows with the number \
            of records.",
    more_is_better: false,
    aggregate: Some(RCE.aggregate),
    bind: |table, options| Box::new(Figures::new(RCE, table, options)),
    recoded: |of, options| of_recoded(RCE, of, options),
};

fn uncertainty(cell: &Cell) -> f64 {
    1.0 - 1.0 / cell.leaves
}

/// Over what the integral runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// One integral per attribute, summed.
    #[default]
    Marginal,
    /// One integral per record over the product of the attributes.
    Joint,
}

impl Reading {
    /// A record's RCE if its value is certain (p = 1), given the reciprocals 1/w of its cells.
    #[must_use]
    pub fn certain(self, reciprocals: &[f64]) -> f64 {
        match self {
            Self::Marginal => reciprocals.iter().map(|r| 1.0 - r).sum(),
            Self::Joint => 1.0 - reciprocals.iter().product::<f64>(),
        }
    }

    /// What f² is multiplied by: the RCE that a wholly uncertain record (p = 0) adds.
    #[must_use]
    pub fn weight(self, reciprocals: &[f64]) -> f64 {
        match self {
            Self::Marginal => reciprocals.iter().sum::<f64>() + 1.0,
            Self::Joint => reciprocals.iter().product(),
        }
    }

    /// How many integrals a record takes, for the normalised figure.
    #[must_use]
    pub fn integrals(self, attributes: usize) -> f64 {
        match self {
            Self::Marginal => attributes as f64 + 1.0,
            Self::Joint => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn agrees_with_the_definition() {
        // Lee 2017, Table 5: a Diabetes record of class 1 has p = 3/4.
        for reading in [Reading::Marginal, Reading::Joint] {
            for p in [1.0, 0.75, 0.2, 0.0] {
                let widths = [3.0, 1.0, 991.0];
                let reciprocals = widths.map(|w| 1.0 / w);
                let f: f64 = 1.0 - p;
                let ours = reading.certain(&reciprocals) + f * f * reading.weight(&reciprocals);
                assert!((ours - plain(reading, &widths, p)).abs() < 1e-12, "{reading:?} {p}");
            }
        }
    }
}
