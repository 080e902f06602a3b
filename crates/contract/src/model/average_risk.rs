//! Average re-identification risk: what is promised.

use super::{Facts, Terms};

const SUMMARY: &str = "the mean class size is at least 1/risk";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "average-risk",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "Single records may be alone in their class as long as the mean holds: ask for k-anonymity \
             besides. Sensitive values are not hidden.",
    facts: Facts { table_level: true, ..Facts::NONE },
};
