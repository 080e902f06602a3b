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
use serde_json::{Value, json};

use super::{Class, ClassModel, Entry, parse_as};

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KAnonymityParams {
    /// The least number of records that share all released quasi-identifier values, at least 2.
    k: u64,
}

/// k-anonymity with a k of at least 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KAnonymity {
    k: u64,
}

impl KAnonymity {
    /// The least class size.
    #[must_use]
    pub fn k(self) -> u64 {
        self.k
    }
}

impl TryFrom<KAnonymityParams> for KAnonymity {
    type Error = String;

    fn try_from(params: KAnonymityParams) -> Result<Self, String> {
        match params.k {
            0 | 1 => Err(format!("k = {} protects nobody; k must be at least 2", params.k)),
            k => Ok(Self { k }),
        }
    }
}

impl ClassModel for KAnonymity {
    fn holds(&self, class: &Class<'_>) -> bool {
        class.size >= self.k
    }

    fn parameters(&self) -> Value {
        json!({ "k": self.k })
    }

    fn least_size(&self) -> u64 {
        self.k
    }
}

pub(super) const ENTRY: Entry = Entry {
    name: "k-anonymity",
    summary: "every class has at least k records",
    parse: |value| parse_as::<KAnonymityParams, KAnonymity>("k-anonymity", value),
    schema: |generator| generator.subschema_for::<KAnonymityParams>(),
};

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    #[test]
    fn classes_of_table_2_are_4_anonymous() {
        // Lee 2017, Table 2: one class of seven records.
        let model = (ENTRY.parse)(json!({ "k": 4 })).unwrap();
        assert!(model.holds(&Class { size: 7, sensitive: &[] }));
        assert!(!model.holds(&Class { size: 3, sensitive: &[] }));
    }

    #[test]
    fn k_below_two_is_refused() {
        for k in [0, 1] {
            assert!((ENTRY.parse)(json!({ "k": k })).unwrap_err().to_string().contains("at least 2"));
        }
        assert!((find("k-anonymity").unwrap().parse)(json!({ "k": 2, "l": 3 })).is_err());
    }
}
