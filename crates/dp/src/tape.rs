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

#[cfg(test)]
mod tests {
    use super::*;

    fn half() -> Rational {
        Rational::new(1, 2).unwrap()
    }

    fn gaussian(variance: u64) -> Gaussian {
        Gaussian::new(Rational::new(variance, 1).unwrap()).unwrap()
    }

    fn cell_law(threshold: u64, occupied_only: bool) -> CellLaw {
        CellLaw::new(half(), threshold, occupied_only).unwrap()
    }

    fn classes(counts: &[(&str, u64)]) -> ClassCounts {
        counts.iter().map(|(name, count)| (vec![(*name).to_owned()], *count)).collect()
    }

    /// How a query is compared with one of the same step on a tape.
    fn seen(taped: Query, query: &Query) -> Option<(u128, u128)> {
        let answer = Answer::Numbers(Vec::new());
        let taped = Answered { step: "step".into(), query: taped, answer };
        match compared(4, &taped, "step", query) {
            None => None,
            Some(Difference::Asked { number }) => Some((number as u128, 0)),
            Some(Difference::Moved { by, allowed, .. }) => Some((by, allowed)),
        }
    }

    /// What [`seen`] gives of queries that are not the same.
    const ANOTHER: Option<(u128, u128)> = Some((4, 0));

    #[test]
    fn noise_is_compared_by_its_square() {
        let query = |counts: &[i64], sensitivity, variance| Query::Noise {
            counts: counts.to_vec(),
            sensitivity,
            law: gaussian(variance),
        };
        assert_eq!(seen(query(&[7, 8], 2, 4), &query(&[7, 10], 2, 4)), None);
        assert_eq!(seen(query(&[7, 8], 2, 4), &query(&[5, 10], 2, 4)), Some((8, 4)));
        for other in [query(&[7], 2, 4), query(&[7, 8], 1, 4), query(&[7, 8], 2, 5)] {
            assert_eq!(seen(query(&[7, 8], 2, 4), &other), ANOTHER);
        }
    }

    #[test]
    fn choices_are_compared_by_the_score_that_moves_most() {
        let query = |scores: &[i64], sensitivity, epsilon: u64| Query::Choice {
            scores: scores.to_vec(),
            sensitivity,
            epsilon: Rational::new(epsilon, 1).unwrap(),
        };
        assert_eq!(seen(query(&[3, 4], 2, 1), &query(&[5, 2], 2, 1)), None);
        assert_eq!(seen(query(&[3, 4], 2, 1), &query(&[3, 7], 2, 1)), Some((3, 2)));
        for other in [query(&[3], 2, 1), query(&[3, 4], 3, 1), query(&[3, 4], 2, 2)] {
            assert_eq!(seen(query(&[3, 4], 2, 1), &other), ANOTHER);
        }
    }

    #[test]
    fn counts_are_compared_by_their_sum() {
        let query = |counts: &[i64], epsilon: u64| Query::Counts {
            counts: counts.to_vec(),
            epsilon: Rational::new(epsilon, 1).unwrap(),
        };
        assert_eq!(seen(query(&[3, 4], 1), &query(&[3, 5], 1)), None);
        assert_eq!(seen(query(&[3, 4], 1), &query(&[2, 5], 1)), Some((2, 1)));
        for other in [query(&[3], 1), query(&[3, 4], 2)] {
            assert_eq!(seen(query(&[3, 4], 1), &other), ANOTHER);
        }
    }

    #[test]
    fn cells_and_classes_are_compared_by_name() {
        let query =
            |occupied: &[(u128, u64)], cells, law| Query::Cells { occupied: occupied.to_vec(), cells, law };
        let law = cell_law(5, false);
        assert_eq!(seen(query(&[(1, 2)], 9, law), &query(&[(1, 2), (3, 1)], 9, law)), None);
        assert_eq!(seen(query(&[(1, 2)], 9, law), &query(&[(3, 2)], 9, law)), Some((4, 1)));
        for other in [query(&[(1, 2)], 8, law), query(&[(1, 2)], 9, cell_law(6, false))] {
            assert_eq!(seen(query(&[(1, 2)], 9, law), &other), ANOTHER);
        }
        let sample = |counts: &[(&str, u64)], least| Query::Sample {
            classes: classes(counts),
            law: SampleLaw { epsilon: half(), least },
        };
        assert_eq!(seen(sample(&[("a", 2)], 3), &sample(&[("a", 2), ("b", 1)], 3)), None);
        assert_eq!(seen(sample(&[("a", 2)], 3), &sample(&[("b", 2)], 3)), Some((4, 1)));
        assert_eq!(seen(sample(&[("a", 2)], 3), &sample(&[("a", 2)], 4)), ANOTHER);
    }

