//! MS(k, θ*)-bounding: what is promised.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

const SUMMARY: &str =
    "every class has at least k records and each sensitive value a share of at most its own theta";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "ms-bounding",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "Values without a bound of their own may cover a whole class, and who knows a person can rule \
             values out.",
    facts: Facts { sensitive: true, least_class: Some("k"), counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MsBoundingParams {
    /// The least class size, at least 2.
    pub k: u64,
    /// The largest share of each sensitive value named, above 0 and at most 1; others are not bounded.
    pub theta: BTreeMap<String, f64>,
}
