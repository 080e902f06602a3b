//! The audit from inside: whole runs on both tables of a pair with one tape of answers. Whatever differs then came past the
//! door, and a query that moves by more than was paid for refutes the claim: one pair is enough, without statistics.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::Measurements;
use velamen_core::context::Context;
use velamen_dp::{Answers, Doorkeeper, Passed, Query, Rational, Seed, Tape, Wild};
use velamen_job::Outcome;
use velamen_measure::risk::audit::{WITH, WITHOUT};
use velamen_recipe::{JobError, Resolved};

use super::bench::{Mechanism, Subject};
use super::neighbours::Pair;
use super::observe::Ended;

/// What replays found.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Inside {
    /// Pairs of runs with one tape.
    pub replays: u64,
    /// Queries that were compared.
    pub queries: u64,
    /// What refutes the claim, each once: at the first of the tables where it was found.
    pub differences: Vec<Unlike>,
}

/// What differs between two tables by more than is paid for.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unlike {
    /// What the tables are.
    pub tables: String,
    /// Where the answers came from.
    pub answers: String,
    /// What differs; no value of a table.
    pub what: String,
    /// The pair's number.
    #[serde(skip)]
    pub(super) pair: usize,
}

/// All answers that each pair is run with.
fn answers() -> Vec<(Answers, &'static str)> {
    let wild = Wild::ALL.map(|wild| (Answers::Wild(wild), wild.words()));
    std::iter::once((Answers::Drawn, "drawn")).chain(wild).collect()
}

/// Replays on all pairs.
pub(super) fn inside(
    mechanism: &Mechanism,
    pairs: &[Pair],
    recipe: &Resolved,
    context: &Context<'_>,
) -> Result<Inside, JobError> {
    refuse_doorless(recipe)?;
    let replays = Replays { mechanism, pairs, recipe, tapes: answers(), done: AtomicU64::new(0), context };
    let found: Vec<Compared> =
        (0..replays.len()).into_par_iter().map(|number| replays.one(number)).collect::<Result<_, _>>()?;
    let mut differences: Vec<Unlike> = Vec::new();
    for unlike in found.iter().filter_map(|(_, unlike)| unlike.as_ref()) {
        if differences.iter().all(|known| known.what != unlike.what) {
            differences.push(unlike.clone());
        }
    }
    let queries = found.iter().map(|(queries, _)| queries).sum();
    Ok(Inside { replays: replays.len() as u64, queries, differences })
}

/// How many queries two runs were compared in, and what differs.
type Compared = (u64, Option<Unlike>);

/// All pairs with all answers.
struct Replays<'a> {
    mechanism: &'a Mechanism,
    pairs: &'a [Pair],
    recipe: &'a Resolved,
    tapes: Vec<(Answers, &'static str)>,
    done: AtomicU64,
    context: &'a Context<'a>,
}

impl Replays<'_> {
    fn len(&self) -> usize {
        self.pairs.len() * self.tapes.len()
    }

    /// The replay of that number.
    fn one(&self, number: usize) -> Result<Compared, JobError> {
        let Self { recipe, context, .. } = self;
        context.check()?;
        context.progress.step("auditing", self.done.fetch_add(1, Ordering::Relaxed), self.len() as u64);
        let (at, tape) = (number / self.tapes.len(), number % self.tapes.len());
        let (pair, (answers, words)) = (&self.pairs[at], &self.tapes[tape]);
        let subject = Subject::new(self.mechanism, recipe, pair)?;
        // By turns the tape is of the larger table and of the smaller one.
        let first = if (at + tape).is_multiple_of(2) { WITH } else { WITHOUT };
        let seed = context.seed.derived(at as u64);
        let (queries, what) =
            Replay { subject: &subject, recipe, seed: &seed, context }.of(first, answers)?;
        let unlike = |what| Unlike { tables: pair.about.clone(), answers: (*words).into(), what, pair: at };
        Ok((queries, what.map(unlike)))
    }
}

