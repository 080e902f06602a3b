//! Population uniqueness: what is promised.

use super::{Facts, Terms};

const SUMMARY: &str = "the estimated share of the population's records that are unique is at most a bound";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "population-uniqueness",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "It is an estimate over the whole population, not a bound for each record. Who knows that a \
             person is in the table is not held off. Sensitive values are not hidden.",
    facts: Facts { table_level: true, population: true, ..Facts::NONE },
};
