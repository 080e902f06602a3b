//! δ-presence: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

const SUMMARY: &str =
    "whether a person of the population is in the table is known with a probability of min to max only";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "delta-presence",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "It hides whether a person is in the table, not what the table says of the people in it, and \
             it relies on the population's table.",
    facts: Facts { population: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeltaPresenceParams {
    /// The least probability that a person of the population is in the table, from 0.
    #[serde(default)]
    pub min: f64,
    /// The largest one, at most 1.
    pub max: f64,
}