fn refuse_doorless(recipe: &Resolved) -> Result<(), JobError> {
    let keeper = Arc::new(Doorkeeper::new(Answers::Drawn));
    match recipe.method.method.audited(&keeper) {
        Some(_) => Ok(()),
        None => Err(JobError::usage(format!(
            "--inside: what {} draws passes no door whose answers can be replayed",
            recipe.method.name()
        ))
        .mend("audit without --inside")),
    }
}

/// Two runs with one tape.
struct Replay<'a> {
    subject: &'a Subject<'a>,
    recipe: &'a Resolved,
    seed: &'a Seed,
    context: &'a Context<'a>,
}

impl Replay<'_> {
    /// How many queries were compared, and what refutes the claim.
    fn of(&self, first: usize, answers: &Answers) -> Result<(u64, Option<String>), JobError> {
        let (left, passed, stated) = self.run(first, answers.clone())?;
        let queries = passed.tape.0.len() as u64;
        let (other, replayed, _) = self.run(1 - first, Answers::Taped(passed.tape.clone()))?;
        let what = of_one_run(&passed, stated.as_ref())
            .or_else(|| replayed.differences.first().map(ToString::to_string))
            .or_else(|| left.unlike(&other));
        Ok((queries, what))
    }

    fn run(&self, table: usize, answers: Answers) -> Result<(Left, Passed, Option<Measurements>), JobError> {
        let keeper = Arc::new(Doorkeeper::new(answers));
        let method = self.recipe.method.method.audited(&keeper);
        let (left, ended) = self.subject.with_method(method, table, self.seed, self.context, Left::of)?;
        let stated = ended.ok().and_then(|outcome: Outcome| outcome.manifest.method.measurements());
        Ok((left, keeper.passed(), stated))
    }
}

/// What one run refutes by itself: words of a stream that serve two draws, and statements of draws that were none.
fn of_one_run(passed: &Passed, stated: Option<&Measurements>) -> Option<String> {
    if passed.words_used_twice {
        return Some("two draws use the same words of a stream".to_owned());
    }
    let differs = stated.is_some_and(|stated| !states_the_tape(stated, &passed.tape));
    differs.then(|| "what the release states of its draws is not what passed the door".to_owned())
}

/// Whether all noisy tables and choices of a tape are stated, in their order, and no others.
fn states_the_tape(stated: &Measurements, tape: &Tape) -> bool {
    let tables = stated.alone.iter().chain(&stated.tables);
    let tables: Option<Vec<(Rational, Vec<i64>)>> =
        tables.map(|table| Some((table.variance()?, table.counts()?))).collect();
    let choices: Option<Vec<Rational>> =
        stated.choices.iter().map(velamen_contract::ChosenSet::epsilon).collect();
    let (mut noisy, mut chosen) = (Vec::new(), Vec::new());
    for answered in &tape.0 {
        match &answered.query {
            Query::Noise { law, .. } => noisy.push((law.variance(), answered.answer.numbers().to_vec())),
            Query::Choice { epsilon, .. } => chosen.push(*epsilon),
            _ => return false,
        }
    }
    tables == Some(noisy) && choices == Some(chosen)
}

/// All that a run leaves for others.
#[derive(Debug, PartialEq, Eq)]
struct Left {
    code: u8,
    lines: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Left {
    fn of(ended: &Ended<'_>) -> Self {
        let (code, lines) = ended.told();
        Self { code, lines, files: ended.files() }
    }

    /// What of it differs, without a value.
    fn unlike(&self, other: &Self) -> Option<String> {
        if self.code != other.code {
            return Some(format!(
                "the exit code is {} and {}",
                self.code.min(other.code),
                self.code.max(other.code)
            ));
        }
        if self.lines != other.lines {
            return Some("lines of standard error differ".to_owned());
        }
        let names = self.files.keys().chain(other.files.keys());
        let mut unlike = names.filter(|name| self.files.get(*name) != other.files.get(*name));
        unlike.next().map(|name| format!("the file {name} of the release differs"))
    }
}
