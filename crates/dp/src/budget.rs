//! What privacy may be lost in total, and what each step takes of it.
//!
//! Basic composition (Dwork et al. 2006): mechanisms on the same records that are (εᵢ, δᵢ)-
//! differentially private are together (Σ εᵢ, Σ δᵢ)-differentially private. The sums are exact.

use std::fmt;

use serde::Serialize;

use crate::Rational;

/// A loss of privacy (ε, δ).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The logarithm of the ratio by which one record may change a probability.
    pub epsilon: Rational,
    /// The probability that may fall outside that ratio; 0 for pure differential privacy.
    pub delta: Rational,
}

impl Loss {
    /// None at all.
    pub const NONE: Self = Self { epsilon: Rational::ZERO, delta: Rational::ZERO };

    /// A pure loss: δ = 0.
    #[must_use]
    pub fn pure(epsilon: Rational) -> Self {
        Self { epsilon, delta: Rational::ZERO }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let epsilon = self.epsilon.checked_add(other.epsilon)?;
        Some(Self { epsilon, delta: self.delta.checked_add(other.delta)? })
    }

    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        let epsilon = self.epsilon.checked_sub(other.epsilon)?;
        Some(Self { epsilon, delta: self.delta.checked_sub(other.delta)? })
    }

    fn covers(self, other: Self) -> bool {
        other.epsilon <= self.epsilon && other.delta <= self.delta
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epsilon {}, delta {}", self.epsilon, self.delta)
    }
}

/// What one step took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spend {
    /// What the loss was for.
    pub step: String,
    /// What it took.
    #[serde(flatten)]
    pub loss: Loss,
}

/// Why a loss is not granted. The budget is as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetError {
    /// More than is left.
    Overspent {
        /// What the loss would have been for.
        step: String,
        /// What it would have taken.
        asked: Loss,
        /// What is left.
        left: Loss,
    },
    /// The exact sum has a denominator of 2⁶³ or more.
    Inexact {
        /// What the loss would have been for.
        step: String,
    },
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overspent { step, asked, left } => {
                write!(f, "the step {step} asks for {asked}, but only {left} is left of the privacy budget")
            }
            Self::Inexact { step } => {
                write!(f, "with the step {step} the privacy budget no longer sums exactly")
            }
        }
    }
}

impl std::error::Error for BudgetError {}

/// A total (ε, δ) and what was taken of it, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Budget {
    total: Loss,
    spent: Loss,
    left: Loss,
    steps: Vec<Spend>,
}

impl Budget {
    /// A budget of which nothing is spent.
    #[must_use]
    pub fn new(total: Loss) -> Self {
        Self { total, spent: Loss::NONE, left: total, steps: Vec::new() }
    }

    /// Takes `loss` for `step`. To be called before the mechanism draws.
    ///
    /// # Errors
    /// [`BudgetError::Overspent`] if less is left; [`BudgetError::Inexact`] if the exact sum does not
    /// fit. Nothing is taken then.
    pub fn spend(&mut self, step: &str, loss: Loss) -> Result<(), BudgetError> {
        let step = step.to_owned();
        if !self.left.covers(loss) {
            return Err(BudgetError::Overspent { step, asked: loss, left: self.left });
        }
        let (Some(spent), Some(left)) = (self.spent.plus(loss), self.left.minus(loss)) else {
            return Err(BudgetError::Inexact { step });
        };
        (self.spent, self.left) = (spent, left);
        self.steps.push(Spend { step, loss });
        Ok(())
    }

    /// The total.
    #[must_use]
    pub fn total(&self) -> Loss {
        self.total
    }

    /// The exact sum of what was taken.
    #[must_use]
    pub fn spent(&self) -> Loss {
        self.spent
    }

    /// The total less what was taken.
    #[must_use]
    pub fn left(&self) -> Loss {
        self.left
    }

    /// What was taken, in the order of the steps.
    #[must_use]
    pub fn steps(&self) -> &[Spend] {
        &self.steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pure(epsilon: f64) -> Loss {
        Loss::pure(Rational::from_decimal(epsilon).unwrap())
    }

    #[test]
    fn four_parts_add_up_to_one_exactly() {
        let mut budget = Budget::new(pure(1.0));
        for (step, epsilon) in [("suppression", 0.1), ("insertion", 0.3), ("value", 0.3), ("candidates", 0.3)]
        {
            budget.spend(step, pure(epsilon)).unwrap();
        }
        assert_eq!((budget.spent(), budget.left()), (pure(1.0), Loss::NONE));
        assert!(budget.spend("more", Loss::NONE).is_ok());
        let least = pure(1e-18);
        let error = budget.spend("more", least).unwrap_err();
        assert_eq!(error, BudgetError::Overspent { step: "more".into(), asked: least, left: Loss::NONE });
        assert_eq!(budget.steps().len(), 5);
    }

    #[test]
    fn delta_is_a_budget_of_its_own() {
        let small = Rational::from_decimal(1e-5).unwrap();
        let mut budget = Budget::new(Loss { epsilon: small, delta: small });
        assert!(budget.spend("a", Loss { epsilon: Rational::ZERO, delta: small }).is_ok());
        assert!(budget.spend("b", Loss { epsilon: Rational::ZERO, delta: small }).is_err());
        assert!(budget.spend("c", Loss::pure(small)).is_ok());
    }

    #[test]
    fn what_does_not_sum_exactly_is_refused() {
        let of = |denominator| Loss::pure(Rational::new(1, denominator).unwrap());
        let mut budget = Budget::new(pure(1.0));
        budget.spend("a", of((1 << 62) - 1)).unwrap();
        let before = budget.clone();
        assert_eq!(budget.spend("b", of(1 << 62)), Err(BudgetError::Inexact { step: "b".into() }));
        assert_eq!(budget, before);
    }

    #[test]
    fn an_error_says_how_much_was_asked_and_is_left() {
        let small = Rational::from_decimal(1e-5).unwrap();
        let mut budget = Budget::new(Loss { epsilon: Rational::new(1, 2).unwrap(), delta: small });
        let error = budget.spend("node", pure(0.75)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the step node asks for epsilon 3/4, delta 0, but only epsilon 1/2, delta 1/100000 is left of the \
             privacy budget"
        );
        let error = BudgetError::Inexact { step: "node".into() };
        assert_eq!(error.to_string(), "with the step node the privacy budget no longer sums exactly");
    }

    #[test]
    fn the_listing_is_text() {
        let mut budget = Budget::new(pure(0.5));
        budget.spend("node", pure(0.2)).unwrap();
        let expected = serde_json::json!({
            "total": {"epsilon": "1/2", "delta": "0"},
            "spent": {"epsilon": "1/5", "delta": "0"},
            "left": {"epsilon": "3/10", "delta": "0"},
            "steps": [{"step": "node", "epsilon": "1/5", "delta": "0"}],
        });
        assert_eq!(serde_json::to_value(&budget).unwrap(), expected);
    }
}
