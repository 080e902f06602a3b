//! What passed a door, kept: so that the same answers can be given to a run on another table.

use std::fmt;

use crate::{Gaussian, Rational};

/// A query as a door saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Counts that get noise.
    Noise {
        /// The counts.
        counts: Vec<i64>,
        /// Δ, in the Euclidean norm.
        sensitivity: u64,
        /// The noise.
        law: Gaussian,
    },
    /// Scores of candidates, of which one is chosen.
    Choice {
        /// The scores.
        scores: Vec<i64>,
        /// Δ, of each score.
        sensitivity: u64,
        /// ε.
        epsilon: Rational,
    },
}

/// A query with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// What it was for.
    pub step: String,
    /// What was asked.
    pub query: Query,
    /// Noisy counts, or the number of the chosen candidate.
    pub answer: Vec<i64>,
}

/// All that passed a door, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tape(pub Vec<Answered>);

/// Answers that no table makes likely, for branches that draws seldom reach. All are outcomes of every table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wild {
    /// All counts are 0, and the first candidate is chosen.
    Nothing,
    /// Counts are by turns 6σ above and below 0, and the last candidate is chosen.
    Swinging,
    /// All counts are 10σ, and the last candidate is chosen.
    Everything,
}

impl Wild {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Swinging, Self::Everything];

    /// What such answers are, for reports.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "all noisy counts 0, the first candidate",
            Self::Swinging => "noisy counts 6 standard deviations above and below 0, the last candidate",
            Self::Everything => "noisy counts of 10 standard deviations, the last candidate",
        }
    }

    pub(crate) fn answer(self, query: &Query) -> Vec<i64> {
        match query {
            Query::Noise { counts, law, .. } => {
                let deviation =
                    i64::try_from((law.variance().numerator() / law.variance().denominator()).isqrt());
                let deviation = deviation.unwrap_or(i64::MAX / 1000) + 1;
                (0..counts.len())
                    .map(|place| match self {
                        Self::Nothing => 0,
                        Self::Swinging if place % 2 == 0 => 6 * deviation,
                        Self::Swinging => -6 * deviation,
                        Self::Everything => 10 * deviation,
                    })
                    .collect()
            }
            Query::Choice { scores, .. } => {
                vec![if self == Self::Nothing { 0 } else { scores.len() as i64 - 1 }]
            }
        }
    }
}

/// Why two tables are told apart by more than was paid for. A query is named by its number, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// One run asks what the other does not: another step, length, law or ε, or none.
    Asked {
        /// The query.
        number: usize,
    },
    /// A query moves by more than its sensitivity.
    Moved {
        /// The query.
        number: usize,
        /// What it was for.
        step: String,
        /// ‖q − q′‖₂², or the most that a score moves.
        by: u128,
        /// Δ², or Δ.
        allowed: u128,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked { number } => write!(f, "query {number} is not the same on both tables"),
            Self::Moved { number, step, by, allowed } => {
                write!(f, "query {number}, {step}, moves by {by}, where {allowed} is paid for")
            }
        }
    }
}

/// How a query differs from that of another table; `None` where it does not by more than is paid for.
pub(crate) fn compared(number: usize, taped: &Answered, step: &str, query: &Query) -> Option<Difference> {
    let asked = Some(Difference::Asked { number });
    if taped.step != step {
        return asked;
    }
    let moved = |by: u128, allowed: u128| {
        (by > allowed).then(|| Difference::Moved { number, step: step.to_owned(), by, allowed })
    };
    match (&taped.query, query) {
        (
            Query::Noise { counts, sensitivity, law },
            Query::Noise { counts: others, sensitivity: other, law: another },
        ) if counts.len() == others.len() && sensitivity == other && law == another => {
            let square = |(a, b): (&i64, &i64)| u128::from(a.abs_diff(*b)) * u128::from(a.abs_diff(*b));
            let by = counts.iter().zip(others).map(square).fold(0, u128::saturating_add);
            moved(by, u128::from(*sensitivity) * u128::from(*sensitivity))
        }
        (
            Query::Choice { scores, sensitivity, epsilon },
            Query::Choice { scores: others, sensitivity: other, epsilon: another },
        ) if scores.len() == others.len() && sensitivity == other && epsilon == another => {
            let by = scores.iter().zip(others).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
            moved(by.into(), (*sensitivity).into())
        }
        _ => asked,
    }
}
