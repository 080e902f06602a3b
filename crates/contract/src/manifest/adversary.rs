//! What everybody can make of the counterfeits of a release, by the release alone.

use serde::{Deserialize, Serialize};

/// The figures of an adversary who has no more than the release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdversaryEntry {
    /// The records that the catalog proves to be real.
    pub provably_real: u64,
    /// How well the adversary expects to tell counterfeits from real records, by own beliefs: an area under the ROC curve of
    /// `DIGITS` digits; absent where there is nothing to tell apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc_expected: Option<f64>,
}

/// Digits of the area: what a reader gets by another order of the same sums differs far below them.
const DIGITS: i32 = 3;

/// Readings of one area are at most so far apart: one of its last digit, which rounding can move.
const NEAR: f64 = 0.001 + 1e-9;

impl AdversaryEntry {
    /// The figures as they are written.
    #[must_use]
    pub fn new(provably_real: u64, auc_expected: Option<f64>) -> Self {
        let places = 10f64.powi(DIGITS);
        Self { provably_real, auc_expected: auc_expected.map(|area| (area * places).round() / places) }
    }

    /// Whether another reader of the release may have found these figures.
    #[must_use]
    pub fn agrees(&self, found: &Self) -> bool {
        let near = match (self.auc_expected, found.auc_expected) {
            (Some(stated), Some(found)) => (stated - found).abs() <= NEAR,
            (stated, found) => stated.is_none() && found.is_none(),
        };
        near && self.provably_real == found.provably_real
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_have_three_digits_and_are_compared_so() {
        let of = |real, area| AdversaryEntry::new(real, area);
        assert_eq!(of(3, Some(0.63749)).auc_expected, Some(0.637));
        assert!(of(3, Some(0.637)).agrees(&of(3, Some(0.6379))));
        assert!(!of(3, Some(0.637)).agrees(&of(3, Some(0.6391))), "two of the last digit");
        assert!(!of(3, Some(0.637)).agrees(&of(3, Some(0.635))));
        assert!(!of(3, Some(0.637)).agrees(&of(4, Some(0.637))));
        assert!(!of(3, None).agrees(&of(3, Some(0.5))) && of(0, None).agrees(&of(0, None)));
        assert!(!of(3, Some(f64::NAN)).agrees(&of(3, Some(0.5))));
    }
}
