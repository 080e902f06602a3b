//! Average re-identification risk.
//!
//! # Definition
//! 1 / (mean size of the kept classes) ≤ r: what an attacker who tries everybody (the marketer) gets
//! right on average.
//!
//! # Parameters
//! `risk`: above 0 and at most 1.
//!
//! # Complexity
//! O(different class sizes).
//!
//! # References
//! El Emam 2013, "Guide to the De-Identification of Personal Health Information".
//!
//! # Deviations
//! None.

use velamen_contract::model::average_risk::{AverageRiskParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Distribution, Entry, Judge, Monotonicity, ROUNDING, Sizes, TableModel, check_share,
    parse_checked, schema_of,
};

impl Checkable for AverageRiskParams {
    fn check(&self) -> Result<(), Problem> {
        check_share("risk", self.risk)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for AverageRiskParams {
    fn holds(&self, sizes: &Sizes) -> bool {
        let classes: u64 = sizes.iter().map(|size| size.1).sum();
        let records: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        classes as f64 <= self.risk * records as f64 * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<AverageRiskParams>(TERMS.name, value),
    schema: schema_of::<AverageRiskParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::table_holds;

    #[test]
    fn is_classes_by_records() {
        // Classes of 1, 1 and 4 records: 3 / 6.
        assert!(table_holds("average-risk", json!({ "risk": 0.5 }), &[(1, 2), (4, 1)]));
        assert!(!table_holds("average-risk", json!({ "risk": 0.49 }), &[(1, 2), (4, 1)]));
        assert!(table_holds("average-risk", json!({ "risk": 0.1 }), &[]));
    }
}
