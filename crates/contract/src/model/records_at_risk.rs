//! Records at risk: what is promised.

use super::{Facts, Terms};

const SUMMARY: &str = "at most a share of the records is in classes of fewer than 1/risk records";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "records-at-risk",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "The share that is allowed stays at risk, if need be alone in its class. Sensitive values are \
             not hidden.",
    facts: Facts { table_level: true, ..Facts::NONE },
};
