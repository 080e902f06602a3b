//! The door: all that a private method learns from its table passes here.
//!
//! A query is a table of whole numbers or of whole scores, with the most that one person may change of it. Before anything is
//! drawn, its cost stands in the account: in ρ of zero-concentrated differential privacy, or in (ε, δ) ([`loss`]). What comes
//! out is all that the method may go on with.
//!
//! # Replay
//! A door keeps a [`Tape`] of what passed. A door that replays it gives a run on a neighbouring table the same answers. If the
//! method is private as claimed, both runs ask the same, each query moves by no more than was paid for, and all that is released
//! is the same to the byte: with equal answers nothing else of the table is left to show. One pair of tables refutes a claim
//! without any statistics. That draws have their law, a replay cannot see.
//!
//! # References
//! "Grey-box auditing" of differentially private libraries: arXiv 2602.17454.

mod loss;

use std::fmt;

use serde::Serialize;

use crate::seed::Place;
use crate::tape::{Answer, Answered, Difference, Query, Tape, Wild, compared};
use crate::{Gaussian, Loss, Rational, Stream, Zcdp, choose};

/// A cost, in the unit of a door's budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// ρ of zero-concentrated differential privacy.
    Rho(Zcdp),
    /// ε and δ.
    Loss(Loss),
}

impl Cost {
    /// What is left of it; `None` if that is less than nothing, or the units differ.
    fn minus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Rho(left), Self::Rho(cost)) => left.minus(cost).map(Self::Rho),
            (Self::Loss(left), Self::Loss(cost)) => left.minus(cost).map(Self::Loss),
            _ => None,
        }
    }
}

/// What one query cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Paid {
    /// What was asked.
    pub step: String,
    /// What it cost.
    pub cost: Cost,
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

/// Where answers come from.
#[derive(Debug)]
enum Source {
    /// They are drawn from the door's own streams.
    Live {
        noise: Box<Stream>,
        choices: Box<Stream>,
    },
    /// They are drawn from streams that come with the query.
    Passed,
    Wild(Wild),
    Tape {
        tape: Tape,
        next: usize,
        differences: Vec<Difference>,
    },
}

/// The one way to a table's counts: it holds the budget and the streams of draws.
#[derive(Debug)]
pub struct Door {
    source: Source,
    left: Cost,
    paid: Vec<Paid>,
    recorded: Option<Tape>,
    /// The words of streams that draws used, while a tape is kept: the first, and the one after the last.
    words: Vec<(Place, Place)>,
}

impl Door {
    /// A door with a budget, and a stream each for noise and for choices, which nothing else draws from.
    #[must_use]
    pub fn live(noise: Stream, choices: Stream, budget: Zcdp) -> Self {
        Self::of(Source::Live { noise: Box::new(noise), choices: Box::new(choices) }, Cost::Rho(budget))
    }

    /// A door that keeps a tape, with answers that no table makes likely. It draws nothing and protects nothing.
    #[must_use]
    pub fn wild(answers: Wild, budget: Cost) -> Self {
        Self::of(Source::Wild(answers), budget).recording()
    }

    /// A door that gives the answers of a tape, whatever is asked. It protects nothing.
    #[must_use]
    pub fn replay(tape: Tape, budget: Cost) -> Self {
        Self::of(Source::Tape { tape, next: 0, differences: Vec::new() }, budget)
    }

    /// The same door, which keeps a tape of all that passes.
    #[must_use]
    pub fn recording(self) -> Self {
        Self { recorded: Some(Tape::default()), ..self }
    }

    fn of(source: Source, budget: Cost) -> Self {
        Self { source, left: budget, paid: Vec::new(), recorded: None, words: Vec::new() }
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
        self.pay(step, Zcdp::of_noise(sensitivity, law.variance()).map(Cost::Rho))?;
        if let (Source::Live { noise, .. }, None) = (&mut self.source, &self.recorded) {
            return Ok(query.iter().map(|count| count.saturating_add(law.draw(noise))).collect());
        }
        let answer = self.answer(step, Query::Noise { counts: query.to_vec(), sensitivity, law });
        Ok((0..query.len()).map(|place| answer.number(place).unwrap_or(0)).collect())
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
        self.pay(step, Zcdp::of_choice(epsilon).map(Cost::Rho))?;
        let answer = self.answer(step, Query::Choice { scores: scores.to_vec(), sensitivity, epsilon });
        Ok(answer.chosen(scores.len()))
    }

    fn answer(&mut self, step: &str, query: Query) -> Answer {
        let answer = match &mut self.source {
            Source::Live { noise, choices } => {
                let before = [noise.place(), choices.place()];
                let answer = drawn(&query, noise, choices);
                let after = [noise.place(), choices.place()];
                self.used(before.into_iter().zip(after));
                answer
            }
            _ => self.undrawn(step, &query),
        };
        self.record(step, query, &answer);
        answer
    }

