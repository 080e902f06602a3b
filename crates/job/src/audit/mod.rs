//! The audit: the recipe's method on neighbouring tables, many times, and what that says about its ε.

mod membership;
mod neighbours;
mod observe;

use std::borrow::Cow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::Serialize;
use velamen_core::context::{Context, Silent};
use velamen_core::frequency::FrequencyTable;
use velamen_core::risk::audit::{
    CHOOSE, Event, JUDGE, Judged, LEARN, Observed, Plan, Seen, Verdict, Weights, best,
};

pub(crate) use self::membership::{NAME as MEMBERSHIP, SUMMARY as MEMBERSHIP_SUMMARY, membership};
use self::neighbours::Pair;
use self::observe::Target;
use crate::anonymize::{Decided, Made, made, prepared};
use crate::error::JobError;
use crate::recipe::{Method, Resolved, ResolvedPopulation};
use crate::table::Source;

/// Class sizes that are looked at whatever the method.
const SIZES: [u64; 3] = [1, 2, 5];
/// Tables of more records take too long to be run often.
const MOST_RECORDS: u64 = 100_000;
/// Runs between two steps of the progress.
const STEP: u64 = 256;

/// How an audit looks.
#[derive(Debug, Clone, Copy)]
pub struct AuditOptions {
    /// Runs on each table.
    pub trials: u64,
    /// With which probability the stated bound is not above the true ε.
    pub confidence: f64,
    /// How many records of the input are taken away from a table, one at a time.
    pub from_data: u64,
}

/// What is claimed of a method.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Claim {
    /// ε.
    pub epsilon: f64,
    /// δ.
    pub delta: f64,
}

/// The pair of tables and the event with the largest bound.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Audit {
    /// What is claimed; `None` if nothing is.
    pub claimed: Option<Claim>,
    /// With which probability the bound is not above the true ε.
    pub confidence: f64,
    /// Runs on each table.
    pub trials: u64,
    /// Pairs of tables.
    pub pairs: u64,
    /// Events that were chosen before the runs, of all pairs together.
    pub chosen_events: u64,
    /// The largest bound.
    pub found: Finding,
    /// The largest ε that so many runs can show of any mechanism.
    pub most_shown: f64,
    /// What that says about the claim.
    pub verdict: Verdict,
}

/// Audits a recipe's method. The context's seed decides every run.
///
/// # Errors
/// [`JobError::Usage`] if the options make no sense, [`JobError`] of the method where no run releases
/// anything. A refuted claim is no error here.
pub fn audit(
    recipe: &Resolved,
    path: &Path,
    options: &AuditOptions,
    show_values: bool,
    context: &Context<'_>,
) -> Result<Audit, JobError> {
    refuse(recipe, options)?;
    let claimed = claimed(recipe);
    let mut pairs = neighbours::made_up(recipe, path, &sizes(recipe, path, context)?)?;
    pairs.extend(neighbours::from_data(recipe, options.from_data, context)?);
    let subjects = pairs.iter().map(|pair| Subject::new(recipe, path, pair, context));
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
    let found = largest(&plan, &pairs, &subjects, context)?;
    Ok(Audit {
        claimed,
        confidence: options.confidence,
        trials: options.trials,
        pairs: plan.searched,
        chosen_events: chosen,
        most_shown: plan.most_shown(),
        verdict: plan.verdict(found.1.epsilon),
        found: finding(recipe, &pairs[found.0], found.1, show_values),
    })
}

fn refuse(recipe: &Resolved, options: &AuditOptions) -> Result<(), JobError> {
    if options.trials < 4 {
        return Err(JobError::Usage("--trials: expected a number of runs, from 4".into()));
    }
    if !(options.confidence > 0.0 && options.confidence < 1.0) {
        return Err(JobError::Usage("--confidence: expected a probability above 0 and below 1".into()));
    }
    match recipe.population {
        Some(ResolvedPopulation::Table(..)) => Err(JobError::Usage(
            "an audit makes tables up, whose records are not in the population's table: give the population's size \
             instead, or drop the section `population`"
                .into(),
        )),
        _ => Ok(()),
    }
}

