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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::records_at_risk::TERMS;

use super::{
    Distribution, Entry, Judge, Model, Monotonicity, ROUNDING, Sizes, TableModel, check_from_zero,
    check_share, parse_as, schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecordsAtRiskParams {
    /// The largest share of records at risk, from 0 and below 1.
    share: f64,
    /// A record is at risk if its risk of re-identification is above this, above 0 and at most 1.
    risk: f64,
}

#[derive(Debug, Clone)]
struct RecordsAtRisk(RecordsAtRiskParams);

impl TryFrom<RecordsAtRiskParams> for RecordsAtRisk {
    type Error = String;

    fn try_from(params: RecordsAtRiskParams) -> Result<Self, String> {
        check_share("risk", params.risk)?;
        check_from_zero("share", params.share)?;
        Ok(Self(params))
    }
}

impl Model for RecordsAtRisk {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for RecordsAtRisk {
    fn holds(&self, sizes: &Sizes) -> bool {
        let at_risk = |size: u64| (size as f64) * self.0.risk < 1.0 - ROUNDING;
        let records: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        let exposed: u64 = sizes.iter().filter(|size| at_risk(size.0)).map(|size| size.0 * size.1).sum();
        exposed as f64 <= self.0.share * records as f64 * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<RecordsAtRiskParams, RecordsAtRisk>(TERMS.name, value),
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
