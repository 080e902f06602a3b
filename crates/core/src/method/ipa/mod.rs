//! Informative attribute preserving anonymization (IPA), Lee and Chung 2020: generalized quasi-identifiers,
//! raw sensitive values.

pub mod private;
pub mod published;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the release promises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// ε- or (ε, δ)-differential privacy, proven.
    #[default]
    DifferentialPrivacy,
    /// The method exactly as published, which is not differentially private.
    Published,
}
