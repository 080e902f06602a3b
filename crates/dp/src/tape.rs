//! What passed a door, kept: so that the same answers can be given to a run on another table.

use std::collections::BTreeMap;
use std::fmt;

use crate::cells::{CellCounts, CellLaw};
use crate::sampled::{ClassCounts, SampleLaw};
use crate::watch::WatchLaw;
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
    /// Counts that get two-sided geometric noise.
    Counts {
        /// The counts.
        counts: Vec<i64>,
        /// ε.
        epsilon: Rational,
    },
    /// Counts of all cells of a domain, of which those from a threshold on are given.
    Cells {
        /// Those of the cells that have records.
        occupied: CellCounts,
        /// How many cells there are.
        cells: u128,
        /// What is given.
        law: CellLaw,
    },
    /// Classes of which a sample is drawn.
    Sample {
        /// Their records.
        classes: ClassCounts,
        /// What is given.
        law: SampleLaw,
    },
    /// The noise of a threshold.
    Watch {
        /// Its law, and that of the distances.
        law: WatchLaw,
    },
    /// A distance that is held against a threshold.
    Distance {
        /// The distance.
        distance: u64,
        /// The threshold, without its noise.
        threshold: u64,
    },
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Noisy counts, the number of the chosen candidate, or 1 of a distance that reaches its threshold.
    Numbers(Vec<i64>),
    /// Cells that are given.
    Cells(CellCounts),
    /// Classes of a sample.
    Classes(ClassCounts),
}

impl Answer {
    /// The numbers, if it is of those.
    #[must_use]
    pub fn numbers(&self) -> &[i64] {
        match self {
            Self::Numbers(numbers) => numbers,
            Self::Cells(_) | Self::Classes(_) => &[],
        }
    }

    /// The number at a place.
    pub(crate) fn number(&self, place: usize) -> Option<i64> {
        self.numbers().get(place).copied()
    }

    /// The chosen one of so many candidates. Of a tape of another run it may not be there.
    pub(crate) fn chosen(&self, candidates: usize) -> usize {
        let chosen = self.number(0).and_then(|chosen| usize::try_from(chosen).ok());
        chosen.unwrap_or(0).min(candidates - 1)
    }
}

/// A query with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// What it was for.
    pub step: String,
    /// What was asked.
    pub query: Query,
    /// What came out.
    pub answer: Answer,
}

/// All that passed a door, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tape(pub Vec<Answered>);

/// Answers that no table makes likely, for branches that draws seldom reach. All are outcomes of every table; where only occupied
/// cells or large classes can be given, of the one that the tape is of, since of others δ covers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wild {
    /// All counts are 0, no cell and no class is given, and the first candidate is chosen.
    Nothing,
    /// Counts are by turns 6σ above and below 0, every other cell and class is given, and the last candidate is chosen.
    Swinging,
    /// All counts are 10σ, many cells and all large classes are given, and the last candidate is chosen.
    Everything,
}

/// The most cells that are made up.
const MADE_UP: u128 = 64;

