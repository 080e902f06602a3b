//! The audit: whole runs of the recipe on neighbouring tables, many times, and what that says about its ε.

mod bench;
mod inside;
mod keep;
mod membership;
mod neighbours;
mod observe;
mod rules;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::AskedFor;
use velamen_contract::model::differential_privacy::DifferentialPrivacyParams;
use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_measure::risk::audit::{
    CHOOSE, JUDGE, Judged, LEARN, Observed, Plan, Seen, Verdict, WITH, WITHOUT, Weights, best,
};

use self::bench::{Mechanism, Subject};
pub use self::inside::{Inside, Unlike};
pub use self::keep::{KeptTables, Tables, empty_folder};
pub(crate) use self::membership::{NAME as MEMBERSHIP, SUMMARY as MEMBERSHIP_SUMMARY, allowed, membership};
use self::neighbours::Pair;
use velamen_job::session::anonymize;
use velamen_recipe::JobError;
use velamen_recipe::{Resolved, ResolvedPopulation};

/// Class sizes that are looked at whatever the method.
const SIZES: [u64; 3] = [1, 2, 5];
/// Tables of more records take too long to be run often.
const MOST_RECORDS: u64 = 100_000;
/// Runs between two steps of the progress.
const STEP: u64 = 64;
/// Runs in which the name of a number is searched for.
const NAMING: u64 = 50;

const FIXED_SEED: &str = "the recipe fixes the seed, and an audit draws a fresh one for every run: what it finds does not \
                          hold for releases of this seed, which protect nobody from those who know it; drop method.seed";

/// How an audit looks.
#[derive(Debug, Clone, Copy)]
pub struct AuditOptions {
    /// Runs on each table.
    pub trials: u64,
    /// With which probability the stated bound is not above the true ε.
    pub confidence: f64,
    /// How many records of the input are taken away from a table, one at a time.
    pub from_data: u64,
    /// Whether tables that few users have are left out.
    pub ordinary: bool,
    /// Whether answers of one table are replayed on its neighbour, in place of many runs.
    pub inside: bool,
}

/// What is claimed of a method.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct Claim {
    /// ε.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
}

/// The pair of tables and the event with the largest bound.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Finding {
    /// What the tables are.
    pub tables: String,
    /// The event in words.
    pub event: String,
    /// The record that one of them has more; `None` where values are not to be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Vec<(String, String)>>,
    /// What was seen of the event, and the bound.
    #[serde(flatten)]
    pub judged: Judged,
}

/// What an audit found.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Audit {
    /// What is claimed; `None` if nothing is.
    pub claimed: Option<Claim>,
    /// With which probability the bound is not above the true ε.
    pub confidence: f64,
    /// Runs on each table; 0 of an audit from inside.
    pub trials: u64,
    /// Pairs of tables.
    pub pairs: u64,
    /// Events that were chosen before the runs, of all pairs together.
    pub chosen_events: u64,
    /// The pair and event to lead with: of ordinary tables if those refute the claim, else of the largest
    /// bound. None of an audit from inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Finding>,
    /// That of the largest bound, where it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<Finding>,
    /// The largest ε that so many runs can show of any mechanism. A replay can refute every ε.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_shown: Option<f64>,
    /// What replays found, if the audit is one from inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<Inside>,
    /// What that says about the claim.
    pub verdict: Verdict,
    /// What the user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The tables of the pair to lead with.
    #[serde(skip)]
    pub tables: Tables,
    /// Where these were written, if that was asked for.
    #[serde(skip)]
    pub kept: Option<KeptTables>,
}

/// Audits a recipe: [`anonymize()`] as users run it. The context's seed decides every run.
///
/// # Errors
/// [`JobError::usage`] if the options make no sense, [`JobError`] of the run where none releases
/// anything. A refuted claim is no error here.
pub fn audit(
    recipe: &Resolved,
    options: &AuditOptions,
    show_values: bool,
    context: &Context<'_>,
) -> Result<Audit, JobError> {
    if claimed(recipe).is_none() {
        let problem = "the recipe claims no epsilon, so that an audit has nothing to refute";
        let mend = "audit a recipe that promises differential-privacy; `velamen attack` measures what a release of this one shows";
        return Err(JobError::usage(problem).mend(mend));
    }
    refuse(recipe, options)?;
    let pairs = pairs(&anonymize, recipe, options, context)?;
    if options.inside {
        return inside_of(&anonymize, &pairs, recipe, options, context);
    }
    audit_of(&anonymize, &pairs, recipe, options, show_values, context)
}

/// All pairs that a recipe is audited on.
fn pairs(
    mechanism: &Mechanism,
    recipe: &Resolved,
    options: &AuditOptions,
    context: &Context<'_>,
) -> Result<Vec<Pair>, JobError> {
    let mut pairs = neighbours::made_up(recipe, &sizes(mechanism, recipe, context)?)?;
    pairs.extend(neighbours::odd(recipe)?);
    pairs.retain(|pair| pair.ordinary || !options.ordinary);
    pairs.extend(neighbours::from_data(recipe, options.from_data, context)?);
    Ok(pairs)
}

