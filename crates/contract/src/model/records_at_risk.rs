//! Records at risk: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

const SUMMARY: &str = "at most a share of the records is in classes of fewer than 1/risk records";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "records-at-risk",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "The share that is allowed stays at risk, if need be alone in its class. Sensitive values are \
             not hidden.",
    facts: Facts { table_level: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsAtRiskParams {
    /// The largest share of records at risk, from 0 and below 1.
    pub share: f64,
    /// A record is at risk if its risk of re-identification is above this, above 0 and at most 1.
    pub risk: f64,
}
