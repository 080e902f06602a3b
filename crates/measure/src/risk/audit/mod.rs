//! The auditor: a lower bound of the ε of any mechanism, from many runs on neighbouring tables.
//!
//! # Summary
//! A mechanism is run many times on tables that differ by one record. An event that is much more frequent on
//! one of them shows that ε is large. What is stated is a bound that holds with a given confidence; a claim
//! below it is refuted. Theorem, proof and limits: `docs/methods/audit.md`.
//!
//! # Definition
//! If a mechanism is (ε, δ)-differentially private, then p ≤ e^ε·q + δ for the probabilities p and q of any
//! event on neighbouring tables. With Clopper and Pearson's bounds of both, ε ≥ ln((p_low − δ)/q_high).
//! Events are chosen before the runs, or searched on one part of the runs and judged on another. All bounds
//! that are computed share the error probability evenly (Bonferroni).
//!
//! # Parameters
//! [`Plan`]: what is claimed, how many runs, with which confidence.
//!
//! # Returns
//! [`Judged`] by event and a [`Verdict`].
//!
//! # Complexity
//! Memory O(features · values), whatever the number of runs.
//!
//! # References
//! Clopper and Pearson 1934; Ding et al. 2018, "Detecting violations of differential privacy"; Loader 2000;
//! Jagielski, Ullman and Oprea 2020, "Auditing differentially private machine learning".
//!
//! # Deviations
//! Ding et al. test hypotheses about one ε; here the bound itself is stated. Bounds are shared by the four
//! comparisons that an event allows.

mod events;
mod interval;

pub use events::{CHOOSE, Event, Feature, JUDGE, LEARN, Observed, Seen, Test, WITH, WITHOUT, Weights};
pub use interval::Tally;
use schemars::JsonSchema;
use serde::Serialize;

/// One-sided bounds of a chosen event: p and q from below and above serve both directions and the opposite.
const BOUNDS_OF_CHOSEN: u64 = 4;
/// Those of a searched event, whose direction is found with it.
const BOUNDS_OF_SEARCHED: u64 = 2;

/// What is claimed, and how it is looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The claimed ε; `None` where nothing is claimed.
    pub epsilon: Option<f64>,
    /// The claimed δ; 0 where nothing is claimed.
    pub delta: f64,
    /// Runs on each table.
    pub runs: u64,
    /// With which probability the stated bound is not above the true ε.
    pub confidence: f64,
    /// The events chosen before the runs, of all pairs together.
    pub chosen: u64,
    /// Those that are searched.
    pub searched: u64,
}

/// An event with what was seen of it and the bound that follows.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Judged {
    /// The bound, at least 0.
    pub epsilon: f64,
    /// The event; what it means the caller knows.
    #[serde(skip)]
    pub event: Event,
    /// Whether it is more frequent on the table with the record than on the one without.
    pub more_with: bool,
    /// Whether it was searched.
    pub searched: bool,
    /// How often it was seen on the table where it is more frequent.
    pub more: Tally,
    /// How often on the other.
    pub less: Tally,
}

/// What an audit comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case", tag = "says")]
pub enum Verdict {
    /// The bound is above the claim.
    Refuted,
    /// It is not. That is no proof.
    NotRefuted,
    /// Whatever the mechanism, so few runs could not have refuted the claim.
    CannotTell {
        /// The least number of runs on each table that could.
        needed: u64,
    },
    /// There is no claim.
    NothingClaimed,
}

impl Plan {
    /// The error probability of each single bound.
    #[must_use]
    pub fn level(&self) -> f64 {
        let bounds = BOUNDS_OF_CHOSEN * self.chosen + BOUNDS_OF_SEARCHED * self.searched;
        (1.0 - self.confidence) / bounds.max(1) as f64
    }

    /// The largest ε that so many runs can show: of an event that is always seen on one table and never on
    /// the other.
    #[must_use]
    pub fn most_shown(&self) -> f64 {
        let (always, never) =
            (Tally { hits: self.runs, runs: self.runs }, Tally { hits: 0, runs: self.runs });
        self.bound(always, never)
    }

    /// The least number of runs with which [`Self::most_shown`] is above ε.
    #[must_use]
    pub fn needed(&self, epsilon: f64) -> u64 {
        // level^(1/n) > (e^ε + δ)/(1 + e^ε)
        let short = (1.0 - self.delta) / (1.0 + epsilon.exp());
        let shows = |runs: u64| Self { runs, ..*self }.most_shown() > epsilon;
        let mut runs = (self.level().ln() / (-short).ln_1p()).floor().max(1.0) as u64;
        while runs < u64::MAX >> 1 && !shows(runs) {
            runs += 1 + runs / (1 << 20);
        }
        runs
    }

    /// The bound that two tallies give: ln((p_low − δ)/q_high), or 0.
    #[must_use]
    pub fn bound(&self, more: Tally, less: Tally) -> f64 {
        let level = self.level();
        let over = more.lower(level) - self.delta;
        if over > 0.0 { (over / less.upper(level)).ln().max(0.0) } else { 0.0 }
    }

    /// The best bound of an event that was chosen before the runs: all of them count, in both directions, and
    /// the opposite event.
    #[must_use]
    pub fn judge_chosen(&self, seen: &Seen, event: Event) -> Judged {
        let all = [LEARN, CHOOSE, JUDGE];
        let ways = [event, event.opposite()].into_iter().flat_map(|event| [(event, WITH), (event, WITHOUT)]);
        let judged = ways.map(|(event, more)| self.judged(seen, event, more, &all, false));
        best(judged).expect("there are four ways")
    }

    /// The bound of the event that the search finds, on runs that it has not seen.
    #[must_use]
    pub fn judge_searched(&self, seen: &Seen) -> Option<Judged> {
        let (event, more) = seen.best(self.delta, self.level())?;
        Some(self.judged(seen, event, more, &[JUDGE], true))
    }

    fn judged(&self, seen: &Seen, event: Event, more: usize, parts: &[usize], searched: bool) -> Judged {
        let (with, without) = (seen.tally(event, more, parts), seen.tally(event, 1 - more, parts));
        let epsilon = self.bound(with, without);
        Judged { epsilon, event, more_with: more == WITH, searched, more: with, less: without }
    }

    /// What the best bound says about the claim.
    #[must_use]
    pub fn verdict(&self, bound: f64) -> Verdict {
        match self.epsilon {
            None => Verdict::NothingClaimed,
            Some(claimed) if bound > claimed => Verdict::Refuted,
            Some(claimed) if self.most_shown() <= claimed => {
                Verdict::CannotTell { needed: self.needed(claimed) }
            }
            Some(_) => Verdict::NotRefuted,
        }
    }
}

/// The judged event of the largest bound, the first of equals.
pub fn best(judged: impl IntoIterator<Item = Judged>) -> Option<Judged> {
    judged.into_iter().reduce(|best, next| if next.epsilon > best.epsilon { next } else { best })
}

#[cfg(test)]
mod tests;
