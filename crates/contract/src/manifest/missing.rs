//! What missing values match.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a missing quasi-identifier value matches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Itself alone.
    #[default]
    OwnValue,
    /// Any value: a record cannot be told from all that agree with it wherever neither is missing.
    Wildcard,
}

impl Missing {
    /// Whether it is a value of its own.
    #[must_use]
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    pub fn is_own_value(&self) -> bool {
        *self == Self::OwnValue
    }
}
