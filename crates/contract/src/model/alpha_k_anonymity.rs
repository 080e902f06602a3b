//! (α, k)-anonymity: what is promised.

use super::{Facts, Terms};

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
    facts: Facts { sensitive: true, least_class: Some("k"), counts_persons: true, ..Facts::NONE },
};
