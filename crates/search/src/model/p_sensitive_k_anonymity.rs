//! p-sensitive k-anonymity.
//!
//! # Definition
//! |E| ≥ k and the class has at least p distinct sensitive values.
//!
//! # Parameters
//! `p`: The least number of distinct sensitive values in a class, at least 1.
//! `k`: The least class size, at least 2.
//!
//! # Complexity
//! O(1) a class.
//!
//! # References
//! Truta & Vinay 2006, "Privacy protection: p-sensitive k-anonymity property".
//!
//! # Deviations
//! None.

use velamen_contract::model::p_sensitive_k_anonymity::{PSensitiveKAnonymityParams, TERMS};
use velamen_core::error::Problem;

use super::{
    Checkable, Class, ClassModel, Distribution, Entry, Judge, Monotonicity, check_k, parse_checked, schema_of,
};

impl Checkable for PSensitiveKAnonymityParams {
    fn check(&self) -> Result<(), Problem> {
        check_k(self.k)?;
        if self.p == 0 {
            return Err(Problem::of(&["p"], "p must be at least 1"));
        }
        Ok(())
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.k.max(self.p)
    }
}

impl ClassModel for PSensitiveKAnonymityParams {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size >= self.k && self.holds_of_values(class)
    }

    fn holds_of_values(&self, class: &Class<'_>) -> bool {
        (self.p < 2 || !class.is_certain()) && class.distinct(self.p) >= self.p
    }

    /// No part has more persons or values than the class.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        class.size
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_checked::<PSensitiveKAnonymityParams>(TERMS.name, value),
    schema: schema_of::<PSensitiveKAnonymityParams>,
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{bound, holds};

    #[test]
    fn both_numbers_count() {
        let model = bound("p-sensitive-k-anonymity", json!({ "p": 2, "k": 3 }), &[]);
        assert!(holds(&model, &[2, 1]) && !holds(&model, &[5]) && !holds(&model, &[1, 1]));
    }
}
