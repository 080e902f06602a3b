//! p-sensitive k-anonymity: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms, Usual};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "p-sensitive-k-anonymity",
    summary: "every class has at least k records and p distinct sensitive values",
    words: |_| {
        "Nobody can be distinguished from at least k − 1 other records, and every group has at least p different \
             sensitive values: finding a person's group does not reveal the person's value.".into()
    },
    limits: "One of the p values may cover nearly the whole class, and the values may mean much the same: \
             a guess can still be right almost always.",
    facts: Facts {
        sensitive: true,
        least_class: Some("k"),
        counts_persons: true,
        least_values: Some("p"),
        usual: &[Usual::AtLeast("k", 5), Usual::AtLeast("p", 2)],
        ..Facts::NONE
    },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PSensitiveKAnonymityParams {
    /// The least number of distinct sensitive values in a class, at least 1.
    pub p: u64,
    /// The least class size, at least 2.
    pub k: u64,
}