/// An audit by replays alone.
fn inside_of(
    mechanism: &Mechanism,
    pairs: &[Pair],
    recipe: &Resolved,
    options: &AuditOptions,
    context: &Context<'_>,
) -> Result<Audit, JobError> {
    let inside = inside::inside(mechanism, pairs, recipe, context)?;
    let claimed = claimed(recipe);
    let leads = inside.differences.first().map_or(0, |unlike| unlike.pair);
    let verdict = match (claimed, inside.differences.is_empty()) {
        (None, _) => Verdict::NothingClaimed,
        (Some(_), true) => Verdict::NotRefuted,
        (Some(_), false) => Verdict::Refuted,
    };
    Ok(Audit {
        claimed,
        confidence: options.confidence,
        trials: 0,
        pairs: pairs.len() as u64,
        chosen_events: 0,
        found: None,
        largest: None,
        most_shown: None,
        inside: Some(inside),
        verdict,
        warnings: fixed_seed(recipe),
        tables: Tables::new(recipe, &pairs[leads])?,
        kept: None,
    })
}

fn fixed_seed(recipe: &Resolved) -> Vec<String> {
    recipe.seed.is_some().then(|| FIXED_SEED.to_owned()).into_iter().collect()
}

fn audit_of(
    mechanism: &Mechanism,
    pairs: &[Pair],
    recipe: &Resolved,
    options: &AuditOptions,
    show_values: bool,
    context: &Context<'_>,
) -> Result<Audit, JobError> {
    let claimed = claimed(recipe);
    let subjects = pairs.iter().map(|pair| Subject::new(mechanism, recipe, pair));
    let subjects = subjects.collect::<Result<Vec<_>, _>>()?;
    let chosen = subjects.iter().map(|subject| subject.chosen.len() as u64).sum();
    let plan = Plan {
        epsilon: claimed.map(|claim| claim.epsilon),
        delta: claimed.map_or(0.0, |claim| claim.delta),
        runs: options.trials,
        confidence: options.confidence,
        chosen,
        searched: pairs.len() as u64,
    };
    let judged = judged(&plan, &subjects, context)?;
    let largest = first_largest(&judged, pairs, false).expect("some pairs are always made up");
    let lead = first_largest(&judged, pairs, true);
    let verdict = plan.verdict(judged[largest].epsilon);
    let refutes = |at: &usize| plan.verdict(judged[*at].epsilon) == Verdict::Refuted;
    let headline =
        lead.filter(|at| refutes(at) || judged[*at].epsilon >= judged[largest].epsilon).unwrap_or(largest);
    let finding = |at: usize| finding(recipe, &pairs[at], &subjects[at], judged[at], show_values, context);
    Ok(Audit {
        claimed,
        confidence: options.confidence,
        trials: options.trials,
        pairs: plan.searched,
        chosen_events: chosen,
        most_shown: Some(plan.most_shown()),
        inside: None,
        verdict,
        found: Some(finding(headline)?),
        largest: (judged[largest].epsilon > judged[headline].epsilon)
            .then(|| finding(largest))
            .transpose()?,
        warnings: fixed_seed(recipe),
        tables: Tables::new(recipe, &pairs[headline])?,
        kept: None,
    })
}

fn refuse(recipe: &Resolved, options: &AuditOptions) -> Result<(), JobError> {
    if options.trials < 4 {
        return Err(JobError::usage("--trials: a wrong value").expected("a number of runs, from 4"));
    }
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(
            JobError::usage("--confidence: a wrong value").expected("a probability above 0 and below 1")
        );
    }
    match recipe.population {
        Some(ResolvedPopulation::Table(..)) => {
            Err(JobError::usage("an audit makes tables up, whose records are not in the population's table")
                .mend("give the population's size instead, or drop the section `population`"))
        }
        _ => Ok(()),
    }
}

/// What the recipe's method claims. Where no model claims anything, what the method's paper claims.
pub(crate) fn claimed(recipe: &Resolved) -> Option<Claim> {
    if let Some(epsilon) = recipe.method.particulars().claimed_epsilon {
        return Some(Claim { epsilon, delta: 0.0 });
    }
    let parameters = recipe.models.iter().find(|asked| asked.entry.terms.facts.private)?;
    let DifferentialPrivacyParams { epsilon, delta } =
        AskedFor(&parameters.model.parameters()).parameters()?;
    Some(Claim { epsilon, delta })
}

