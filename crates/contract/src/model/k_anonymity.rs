//! k-anonymity: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Facts, Terms, Usual};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "k-anonymity",
    summary: "every class has at least k records",
    words,
    limits: "It does not hide sensitive values: if all records of a class share one, it is known of \
             everybody in the class. Who knows more of a person than the quasi-identifiers can still find \
             that person.",
    facts: Facts {
        least_class: Some("k"),
        only_size: true,
        shields: true,
        counts_persons: true,
        usual: &[Usual::AtLeast("k", 5)],
        ..Facts::NONE
    },
};

/// By the attributes that a shield names, or by all quasi-identifiers.
fn words(asked: &Value) -> String {
    match asked.get("attributes") {
        Some(_) => "Nobody can be distinguished from at least k − 1 other released records by the attributes named here. Someone who \
             knows other attributes as well may tell them apart.",
        None => "Nobody can be distinguished from at least k − 1 other released records by the quasi-identifiers.",
    }
    .into()
}

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KAnonymityParams {
    /// The least number of records that share all released quasi-identifier values, at least 2.
    pub k: u64,
}
