//! Information leak: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

const SUMMARY: &str = "the quasi-identifiers together leak at most a share of the bits that find a record";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "information-leak",
    summary: SUMMARY,
    words: |_| {
        "The values of the quasi-identifiers give at most a share of the information that is needed to find one record among \
         all: on average over the records, and for any of these attributes alone no more than for all together."
            .into()
    },
    limits: "It is a mean: single records may be alone in their class, so ask for k-anonymity besides. Sensitive values are not \
             hidden.",
    facts: Facts { table_level: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InformationLeakParams {
    /// The largest share of the bits, ΔS/S₀: from 0 and below 1.
    pub share: f64,
}