    /// The answer of a door that draws none.
    fn undrawn(&mut self, step: &str, query: &Query) -> Answer {
        match &mut self.source {
            Source::Wild(wild) => wild.answer(query),
            Source::Tape { tape, next, differences } => {
                let number = *next;
                *next += 1;
                let Some(taped) = tape.0.get(number) else {
                    differences.push(Difference::Asked { number });
                    return unheard(query);
                };
                let difference = compared(number, taped, step, query);
                let fits = difference.as_ref().is_none_or(|found| *found != Difference::Asked { number });
                differences.extend(difference);
                if fits { taped.answer.clone() } else { unheard(query) }
            }
            Source::Live { .. } | Source::Passed => unheard(query),
        }
    }

    /// Keeps which words of streams were used.
    fn used(&mut self, words: impl Iterator<Item = (Place, Place)>) {
        self.words.extend(words.filter(|(from, to)| from < to));
    }

    fn record(&mut self, step: &str, query: Query, answer: &Answer) {
        if let Some(tape) = &mut self.recorded {
            tape.0.push(Answered { step: step.to_owned(), query, answer: answer.clone() });
        }
    }

    fn pay(&mut self, step: &str, cost: Option<Cost>) -> Result<(), DoorError> {
        let step = step.to_owned();
        let Some(cost) = cost else { return Err(DoorError::Unpayable { step }) };
        let Some(left) = self.left.minus(cost) else { return Err(DoorError::Overspent { step }) };
        self.left = left;
        self.paid.push(Paid { step, cost });
        Ok(())
    }

    /// What is left of the budget, in its unit.
    #[must_use]
    pub fn budget(&self) -> Cost {
        self.left
    }

    /// What is left of ρ; none where the budget is of (ε, δ).
    #[must_use]
    pub fn left(&self) -> Zcdp {
        match self.left {
            Cost::Rho(left) => left,
            Cost::Loss(_) => Zcdp::NONE,
        }
    }

    /// What was paid, in the order of the queries.
    #[must_use]
    pub fn paid(&self) -> &[Paid] {
        &self.paid
    }

    /// The tape; empty where none was kept.
    #[must_use]
    pub fn tape(&self) -> Tape {
        self.recorded.clone().unwrap_or_default()
    }

    /// Whether two draws used the same words of one stream, as far as a tape was kept.
    #[must_use]
    pub fn uses_words_twice(&self) -> bool {
        let mut words = self.words.clone();
        words.sort_unstable();
        // A place of another stream is before or after all of this one.
        words.windows(2).any(|pair| pair[1].0 < pair[0].1)
    }

    /// After a replay: how the run's queries differ from those of the tape by more than was paid for.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let Source::Tape { tape, next, differences } = &self.source else { return Vec::new() };
        let unasked = (*next < tape.0.len()).then_some(Difference::Asked { number: *next });
        differences.iter().cloned().chain(unasked).collect()
    }
}

fn drawn(query: &Query, noise: &mut Stream, choices: &mut Stream) -> Answer {
    match query {
        Query::Noise { counts, law, .. } => {
            Answer::Numbers(counts.iter().map(|count| count.saturating_add(law.draw(noise))).collect())
        }
        Query::Choice { scores, sensitivity, epsilon } => {
            Answer::Numbers(vec![choose(scores, *sensitivity, *epsilon, choices) as i64])
        }
        _ => unheard(query),
    }
}

