//! k-map: what is promised.

use super::{Facts, Terms};

const SUMMARY: &str = "the values of every class are those of at least k records of the population";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "k-map",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "It relies on what is known of the population. Who knows that a person is in the table faces \
             the class of the release, which may be smaller. Sensitive values are not hidden.",
    facts: Facts { population: true, counts_persons: true, least_in_population: Some("k"), ..Facts::NONE },
};