/// What the recipe's method claims. IPA as published claims here what its paper does, the sum of its ε.
pub(crate) fn claimed(recipe: &Resolved) -> Option<Claim> {
    if let Method::IpaPublished(_, params) = &recipe.method {
        let epsilon = params.suppression + params.insertion + params.value + params.candidates;
        // Tenths do not add up exactly.
        return Some(Claim { epsilon: (epsilon * 1e12).round() / 1e12, delta: 0.0 });
    }
    let parameters = recipe.models.iter().find(|asked| asked.entry.name == "differential-privacy")?;
    let parameters = parameters.model.parameters();
    let number = |name: &str| parameters[name].as_f64().unwrap_or_default();
    Some(Claim { epsilon: number("epsilon"), delta: number("delta") })
}

/// Class sizes at which the method changes its mind: one record less than its thresholds, and them.
fn sizes(recipe: &Resolved, path: &Path, context: &Context<'_>) -> Result<Vec<u64>, JobError> {
    let least = recipe.models.iter().map(|asked| asked.model.least_size()).max();
    let thresholds: Vec<u64> = match &recipe.method {
        Method::SafePub(method, _) => vec![method.k(), (method.k() as f64 / method.kept()).ceil() as u64],
        Method::IpaPrivate(_, params, _) => {
            least_count(recipe, path, context)?.into_iter().chain(params.least_class).collect()
        }
        Method::IpaPublished(_, params) => vec![params.threshold],
        Method::Contingency(..) => least_count(recipe, path, context)?.into_iter().collect(),
        _ => least.into_iter().collect(),
    };
    let near = thresholds.into_iter().flat_map(|threshold| [threshold.saturating_sub(1), threshold]);
    let mut sizes: Vec<u64> = SIZES.into_iter().chain(near).collect();
    sizes.retain(|&size| size > 0 && size <= MOST_RECORDS);
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

/// The least noisy count that is released of one record, which is public.
fn least_count(recipe: &Resolved, path: &Path, context: &Context<'_>) -> Result<Option<u64>, JobError> {
    let pairs = neighbours::made_up(recipe, path, &[])?;
    let pair = pairs.first().expect("the first pair is that of no record and one");
    let subject = Subject::new(recipe, path, pair, context)?;
    let made = subject.sides[0].made(&quiet(context, context.seed));
    Ok(made.ok().and_then(|made| match made.decision.plan {
        Decided::Noisy(found) => Some(found.stated.least_count),
        _ => None,
    }))
}

/// The same run without progress, with another seed.
fn quiet<'a>(context: &Context<'a>, seed: &'a velamen_dp::Seed) -> Context<'a> {
    Context { seed, progress: &Silent, cancel: context.cancel }
}

/// One of two tables, ready to be run on.
struct Side<'a> {
    recipe: &'a Resolved,
    path: &'a Path,
    source: Source,
    read: FrequencyTable,
    /// What methods get of it, where that is not random.
    prepared: Option<FrequencyTable>,
}

impl<'a> Side<'a> {
    fn new(
        recipe: &'a Resolved,
        path: &'a Path,
        source: Source,
        read: FrequencyTable,
        context: &Context<'_>,
    ) -> Self {
        let mut side = Self { recipe, path, source, read, prepared: None };
        if recipe.sample.is_none() {
            side.prepared = side.prepared(context).ok();
        }
        side
    }

    fn prepared(&self, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
        prepared(self.recipe, self.path, self.source.drawn(self.read.clone(), context)?, context)
    }

    /// One run.
    fn made(&self, context: &Context<'_>) -> Result<Made<'_>, JobError> {
        let table = match &self.prepared {
            Some(table) => Cow::Borrowed(table),
            None => Cow::Owned(self.prepared(context)?),
        };
        made(self.recipe, table, context)
    }
}

/// A pair of tables with what is looked at.
struct Subject<'a> {
    sides: [Side<'a>; 2],
    target: Target,
    chosen: Vec<Event>,
}

impl<'a> Subject<'a> {
    fn new(
        recipe: &'a Resolved,
        path: &'a Path,
        pair: &Pair,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let sides = pair.read(recipe, path, context)?;
        let table = &sides[0].1;
        let (target, chosen) = (Target::new(recipe, pair, table), observe::chosen(recipe, pair, table));
        let sides = sides.map(|(source, table)| Side::new(recipe, path, source, table, context));
        Ok(Self { sides, target, chosen })
    }

