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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::average_risk::TERMS;

use super::{
    Distribution, Entry, Judge, Model, Monotonicity, ROUNDING, Sizes, TableModel, check_share, parse_as,
    schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AverageRiskParams {
    /// The largest mean risk of re-identification, above 0 and at most 1.
    risk: f64,
}

#[derive(Debug, Clone)]
struct AverageRisk(AverageRiskParams);

impl TryFrom<AverageRiskParams> for AverageRisk {
    type Error = String;

    fn try_from(params: AverageRiskParams) -> Result<Self, String> {
        check_share("risk", params.risk)?;
        Ok(Self(params))
    }
}

impl Model for AverageRisk {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for AverageRisk {
    fn holds(&self, sizes: &Sizes) -> bool {
        let classes: u64 = sizes.iter().map(|size| size.1).sum();
        let records: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        classes as f64 <= self.0.risk * records as f64 * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<AverageRiskParams, AverageRisk>(TERMS.name, value),
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
