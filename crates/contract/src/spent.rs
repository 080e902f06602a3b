//! What was spent of a privacy budget.

use serde::Deserialize;
use velamen_dp::{Loss, Rational};

/// What one step spent of a privacy budget, as the manifest writes it: `1/10`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Spent {
    /// The name of the step.
    pub step: String,
    /// Its ε.
    pub epsilon: String,
    /// Its δ.
    pub delta: String,
}

impl Spent {
    /// ε and δ as numbers; `None` if they do not read.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        Some(Loss { epsilon: Rational::read(&self.epsilon)?, delta: Rational::read(&self.delta)? })
    }
}
