//! Recursive (c, l)-diversity: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms, Usual};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "recursive-cl-diversity",
    summary: "in every class the commonest sensitive value is rarer than c times the l-th and rarer ones",
    words: |_| {
        "In no group is one sensitive value so frequent that it could be guessed with confidence, even after \
             some others are ruled out."
            .into()
    },
    limits: "Values that mean much the same count as different, and a rare, telling value may gather in \
             one class.",
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
pub struct RecursiveClDiversityParams {
    /// How much more frequent the commonest value may be than the rarer ones together, above 0.
    pub c: f64,
    /// From which value in descending order the rarer ones begin, at least 2.
    pub l: u64,
}
