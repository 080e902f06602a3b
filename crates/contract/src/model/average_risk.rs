//! Average re-identification risk: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

const SUMMARY: &str = "the mean class size is at least 1/risk";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "average-risk",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "Single records may be alone in their class as long as the mean holds: ask for k-anonymity \
             besides. Sensitive values are not hidden.",
    facts: Facts { table_level: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AverageRiskParams {
    /// The largest mean risk of re-identification, above 0 and at most 1.
    pub risk: f64,
}
