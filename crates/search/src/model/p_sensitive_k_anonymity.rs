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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::p_sensitive_k_anonymity::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, check_k, parse_as, schema_of,
    to_value,
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PSensitiveKAnonymityParams {
    /// The least number of distinct sensitive values in a class, at least 1.
    p: u64,
    /// The least class size, at least 2.
    k: u64,
}

#[derive(Debug, Clone)]
struct PSensitiveKAnonymity(PSensitiveKAnonymityParams);

impl TryFrom<PSensitiveKAnonymityParams> for PSensitiveKAnonymity {
    type Error = String;

    fn try_from(params: PSensitiveKAnonymityParams) -> Result<Self, String> {
        check_k(params.k)?;
        if params.p == 0 {
            return Err("p must be at least 1".into());
        }
        Ok(Self(params))
    }
}

impl Model for PSensitiveKAnonymity {
    fn parameters(&self) -> Value {
        to_value(&self.0)
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(self.clone()))
    }

    fn least_size(&self) -> u64 {
        self.0.k.max(self.0.p)
    }
}

impl ClassModel for PSensitiveKAnonymity {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.persons >= self.0.k && class.sensitive.len() as u64 >= self.0.p
    }

    /// No part has more persons or values than the class.
    fn least_lost(&self, class: &Class<'_>) -> u64 {
        class.size
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_as::<PSensitiveKAnonymityParams, PSensitiveKAnonymity>(TERMS.name, value),
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
