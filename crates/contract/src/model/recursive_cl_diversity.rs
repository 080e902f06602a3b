//! Recursive (c, l)-diversity: what is promised.

use super::{Facts, Terms};

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
    facts: Facts { sensitive: true, ..Facts::NONE },
};
