//! Population uniqueness: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::uniqueness::Estimator;

use super::{Facts, Terms};

const SUMMARY: &str = "the estimated share of the population's records that are unique is at most a bound";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "population-uniqueness",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "It is an estimate over the whole population, not a bound for each record. Who knows that a \
             person is in the table is not held off. Sensitive values are not hidden.",
    facts: Facts { table_level: true, population: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PopulationUniquenessParams {
    /// The largest share of the population's records that are unique, from 0 and below 1.
    pub share: f64,
    /// How the share is estimated.
    #[serde(default = "usual_estimator")]
    pub estimator: Estimator,
}

fn usual_estimator() -> Estimator {
    Estimator::Dankar
}
