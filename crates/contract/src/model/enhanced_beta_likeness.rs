//! Enhanced β-likeness: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "enhanced-beta-likeness",
    summary: "as basic beta-likeness, with a bound of -ln p for common values",
    words: |_| {
        "Finding a person's group raises no sensitive value's likelihood by more than a fixed factor over that in \
             the whole table.".into()
    },
    limits: "It bounds gains only: a class can still show that its people do not have a value. It does \
             not limit how small a class may be: ask for k-anonymity besides.",
    facts: Facts { sensitive: true, against_table: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnhancedBetaLikenessParams {
    /// The largest relative gain of any share, above 0.
    pub beta: f64,
}
