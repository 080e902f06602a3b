//! Records at risk.
//!
//! # Definition
//! The share of the kept records in classes of fewer than 1/r records is at most `share`.
//!
//! # Parameters
//! `share`: from 0 and below 1. `risk`: r, above 0 and at most 1.
//!
//! # Complexity
//! O(different class sizes).
//!
//! # References
//! El Emam 2013, "Guide to the De-Identification of Personal Health Information".
//!
//! # Deviations
//! None.

use velamen_contract::model::records_at_risk::{RecordsAtRiskParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Distribution, Entry, Judge, Monotonicity, ROUNDING, Sizes, TableModel, check_from_zero,
    check_share, parse_checked, schema_of,
};

impl Checkable for RecordsAtRiskParams {
    fn check(&self) -> Result<(), Problem> {
        check_share("risk", self.risk)?;
        check_from_zero("share", self.share)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for RecordsAtRiskParams {
    fn holds(&self, sizes: &Sizes) -> bool {
        let at_risk = |size: u64| (size as f64) * self.risk < 1.0 - ROUNDING;
        let records: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        let exposed: u64 = sizes.iter().filter(|size| at_risk(size.0)).map(|size| size.0 * size.1).sum();
        exposed as f64 <= self.share * records as f64 * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<RecordsAtRiskParams>(TERMS.name, value),
    schema: schema_of::<RecordsAtRiskParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::table_holds;

    #[test]
    fn a_class_of_exactly_1_by_risk_is_not_at_risk() {
        let holds = |share: f64, risk: f64| {
            table_holds(
                "records-at-risk",
                json!({ "share": share, "risk": risk }),
                &[(2, 1), (5, 1), (13, 1)],
            )
        };
        assert!(holds(0.1, 0.2) && !holds(0.09, 0.2) && !holds(0.3, 0.19) && holds(0.0, 0.5));
    }
}
