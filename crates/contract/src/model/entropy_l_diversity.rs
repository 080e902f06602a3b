//! Entropy l-diversity: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms, Usual};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "entropy-l-diversity",
    summary: "the entropy of the sensitive values in every class is at least ln l",
    words: |_| {
        "In every group the sensitive values are so mixed that guessing is as hard as among l equally frequent ones.".into()
    },
    limits: "Values that mean much the same count as different, and a class may still differ from the \
             whole table, which says something about its people.",
    facts: Facts {
        sensitive: true,
        counts_persons: true,
        least_values: Some("l"),
        usual: &[Usual::AtLeast("l", 2)],
        ..Facts::NONE
    },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EntropyLDiversityParams {
    /// The least effective number of sensitive values in a class, above 1.
    pub l: f64,
}
