//! Sample uniqueness.
//!
//! # Definition
//! The share of the kept records that are alone in their class is at most `share`.
//!
//! # Parameters
//! `share`: from 0 and below 1.
//!
//! # Complexity
//! O(different class sizes).
//!
//! # References
//! Dankar et al. 2012, "Estimating the re-identification risk of clinical data sets".
//!
//! # Deviations
//! Uniques only become fewer where classes merge, so it is searched as monotone without suppression.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::sample_uniqueness::TERMS;

use super::{
    Distribution, Entry, Judge, Model, Monotonicity, ROUNDING, Sizes, TableModel, check_from_zero, parse_as,
    schema_of, to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SampleUniquenessParams {
    /// The largest share of unique records, from 0 and below 1.
    share: f64,
}

#[derive(Debug, Clone)]
struct SampleUniqueness(SampleUniquenessParams);

impl TryFrom<SampleUniquenessParams> for SampleUniqueness {
    type Error = String;

    fn try_from(params: SampleUniquenessParams) -> Result<Self, String> {
        check_from_zero("share", params.share)?;
        Ok(Self(params))
    }
}

impl Model for SampleUniqueness {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for SampleUniqueness {
    fn holds(&self, sizes: &Sizes) -> bool {
        let unique = sizes.first().filter(|size| size.0 == 1).map_or(0, |size| size.1);
        let records: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        unique as f64 <= self.0.share * records as f64 * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_as::<SampleUniquenessParams, SampleUniqueness>(TERMS.name, value),
    schema: schema_of::<SampleUniquenessParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::table_holds;

    #[test]
    fn counts_records_alone() {
        let holds =
            |share: f64| table_holds("sample-uniqueness", json!({ "share": share }), &[(1, 2), (4, 2)]);
        assert!(holds(0.2) && !holds(0.19));
        assert!(table_holds("sample-uniqueness", json!({ "share": 0.0 }), &[(2, 3)]));
    }
}
