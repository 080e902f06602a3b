//! Sample uniqueness: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

const SUMMARY: &str = "at most a share of the records is alone in its class";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "sample-uniqueness",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "Pairs and other small classes are allowed, and so is the given share of records that are \
             alone. Sensitive values are not hidden.",
    facts: Facts { table_level: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampleUniquenessParams {
    /// The largest share of unique records, from 0 and below 1.
    pub share: f64,
}