/// Class sizes at which the method changes its mind: one record less than its thresholds, and them.
fn sizes(mechanism: &Mechanism, recipe: &Resolved, context: &Context<'_>) -> Result<Vec<u64>, JobError> {
    let mut thresholds = recipe.method.particulars().thresholds;
    if recipe.method.is_noisy() {
        thresholds.extend(least_count(mechanism, recipe, context)?);
    } else if thresholds.is_empty() {
        thresholds.extend(recipe.models.iter().map(|asked| asked.model.least_size()).max());
    }
    let near = thresholds.into_iter().flat_map(|threshold| [threshold.saturating_sub(1), threshold]);
    let mut sizes: Vec<u64> = SIZES.into_iter().chain(near).collect();
    sizes.retain(|&size| size > 0 && size <= MOST_RECORDS);
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

/// The least noisy count that is released of an ordinary table, which is public.
fn least_count(
    mechanism: &Mechanism,
    recipe: &Resolved,
    context: &Context<'_>,
) -> Result<Option<u64>, JobError> {
    let pairs = neighbours::made_up(recipe, &[])?;
    let pair = pairs.first().expect("some pairs are always made up");
    let ended = Subject::new(mechanism, recipe, pair)?.outcome(WITH, context.seed, context)?;
    Ok(ended.ok().and_then(|outcome| outcome.manifest.method.least_count()))
}

impl Subject<'_> {
    /// The runs of a part, on both tables. The runs' number keeps the subject's seeds apart from others'.
    fn runs(&self, of: &SubjectRuns<'_>, part: usize, weights: Option<&Weights>) -> Result<Seen, JobError> {
        let (first, end) = of.part(part);
        let run = |mut seen: Seen, at: usize| {
            of.context.check()?;
            of.step();
            let (run, table) = (first + at as u64 / 2, at % 2);
            let mut observed: Observed = self.observed(table, &of.seed(table, run), of.context)?;
            if let Some(weights) = weights {
                observed.push((observe::score(), weights.score(&observed)));
            }
            seen.add(table, part, observed);
            Ok(seen)
        };
        let runs = (0..2 * (end - first) as usize).into_par_iter().with_min_len(8);
        runs.try_fold(Seen::default, run).try_reduce(Seen::default, |one, two| Ok(one.with(two)))
    }

    /// All runs: those to learn from come first.
    fn seen(&self, of: &SubjectRuns<'_>) -> Result<Seen, JobError> {
        let learnt = self.runs(of, LEARN, None)?;
        let weights = learnt.weights();
        let chosen_by = self.runs(of, CHOOSE, Some(&weights))?;
        Ok(learnt.with(chosen_by).with(self.runs(of, JUDGE, Some(&weights))?))
    }
}

/// The runs of one subject among those of all.
struct SubjectRuns<'a> {
    subject: u64,
    /// On each table.
    runs: u64,
    done: &'a AtomicU64,
    total: u64,
    context: &'a Context<'a>,
}

impl SubjectRuns<'_> {
    /// A quarter of the runs to learn from, one to choose by, the rest to judge on.
    fn part(&self, part: usize) -> (u64, u64) {
        let quarter = self.runs / 4;
        match part {
            LEARN => (0, quarter),
            CHOOSE => (quarter, 2 * quarter),
            _ => (2 * quarter, self.runs),
        }
    }

    /// The seed of a run on a table.
    fn seed(&self, table: usize, run: u64) -> Seed {
        self.context.seed.derived((self.subject * 2 + table as u64) * self.runs + run)
    }

    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed);
        if done.is_multiple_of(STEP) {
            self.context.progress.step("auditing", done, self.total);
        }
    }
}

/// The largest bound of every pair's events.
fn judged(plan: &Plan, subjects: &[Subject<'_>], context: &Context<'_>) -> Result<Vec<Judged>, JobError> {
    let (done, total) = (AtomicU64::new(0), 2 * plan.runs * subjects.len() as u64);
    let mut all = Vec::new();
    let mut released = false;
    for (number, subject) in subjects.iter().enumerate() {
        let of = SubjectRuns { subject: number as u64, runs: plan.runs, done: &done, total, context };
        let seen = subject.seen(&of)?;
        released |= observe::releases(&seen);
        let judged = subject.chosen.iter().map(|&event| plan.judge_chosen(&seen, event));
        all.push(best(judged.chain(plan.judge_searched(&seen))).expect("some events are always chosen"));
    }
    if !released {
        subjects[0].outcome(WITH, context.seed, context)??;
    }
    Ok(all)
}

/// The pair of the largest bound, the first of equals; of ordinary ones alone, or of all.
fn first_largest(judged: &[Judged], pairs: &[Pair], ordinary: bool) -> Option<usize> {
    let all = (0..judged.len()).filter(|&at| !ordinary || pairs[at].ordinary);
    all.reduce(|best, at| if judged[at].epsilon > judged[best].epsilon { at } else { best })
}

fn finding(
    recipe: &Resolved,
    pair: &Pair,
    subject: &Subject<'_>,
    judged: Judged,
    show_values: bool,
    context: &Context<'_>,
) -> Result<Finding, JobError> {
    let named = recipe.attributes.iter().map(|attribute| attribute.name.clone()).zip(pair.target.clone());
    let name = name(subject, judged, context)?;
    Ok(Finding {
        tables: pair.about.clone(),
        event: observe::told(judged.event, name.as_deref()),
        record: show_values.then(|| named.collect()),
        judged,
    })
}

/// What the event's number is of, found in some more runs.
fn name(subject: &Subject<'_>, judged: Judged, context: &Context<'_>) -> Result<Option<String>, JobError> {
    for run in 0..NAMING {
        for table in [WITH, WITHOUT] {
            let seed = context.seed.derived(run);
            let found = subject.name(table, &seed, context, judged.event.feature)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}