/// The answer to what the tape does not have: nothing.
fn unheard(query: &Query) -> Answer {
    Wild::Nothing.answer(query)
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
        // ½ · 1²/1 and 1²/8: the rest is ⅜.
        let noisy = door.noise("one", &[5, 5, 5], 1, law(1)).unwrap();
        assert_eq!(noisy.len(), 3);
        let chosen = door.choose("two", &[0, 1 << 40], 1, Rational::new(1, 1).unwrap()).unwrap();
        assert_eq!(chosen, 1);
        assert_eq!(door.left(), Zcdp::units((1 << 59) - (1 << 57)));
        let steps: Vec<(&str, u128)> =
            door.paid().iter().map(|paid| (paid.step.as_str(), units(paid.cost))).collect();
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
        poor.left = Cost::Rho(Zcdp::units(1 << 59));
        assert_eq!(poor.noise("one", &[1], 1, law(1)), fresh.noise("one", &[1], 1, law(1)));
    }

    #[test]
    fn more_sensitivity_costs_its_square() {
        let mut door = door(1 << 62);
        door.noise("three", &[0], 3, law(9)).unwrap();
        assert_eq!(door.paid()[0].cost, Cost::Rho(Zcdp::units(1 << 59)));
    }

    const ONE: Rational = Rational::ZERO;
    const RHO: Cost = Cost::Rho(Zcdp::units(1 << 60));

    fn units(cost: Cost) -> u128 {
        let Cost::Rho(rho) = cost else { panic!("{cost:?}") };
        rho.as_units()
    }

    /// Two queries on counts and scores.
    fn asked(door: &mut Door, counts: &[i64], scores: &[i64]) -> (Vec<i64>, usize) {
        let noisy = door.noise("counts", counts, 1, law(4)).unwrap();
        (noisy, door.choose("choice", scores, 2, ONE).unwrap())
    }

    #[test]
    fn a_tape_gives_the_same_answers_to_a_neighbour() {
        let (mut recorded, mut live) = (door(1 << 60).recording(), door(1 << 60));
        let first = asked(&mut recorded, &[7, 8], &[3, 4, 5]);
        assert_eq!(first, asked(&mut live, &[7, 8], &[3, 4, 5]), "recording changes no draw");
        let mut replayed = Door::replay(recorded.tape(), RHO);
        assert_eq!(asked(&mut replayed, &[7, 9], &[5, 4, 3]), first);
        assert_eq!(replayed.differences(), []);
    }

    #[test]
    fn more_than_is_paid_for_is_seen() {
        let mut recorded = door(1 << 60).recording();
        asked(&mut recorded, &[7, 8], &[3, 4, 5]);
        let differences = |counts: &[i64], scores: &[i64]| {
            let mut replayed = Door::replay(recorded.tape(), RHO);
            asked(&mut replayed, counts, scores);
            replayed.differences()
        };
        let moved =
            |number, step: &str, by, allowed| Difference::Moved { number, step: step.into(), by, allowed };
        assert_eq!(differences(&[8, 9], &[3, 4, 5]), [moved(0, "counts", 2, 1)]);
        assert_eq!(differences(&[7, 8], &[3, 4, 8]), [moved(1, "choice", 3, 2)]);
        assert_eq!(differences(&[7], &[3, 4, 5]), [Difference::Asked { number: 0 }]);
        assert_eq!(differences(&[7, 8], &[3, 4]), [Difference::Asked { number: 1 }]);
        let mut fewer = Door::replay(recorded.tape(), RHO);
        fewer.noise("counts", &[7, 8], 1, law(4)).unwrap();
        assert_eq!(fewer.differences(), [Difference::Asked { number: 1 }]);
        let mut other = Door::replay(recorded.tape(), RHO);
        other.noise("others", &[7, 8], 1, law(4)).unwrap();
        other.choose("choice", &[3, 4, 5], 1, ONE).unwrap();
        other.noise("more", &[1], 1, law(4)).unwrap();
        assert_eq!(other.differences(), [0, 1, 2].map(|number| Difference::Asked { number }));
        assert_eq!(moved(1, "choice", 3, 2).to_string(), "query 1, choice, moves by 3, where 2 is paid for");
    }

    #[test]
    fn what_moved_gets_the_answer_of_the_tape_and_another_query_none() {
        let mut recorded = door(1 << 60).recording();
        let (noisy, _) = asked(&mut recorded, &[70, 80], &[3, 4, 5]);
        let mut far = Door::replay(recorded.tape(), RHO);
        assert_eq!(far.noise("counts", &[90, 90], 1, law(4)).unwrap(), noisy);
        let mut other = Door::replay(recorded.tape(), RHO);
        assert_eq!(other.noise("others", &[70, 80], 1, law(4)).unwrap(), [0, 0]);
    }

    #[test]
    fn queries_one_after_the_other_use_no_words_twice() {
        let mut door = door(1 << 61).recording();
        for _ in 0..3 {
            door.noise("counts", &[1, 2, 3], 1, law(4)).unwrap();
        }
        assert!(!door.uses_words_twice());
    }

    #[test]
    fn each_unit_of_a_budget_is_paid_in_itself() {
        let loss = |epsilon| Cost::Loss(crate::Loss::pure(Rational::new(epsilon, 1).unwrap()));
        assert_eq!(loss(3).minus(loss(1)), Some(loss(2)));
        assert_eq!((loss(1).minus(loss(3)), loss(1).minus(RHO), RHO.minus(loss(1))), (None, None, None));
    }

    #[test]
    fn refusals_name_their_step() {
        let step = "choice".to_owned();
        let overspent = DoorError::Overspent { step: step.clone() }.to_string();
        assert_eq!(overspent, "the step choice costs more than is left of the privacy budget");
        let unpayable = DoorError::Unpayable { step }.to_string();
        assert_eq!(unpayable, "the step choice costs more than any privacy budget has");
    }

    #[test]
    fn a_stream_that_serves_twice_is_seen() {
        let seed = Seed::from_number(82);
        let twice = |choices| {
            let budget = Zcdp::units(1 << 60);
            let mut door = Door::live(seed.stream(5), seed.stream(choices), budget).recording();
            asked(&mut door, &[7, 8], &[3, 4, 5]);
            door.uses_words_twice()
        };
        assert!(twice(5) && !twice(6));
    }

    #[test]
    fn wild_answers_do_not_look_at_the_table() {
        for wild in Wild::ALL {
            let answers = |counts: &[i64], scores: &[i64]| asked(&mut Door::wild(wild, RHO), counts, scores);
            assert_eq!(answers(&[1, 2], &[5, 6, 7]), answers(&[900, -5], &[0, 0, -9]));
        }
        let mut door = Door::wild(Wild::Swinging, RHO);
        assert_eq!(asked(&mut door, &[0, 0, 0], &[1, 1]), (vec![18, -18, 18], 1));
        assert_eq!(door.tape().0.len(), 2);
    }
}
