//! (ε, δ)-differential privacy: what is promised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Facts, Terms};

/// The model's terms.
pub const TERMS: Terms = Terms {
    name: "differential-privacy",
    summary: "one record changes the probability of any release by a factor of at most e^epsilon, but for delta",
    words: |_| {
        "The release would have come out almost as likely without any one record in the data: what follows \
             from it depends little on whether that record was there. The smaller ε, the stronger the promise.".into()
    },
    limits: "What holds of people in general can still be learned, and used about anybody. It protects \
             one record: a person with several loses more, and the losses of several releases add up.",
    facts: Facts { table_level: true, private: true, ..Facts::NONE },
};

/// What a release reaches: the size of its least class, and the size that its budget needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct ReachedSizes {
    /// The least class.
    pub class_size: Option<u64>,
    /// What it has to be.
    pub needed_class_size: Option<u64>,
}

/// The sizes that a release reaches, as far as they read.
#[must_use]
pub fn reached_sizes(reached: &Value) -> ReachedSizes {
    ReachedSizes::deserialize(reached).unwrap_or_default()
}

/// Parameters as the recipe gives them, and once checked.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DifferentialPrivacyParams {
    /// The logarithm of the ratio by which one record may change a probability, above 0.
    pub epsilon: f64,
    /// The probability that may fall outside that ratio, from 0 and below 1; 0 if left out.
    #[serde(default)]
    pub delta: f64,
}
