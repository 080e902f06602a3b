//! Sample uniqueness: what is promised.

use super::{Facts, Terms};

const SUMMARY: &str = "at most a share of the records is alone in its class";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "sample-uniqueness",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "Pairs and other small classes are allowed, and so is the given share of records that are \
             alone. Sensitive values are not hidden.",
    facts: Facts { table_level: true, ..Facts::NONE },
};