    #[test]
    fn watches_are_compared_by_their_law_and_distance() {
        let watch = |most| Query::Watch { law: WatchLaw::new(half(), most).unwrap() };
        assert_eq!((seen(watch(3), &watch(3)), seen(watch(3), &watch(4))), (None, ANOTHER));
        let query = |distance, threshold| Query::Distance { distance, threshold };
        assert_eq!(seen(query(5, 9), &query(6, 9)), None);
        assert_eq!(seen(query(5, 9), &query(3, 9)), Some((2, 1)));
        assert_eq!(seen(query(5, 9), &query(5, 8)), ANOTHER);
        assert_eq!(seen(query(5, 9), &watch(3)), ANOTHER);
    }

    #[test]
    fn the_chosen_one_is_among_the_candidates() {
        let chosen = |numbers: &[i64], candidates| Answer::Numbers(numbers.to_vec()).chosen(candidates);
        assert_eq!((chosen(&[0], 3), chosen(&[2], 3), chosen(&[7], 3), chosen(&[7], 1)), (0, 2, 2, 0));
        assert_eq!((chosen(&[], 3), chosen(&[-1], 3), Answer::Cells(Vec::new()).chosen(2)), (0, 0, 0));
    }

    /// The answers of all kinds to one query.
    fn wild(query: &Query) -> [Answer; 3] {
        Wild::ALL.map(|wild| wild.answer(query))
    }

    #[test]
    fn made_up_counts_are_deviations_away() {
        let numbers = [vec![0, 0, 0], vec![30, -30, 30], vec![50, 50, 50]].map(Answer::Numbers);
        // σ is 4, the scale 2/ε is 4, and one is added.
        let noise = Query::Noise { counts: vec![1, 2, 3], sensitivity: 1, law: gaussian(16) };
        assert_eq!(wild(&noise), numbers);
        assert_eq!(wild(&Query::Counts { counts: vec![1, 2, 3], epsilon: half() }), numbers);
        let thirds = Rational::new(33, 2).unwrap();
        let noise = Query::Noise { counts: vec![0], sensitivity: 1, law: Gaussian::new(thirds).unwrap() };
        assert_eq!(wild(&noise)[2], Answer::Numbers(vec![50]));
    }

    #[test]
    fn made_up_cells_are_outcomes_of_the_table() {
        let occupied = vec![(4, 9), (6, 9), (8, 9)];
        let cells = |occupied_only, cells| {
            wild(&Query::Cells { occupied: occupied.clone(), cells, law: cell_law(5, occupied_only) })
        };
        let given = [vec![], vec![(4, 5), (8, 7)], vec![(4, 5), (6, 6), (8, 7)]];
        assert_eq!(cells(true, 100), given.map(Answer::Cells));
        let given = [vec![], vec![(0, 5), (2, 7)], vec![(0, 5), (1, 6), (2, 7), (3, 5)]];
        assert_eq!(cells(false, 4), given.map(Answer::Cells));
        let Answer::Cells(many) = Wild::Everything.answer(&Query::Cells {
            occupied: Vec::new(),
            cells: 1 << 80,
            law: cell_law(5, false),
        }) else {
            panic!("no cells")
        };
        assert_eq!(many.len() as u128, MADE_UP);
    }

    #[test]
    fn made_up_samples_have_large_classes_alone() {
        let law = SampleLaw { epsilon: half(), least: 3 };
        let query = Query::Sample { classes: classes(&[("a", 2), ("b", 3), ("c", 4), ("d", 5)]), law };
        let given: [&[(&str, u64)]; 3] = [&[], &[("b", 3), ("d", 5)], &[("b", 3), ("c", 4), ("d", 5)]];
        assert_eq!(wild(&query), given.map(|given| Answer::Classes(classes(given))));
    }

    #[test]
    fn each_kind_of_made_up_answers_has_its_words() {
        let [nothing, swinging, everything] = Wild::ALL.map(Wild::words);
        assert!(nothing.contains("noisy counts 0"));
        assert!(swinging.contains("6 standard deviations") && everything.contains("10 standard deviations"));
    }
}
