//! What is minimized among the nodes within the limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is minimized.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// The reconstruction error, as published. It can give up a whole attribute for the others.
    Rce,
    /// The mean degree of generalization of the original records, 1 for a suppressed one.
    #[default]
    Loss,
    /// How many counterfeits are released; RCE among equals.
    Counterfeits,
}

/// Over which records RCE is summed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// The original ones: what is lost of what was there.
    #[default]
    Original,
    /// The released ones, a counterfeit counting as wholly lost: 1 an integral.
    Released,
}
