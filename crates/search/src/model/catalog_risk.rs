//! The risk that the catalog of counterfeits leaves.
//!
//! # Definition
//! The records of a value in the classes of a group that can hold counterfeits are N, by the catalog c of them
//! are counterfeit, and a class E has n of them. If the counterfeits lie uniformly, those of the value in E
//! are X, hypergeometric (N, c, n), and R = |E| − ΣX records of E are real. Who knows that a person is in E and
//! picks a record of the value has found the person's with
//!
//!   risk(E, s) = E\[(n − X) / (n · R) | R ≥ max(1, `least-real`)\],
//!
//! 1/|E| without counterfeits. The promise: risk(E, s) ≤ `risk` for every class and each of its values.
//! Without a catalog this is k-anonymity with k = ⌈1 / `risk`⌉, and that is what judges a class here: a class
//! by itself does not show what the catalog says of it. Methods with a catalog ask [`Model::catalog_risk`]
//! and keep the rest ([`crate::method::h_ceiling::catalog_risk`]).
//!
//! # Parameters
//! `risk`: above 0 and at most 1.
//!
//! # Complexity
//! O(1) a class.
//!
//! # References
//! Ours; Lee et al. 2017 for the catalog.
//!
//! # Deviations
//! None.

use velamen_contract::model::catalog_risk::{CatalogRiskParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, check_share, parse_checked,
    schema_of,
};

impl Checkable for CatalogRiskParams {
    fn check(&self) -> Result<(), Problem> {
        check_share("risk", self.risk)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(*self))
    }

    fn least_size(&self) -> u64 {
        self.class_size()
    }

    fn catalog_risk(&self) -> Option<f64> {
        Some(self.risk)
    }
}

impl ClassModel for CatalogRiskParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size >= self.class_size()
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_checked::<CatalogRiskParams>(TERMS.name, value),
    schema: schema_of::<CatalogRiskParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};
    use super::*;

    #[test]
    fn without_a_catalog_it_is_k_anonymity() {
        for (risk, k) in [(0.2, 5), (0.1, 10), (0.3, 4), (1.0 / 3.0, 3), (1.0 / 49.0, 49), (1.0, 1)] {
            assert_eq!((ENTRY.parse)(json!({ "risk": risk })).unwrap().least_size(), k, "{risk}");
            let model = bound("catalog-risk", json!({ "risk": risk }), &[]);
            assert!(holds(&model, &[k]) && !holds(&model, &[k - 1]), "{risk}");
        }
    }

    #[test]
    fn a_risk_is_a_share() {
        for risk in [0.0, 1.01, -0.2] {
            let refused = (ENTRY.parse)(json!({ "risk": risk })).unwrap_err().to_string();
            assert!(refused.contains("above 0 and at most 1"), "{refused}");
        }
    }
}
