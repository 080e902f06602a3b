//! MS(k, θ*)-bounding: what is promised.

use super::{Facts, Terms};

const SUMMARY: &str =
    "every class has at least k records and each sensitive value a share of at most its own theta";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "ms-bounding",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "Values without a bound of their own may cover a whole class, and who knows a person can rule \
             values out.",
    facts: Facts { sensitive: true, least_class: Some("k"), counts_persons: true, ..Facts::NONE },
};