impl Wild {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Swinging, Self::Everything];

    /// What such answers are, for reports.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "all noisy counts 0, nothing given, the first candidate",
            Self::Swinging => {
                "noisy counts 6 standard deviations above and below 0, every other cell or class given, the last candidate"
            }
            Self::Everything => {
                "noisy counts of 10 standard deviations, many cells or all large classes given, the last candidate"
            }
        }
    }

    pub(crate) fn answer(self, query: &Query) -> Answer {
        match query {
            Query::Noise { counts, law, .. } => {
                let deviation =
                    i64::try_from((law.variance().numerator() / law.variance().denominator()).isqrt());
                self.counts(counts.len(), deviation.unwrap_or(i64::MAX / 1000) + 1)
            }
            Query::Counts { counts, epsilon } => {
                self.counts(counts.len(), (2.0 / epsilon.to_f64()).min(1e15) as i64 + 1)
            }
            Query::Choice { scores, .. } => {
                Answer::Numbers(vec![if self == Self::Nothing { 0 } else { scores.len() as i64 - 1 }])
            }
            Query::Cells { occupied, cells, law } => Answer::Cells(self.cells(occupied, *cells, *law)),
            Query::Sample { classes, law } => {
                let large = classes.iter().filter(|(_, count)| **count >= law.least);
                let given = large.enumerate().filter(|(place, _)| self.gives(*place));
                Answer::Classes(given.map(|(_, (class, count))| (class.clone(), *count)).collect())
            }
            Query::Watch { .. } => Answer::Numbers(Vec::new()),
            Query::Distance { .. } => Answer::Numbers(vec![i64::from(self != Self::Nothing)]),
        }
    }

    fn counts(self, len: usize, deviation: i64) -> Answer {
        Answer::Numbers((0..len).map(|place| self.count(place, deviation)).collect())
    }

    fn count(self, place: usize, deviation: i64) -> i64 {
        match self {
            Self::Nothing => 0,
            Self::Swinging if place.is_multiple_of(2) => 6 * deviation,
            Self::Swinging => -6 * deviation,
            Self::Everything => 10 * deviation,
        }
    }

    fn gives(self, place: usize) -> bool {
        match self {
            Self::Nothing => false,
            Self::Swinging => place.is_multiple_of(2),
            Self::Everything => true,
        }
    }

    /// Occupied cells where no others can be given, else the first of the domain, from the threshold on.
    fn cells(self, occupied: &[(u128, u64)], cells: u128, law: CellLaw) -> CellCounts {
        let numbers: Vec<u128> = match law.occupied_only() {
            true => occupied.iter().map(|(cell, _)| *cell).collect(),
            false => (0..cells.min(MADE_UP)).collect(),
        };
        let given = numbers.into_iter().enumerate().filter(|(place, _)| self.gives(*place));
        given.map(|(place, cell)| (cell, law.threshold().saturating_add(place as u64 % 3))).collect()
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
    let moved = if taped.step == step { moved(&taped.query, query) } else { None };
    let Some((by, allowed)) = moved else { return Some(Difference::Asked { number }) };
    (by > allowed).then(|| Difference::Moved { number, step: step.to_owned(), by, allowed })
}

/// By how much a query moves, and what is paid for; `None` where it is another query.
fn moved(query: &Query, other: &Query) -> Option<(u128, u128)> {
    match (query, other) {
        (
            Query::Noise { counts, sensitivity, law },
            Query::Noise { counts: others, sensitivity: other, law: another },
        ) if counts.len() == others.len() && sensitivity == other && law == another => {
            let square = |by: u64| u128::from(by) * u128::from(by);
            let by = away(counts, others).map(square).fold(0, u128::saturating_add);
            Some((by, square(*sensitivity)))
        }
        (
            Query::Choice { scores, sensitivity, epsilon },
            Query::Choice { scores: others, sensitivity: other, epsilon: another },
        ) if scores.len() == others.len() && sensitivity == other && epsilon == another => {
            Some((away(scores, others).max().unwrap_or(0).into(), (*sensitivity).into()))
        }
        (Query::Counts { counts, epsilon }, Query::Counts { counts: others, epsilon: another })
            if counts.len() == others.len() && epsilon == another =>
        {
            Some((away(counts, others).map(u128::from).fold(0, u128::saturating_add), 1))
        }
        (
            Query::Cells { occupied, cells, law },
            Query::Cells { occupied: others, cells: other, law: another },
        ) if cells == other && law == another => {
            Some((between(occupied.iter().copied(), others.iter().copied()), 1))
        }
        (Query::Sample { classes, law }, Query::Sample { classes: others, law: another })
            if law == another =>
        {
            let counts = |classes: &ClassCounts| classes.clone().into_iter();
            Some((between(counts(classes), counts(others)), 1))
        }
        (Query::Watch { law }, Query::Watch { law: another }) if law == another => Some((0, 0)),
        (
            Query::Distance { distance, threshold },
            Query::Distance { distance: other, threshold: another },
        ) if threshold == another => Some((distance.abs_diff(*other).into(), 1)),
        _ => None,
    }
}

fn away<'a>(numbers: &'a [i64], others: &'a [i64]) -> impl Iterator<Item = u64> + 'a {
    numbers.iter().zip(others).map(|(number, other)| number.abs_diff(*other))
}

/// Σ |count − other| over all that have one.
fn between<K: Ord>(counts: impl Iterator<Item = (K, u64)>, others: impl Iterator<Item = (K, u64)>) -> u128 {
    let mut both: BTreeMap<K, (u64, u64)> = counts.map(|(key, count)| (key, (count, 0))).collect();
    for (key, count) in others {
        both.entry(key).or_default().1 = count;
    }
    both.values().fold(0, |sum, (count, other)| sum.saturating_add(count.abs_diff(*other).into()))
}
