//! The door: all that a method with zero-concentrated differential privacy learns from its table passes here.
//!
//! A query is a table of whole numbers or of whole scores, with the most that one person may change of it. Before anything is
//! drawn, its cost stands in the account. What comes out is all that the method may go on with.

use std::fmt;

use serde::Serialize;

use crate::{Gaussian, Rational, Stream, Zcdp, choose};

/// What one query cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Paid {
    /// What was asked.
    pub step: String,
    /// What it cost.
    pub rho: Zcdp,
}

/// Why a query is not answered. Nothing was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DoorError {
    /// It costs more than is left.
    Overspent {
        /// What was asked.
        step: String,
    },
    /// Its cost is beyond all budgets.
    Unpayable {
        /// What was asked.
        step: String,
    },
}

impl fmt::Display for DoorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overspent { step } => {
                write!(f, "the step {step} costs more than is left of the privacy budget")
            }
            Self::Unpayable { step } => write!(f, "the step {step} costs more than any privacy budget has"),
        }
    }
}

impl std::error::Error for DoorError {}

/// The one way to a table's counts: it holds the budget and the streams of draws.
#[derive(Debug)]
pub struct Door {
    noise: Stream,
    choices: Stream,
    left: Zcdp,
    paid: Vec<Paid>,
}

impl Door {
    /// A door with a budget, and a stream each for noise and for choices, which nothing else draws from.
    #[must_use]
    pub fn live(noise: Stream, choices: Stream, budget: Zcdp) -> Self {
        Self { noise, choices, left: budget, paid: Vec::new() }
    }

    /// The query with noise of the law on each number, where one person moves it by at most `sensitivity` in the Euclidean
    /// norm.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left.
    pub fn noise(
        &mut self,
        step: &str,
        query: &[i64],
        sensitivity: u64,
        law: Gaussian,
    ) -> Result<Vec<i64>, DoorError> {
        self.pay(step, Zcdp::of_noise(sensitivity, law.variance()))?;
        Ok(query.iter().map(|count| count.saturating_add(law.draw(&mut self.noise))).collect())
    }

    /// One of the candidates by the exponential mechanism, where one person moves each score by at most `sensitivity`.
    ///
    /// # Errors
    /// [`DoorError`] if it costs more than is left.
    ///
    /// # Panics
    /// As [`choose`].
    pub fn choose(
        &mut self,
        step: &str,
        scores: &[i64],
        sensitivity: u64,
        epsilon: Rational,
    ) -> Result<usize, DoorError> {
        self.pay(step, Zcdp::of_choice(epsilon))?;
        Ok(choose(scores, sensitivity, epsilon, &mut self.choices))
    }

    fn pay(&mut self, step: &str, cost: Option<Zcdp>) -> Result<(), DoorError> {
        let step = step.to_owned();
        let Some(rho) = cost else { return Err(DoorError::Unpayable { step }) };
        let Some(left) = self.left.minus(rho) else { return Err(DoorError::Overspent { step }) };
        self.left = left;
        self.paid.push(Paid { step, rho });
        Ok(())
    }

    /// What is left.
    #[must_use]
    pub fn left(&self) -> Zcdp {
        self.left
    }

    /// What was paid, in the order of the queries.
    #[must_use]
    pub fn paid(&self) -> &[Paid] {
        &self.paid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    fn door(units: u128) -> Door {
        let seed = Seed::from_number(80);
        Door::live(seed.stream(0), seed.stream(1), Zcdp::units(units))
    }

    fn law(variance: u64) -> Gaussian {
        Gaussian::new(Rational::new(variance, 1).unwrap()).unwrap()
    }

    #[test]
    fn every_query_is_paid_before_it_is_drawn() {
        let mut door = door(1 << 60);
        // ½ · 1²/1 and 2²/8 · ½ = ¼: the rest is ¼.
        let noisy = door.noise("one", &[5, 5, 5], 1, law(1)).unwrap();
        assert_eq!(noisy.len(), 3);
        let chosen = door.choose("two", &[0, 1 << 40], 1, Rational::new(1, 1).unwrap()).unwrap();
        assert_eq!(chosen, 1);
        assert_eq!(door.left(), Zcdp::units((1 << 59) - (1 << 57)));
        let steps: Vec<(&str, u128)> =
            door.paid().iter().map(|paid| (paid.step.as_str(), paid.rho.as_units())).collect();
        assert_eq!(steps, [("one", 1 << 59), ("two", 1 << 57)]);
    }

    #[test]
    fn what_is_too_dear_draws_nothing() {
        let (mut poor, mut fresh) = (door((1 << 59) - 1), door(1 << 59));
        assert_eq!(poor.noise("one", &[1], 1, law(1)), Err(DoorError::Overspent { step: "one".into() }));
        assert!(poor.paid().is_empty());
        let dear = Rational::new(u64::MAX, 1).unwrap();
        assert_eq!(poor.choose("two", &[1], 1, dear), Err(DoorError::Unpayable { step: "two".into() }));
        // The stream is where it was.
        poor.left = Zcdp::units(1 << 59);
        assert_eq!(poor.noise("one", &[1], 1, law(1)), fresh.noise("one", &[1], 1, law(1)));
    }

    #[test]
    fn more_sensitivity_costs_its_square() {
        let mut door = door(1 << 62);
        door.noise("three", &[0], 3, law(9)).unwrap();
        assert_eq!(door.paid()[0].rho, Zcdp::units(1 << 59));
    }
}
