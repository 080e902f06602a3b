//! δ-disclosure privacy: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Facts, Terms};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "delta-disclosure",
    summary: "no share in a class differs from the table's by a factor of 2^delta or more",
    words: |_| {
        "Finding a person's group raises no sensitive value's likelihood by more than a fixed factor over that in \
             the whole table.".into()
    },
    limits: "It does not limit how small a class may be: ask for k-anonymity besides. What the whole \
             table shows of everybody can still be learned.",
    facts: Facts { sensitive: true, against_table: true, counts_persons: true, ..Facts::NONE },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeltaDisclosureParams {
    /// The bound on the change of any share, in bits, above 0.
    pub delta: f64,
}
