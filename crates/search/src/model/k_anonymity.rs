//! k-anonymity.
//!
//! # Definition
//! Every equivalence class E has |E| ≥ k.
//!
//! # Parameters
//! `k`: a whole number of at least 2.
//!
//! # Complexity
//! O(1) a class.
//!
//! # References
//! Sweeney 2002, "k-anonymity: a model for protecting privacy".
//!
//! # Deviations
//! None.

use velamen_contract::model::k_anonymity::{KAnonymityParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, check_k, parse_checked, schema_of,
};

impl Checkable for KAnonymityParams {
    fn check(&self) -> Result<(), Problem> {
        check_k(self.k)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.k
    }
}

impl ClassModel for KAnonymityParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size >= self.k
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_checked::<KAnonymityParams>(TERMS.name, value),
    schema: schema_of::<KAnonymityParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, find, holds};
    use super::*;

    #[test]
    fn classes_of_table_2_are_4_anonymous() {
        // Lee 2017, Table 2: one class of seven records.
        let model = bound("k-anonymity", json!({ "k": 4 }), &[]);
        assert!(holds(&model, &[7]) && !holds(&model, &[3]));
    }

    #[test]
    fn k_below_two_is_refused() {
        for k in [0, 1] {
            assert!((ENTRY.parse)(json!({ "k": k })).unwrap_err().to_string().contains("at least 2"));
        }
        assert!((find("k-anonymity").unwrap().parse)(json!({ "k": 2, "l": 3 })).is_err());
    }
}