    /// One run's numbers; what released nothing is a number, too.
    fn observed(&self, table: usize, context: &Context<'_>) -> Result<Observed, JobError> {
        match self.sides[table].made(context) {
            Ok(made) => Ok(observe::observe(&made.release, &self.target)),
            Err(JobError::Interrupted) => Err(JobError::Interrupted),
            Err(_) => Ok(observe::failed()),
        }
    }

    /// The runs from `first` to `end` of both tables, of which there are `all` each. `number` tells the
    /// subject's from others' seeds.
    fn runs(&self, of: &Runs<'_>, part: usize, weights: Option<&Weights>) -> Result<Seen, JobError> {
        let (first, end) = of.part(part);
        let run = |mut seen: Seen, at: usize| {
            of.context.check()?;
            of.step();
            let (run, table) = (first + at as u64 / 2, at % 2);
            let seed = of.context.seed.derived((of.subject * 2 + table as u64) * of.runs + run);
            let mut observed = self.observed(table, &quiet(of.context, &seed))?;
            if let Some(weights) = weights {
                observed.push((observe::score(), weights.score(&observed)));
            }
            seen.add(table, part, observed);
            Ok(seen)
        };
        let runs = (0..2 * (end - first) as usize).into_par_iter().with_min_len(64);
        runs.try_fold(Seen::default, run).try_reduce(Seen::default, |one, two| Ok(one.with(two)))
    }

    /// All runs: those to learn from come first.
    fn seen(&self, of: &Runs<'_>) -> Result<Seen, JobError> {
        let learnt = self.runs(of, LEARN, None)?;
        let weights = learnt.weights();
        let chosen_by = self.runs(of, CHOOSE, Some(&weights))?;
        Ok(learnt.with(chosen_by).with(self.runs(of, JUDGE, Some(&weights))?))
    }
}

/// The runs of one subject among those of all.
struct Runs<'a> {
    subject: u64,
    /// On each table.
    runs: u64,
    done: &'a AtomicU64,
    total: u64,
    context: &'a Context<'a>,
}

impl Runs<'_> {
    /// A quarter of the runs to learn from, one to choose by, the rest to judge on.
    fn part(&self, part: usize) -> (u64, u64) {
        let quarter = self.runs / 4;
        match part {
            LEARN => (0, quarter),
            CHOOSE => (quarter, 2 * quarter),
            _ => (2 * quarter, self.runs),
        }
    }

    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed);
        if done.is_multiple_of(STEP) {
            self.context.progress.step("auditing", done, self.total);
        }
    }
}

/// The largest bound of all pairs and events, and the number of its pair.
fn largest(
    plan: &Plan,
    pairs: &[Pair],
    subjects: &[Subject<'_>],
    context: &Context<'_>,
) -> Result<(usize, Judged), JobError> {
    let (done, total) = (AtomicU64::new(0), 2 * plan.runs * pairs.len() as u64);
    let mut largest: Option<(usize, Judged)> = None;
    let mut released = false;
    for (number, subject) in subjects.iter().enumerate() {
        let of = Runs { subject: number as u64, runs: plan.runs, done: &done, total, context };
        let seen = subject.seen(&of)?;
        released |= observe::releases(&seen);
        let judged = subject.chosen.iter().map(|&event| plan.judge_chosen(&seen, event));
        let judged = best(judged.chain(plan.judge_searched(&seen))).expect("some events are always chosen");
        if largest.is_none_or(|largest| judged.epsilon > largest.1.epsilon) {
            largest = Some((number, judged));
        }
    }
    if !released {
        subjects[0].sides[0].made(&quiet(context, context.seed))?;
    }
    Ok(largest.expect("some pairs are always made up"))
}

fn finding(recipe: &Resolved, pair: &Pair, judged: Judged, show_values: bool) -> Finding {
    let named = recipe.attributes.iter().map(|attribute| attribute.name.clone()).zip(pair.target.clone());
    Finding {
        tables: pair.about.clone(),
        event: observe::told(judged.event),
        record: show_values.then(|| named.collect()),
        judged,
    }
}
