//! The risk that the catalog of counterfeits leaves: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Facts, Terms};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "catalog-risk",
    summary: "release and catalog together leave a risk of re-identification of at most `risk`, if counterfeits lie uniformly",
    words: |_| {
        "Someone who uses the catalog and picks a record of a person's group picks the person's own with at most this \
             chance, if counterfeits lie uniformly where the catalog allows. Someone who knows what is usual for such \
             people does better; the custodian has figures for such an adversary.".into()
    },
    limits: "It takes counterfeits to lie uniformly: who knows what is usual for such people guesses \
             better. Sensitive values are not hidden.",
    facts: Facts { counts_persons: true, of_catalog: true, ..Facts::NONE },
};

/// What 1/risk may be above a whole number by rounding, in proportion.
const ROUNDING: f64 = 1e-12;

/// The risk that a release reaches.
#[must_use]
pub fn reached(reached: &Value) -> Option<f64> {
    reached.get("risk")?.as_f64()
}

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CatalogRiskParams {
    /// The largest risk of re-identification that release and catalog may leave, above 0 and at most 1.
    pub risk: f64,
}

impl CatalogRiskParams {
    /// The least size of a class that keeps it without counterfeits: ⌈1/risk⌉, and as much of it as rounding forgives.
    #[must_use]
    pub fn class_size(&self) -> u64 {
        (1.0 / self.risk * (1.0 - ROUNDING)).ceil() as u64
    }
}
