//! Distinct l-diversity: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms, Usual};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "distinct-l-diversity",
    summary: "every class has at least l distinct sensitive values",
    words: |_| {
        "Every group has at least l different sensitive values: someone who finds a person's group still has l values to \
             choose from.".into()
    },
    limits: "One value may cover nearly the whole class, and the l values may mean much the same, such as \
             the stages of one disease.",
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
pub struct DistinctLDiversityParams {
    /// The least number of distinct sensitive values in a class, at least 2.
    pub l: u64,
}
