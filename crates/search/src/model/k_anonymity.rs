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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use velamen_contract::model::k_anonymity::TERMS;

use super::{
    Class, ClassModel, Distribution, Entry, Judge, Model, Monotonicity, check_k, parse_as, schema_of,
    to_value,
};

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KAnonymityParams {
    /// The least number of records that share all released quasi-identifier values, at least 2.
    k: u64,
}

#[derive(Debug, Clone, Copy)]
struct KAnonymity {
    k: u64,
}

impl TryFrom<KAnonymityParams> for KAnonymity {
    type Error = String;

    fn try_from(params: KAnonymityParams) -> Result<Self, String> {
        check_k(params.k)?;
        Ok(Self { k: params.k })
    }
}

impl Model for KAnonymity {
    fn parameters(&self) -> Value {
        to_value(&KAnonymityParams { k: self.k })
    }

    fn bind(&self, _distribution: &Distribution<'_>) -> Result<Judge, String> {
        Ok(Judge::class(*self))
    }

    fn least_size(&self) -> u64 {
        self.k
    }
}

impl ClassModel for KAnonymity {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.persons >= self.k
    }
}

pub(super) const ENTRY: Entry = Entry {
    terms: &TERMS,
    monotonicity: Monotonicity::Superset,
    parse: |value| parse_as::<KAnonymityParams, KAnonymity>(TERMS.name, value),
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
