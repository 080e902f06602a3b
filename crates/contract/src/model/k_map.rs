//! k-map: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Facts, Terms, Usual};

const SUMMARY: &str = "the values of every class are those of at least k records of the population";

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "k-map",
    summary: SUMMARY,
    words: |_| SUMMARY.into(),
    limits: "It relies on what is known of the population. Who knows that a person is in the table faces \
             the class of the release, which may be smaller. Sensitive values are not hidden.",
    facts: Facts {
        population: true,
        counts_persons: true,
        least_in_population: Some("k"),
        usual: &[Usual::AtLeast("k", 5)],
        ..Facts::NONE
    },
};

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KMapParams {
    /// The least number of records of the population that share a class's values, at least 2.
    pub k: u64,
    /// How the population's classes are estimated from its size.
    #[serde(default, deserialize_with = "some", skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// How often the estimate may be wrong, above 0 and below 1.
    #[serde(default = "usual_significance")]
    pub significance: f64,
}

/// How sample sizes of classes are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Estimate {
    /// Poisson.
    Poisson,
    /// Poisson, given that the class is in the sample at all.
    ZeroTruncatedPoisson,
}

/// One that is given has to be one: nothing is no way of estimating.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Estimate>, D::Error> {
    Estimate::deserialize(deserializer).map(Some)
}

fn usual_significance() -> f64 {
    0.05
}
