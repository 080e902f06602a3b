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

use velamen_contract::model::sample_uniqueness::{SampleUniquenessParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Distribution, Entry, Judge, Monotonicity, ROUNDING, Sizes, TableModel, check_from_zero,
    parse_checked, schema_of,
};

impl Checkable for SampleUniquenessParams {
    fn check(&self) -> Result<(), Problem> {
        check_from_zero("share", self.share)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::table(self.clone()))
    }
}

impl TableModel for SampleUniquenessParams {
    fn holds(&self, sizes: &Sizes) -> bool {
        let unique = sizes.first().filter(|size| size.0 == 1).map_or(0, |size| size.1);
        let records: u64 = sizes.iter().map(|size| size.0 * size.1).sum();
        unique as f64 <= self.share * records as f64 * (1.0 + ROUNDING)
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Merge,
    parse: |value| parse_checked::<SampleUniquenessParams>(TERMS.name, value),
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
