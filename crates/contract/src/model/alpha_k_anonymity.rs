//! (α, k)-anonymity: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms, Usual};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "alpha-k-anonymity",
    summary: "every class has at least k records and no sensitive value a share above alpha",
    words: |_| {
        "Nobody can be distinguished from at least k − 1 other records, and in no group does a single sensitive \
             value stand for more than the share alpha.".into()
    },
    limits: "A value may still be far more frequent in a class than in the whole table, and who knows a \
             person can rule values out.",
    facts: Facts {
        sensitive: true,
        least_class: Some("k"),
        counts_persons: true,
        usual: &[Usual::AtLeast("k", 5), Usual::Below("alpha", 1)],
        ..Facts::NONE
    },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlphaKAnonymityParams {
    /// The largest share of one sensitive value in a class, above 0 and at most 1.
    pub alpha: f64,
    /// The least class size, at least 2.
    pub k: u64,
}
