//! What single changes of a recipe would keep or cost: each is made and measured.

mod changes;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_job::{Front, RunOptions, Session, Solution, anonymize};
use velamen_recipe::{JobError, Origin, Overrides, Recipe, Resolved};

use self::changes::{SingleChange, changes};
use crate::compare::{AnalysisOptions, CompareOptions, compare};

/// How often the time and the wish to stop are looked at.
const TICK: Duration = Duration::from_millis(50);

/// How many times as long as the recipe as it is a change may take before the others are tried.
const PATIENCE: u32 = 3;

/// So long it may always take.
const SHORTEST: Duration = Duration::from_millis(500);

/// No look takes longer, in seconds.
const LONGEST: f64 = 1e8;

/// What each single change would keep or cost, the one that helps most first.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Advice {
    /// The recipe as it is.
    pub now: ChangeFigures,
    /// The changes that were measured.
    pub changes: Vec<MeasuredChange>,
    /// The changes that make no release, or none that the stated analyses can be made of.
    pub impossible: Vec<String>,
    /// The changes that there was no time for.
    pub not_tried: Vec<String>,
}

/// A change of one thing.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct MeasuredChange {
    /// What changes.
    pub change: String,
    /// What `--set` needs for it.
    pub set: Vec<String>,
    /// What comes of it.
    #[serde(flatten)]
    pub figures: ChangeFigures,
}

/// What a release would keep and cost.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChangeFigures {
    /// The loss over all quasi-identifiers of the recipe as it is, from 0 to 1; a dropped one counts 1.
    pub loss: f64,
    /// The highest risk of re-identification, with the catalog known.
    pub highest_risk: f64,
    /// The share of released records that are suppressed or counterfeit.
    pub changed: f64,
    /// The mean overlap of the confidence intervals of the stated analyses.
    pub mean_overlap: Option<f64>,
}

/// How a recipe becomes one that is changed.
pub type Changed<'a> = &'a dyn Fn(&Overrides) -> Result<Recipe, JobError>;

/// What is asked.
pub struct AdviceRequest<'a> {
    /// The recipe with changes over its own.
    pub recipe: Changed<'a>,
    /// Changes of the recipe that hold throughout.
    pub set: Vec<String>,
    /// The analyses whose overlap is measured.
    pub analyses: AnalysisOptions,
    /// The seconds that the changes may take.
    pub within: f64,
}

/// Measures a recipe and each of its single changes.
///
/// # Errors
/// [`JobError::usage`] for a private method, and what the recipe as it is can give.
pub fn advise(request: &AdviceRequest<'_>, context: &Context<'_>) -> Result<Advice, JobError> {
    let folder =
        tempfile::tempdir().map_err(|error| JobError::io(Path::new("."), "make a folder in", &error))?;
    let trials = Trials { request, folder: folder.path() };
    let (written, resolved) = trials.recipe(&[])?;
    if resolved.method.is_private() {
        let problem =
            Problem::new("the method is differentially private: each measured change would spend budget");
        return Err(JobError::usage(problem.mend("choose columns and methods by what is public")));
    }
    let started = Instant::now();
    let deadline = started + Duration::from_secs_f64(request.within.min(LONGEST));
    let now = trials.measured(&resolved, context)?;
    let advice = Advice { now, changes: Vec::new(), impossible: Vec::new(), not_tried: Vec::new() };
    let mut trying = Trying { trials: &trials, qis: qis(&resolved), deadline, advice };
    trying.all(changes(&written, &resolved), started.elapsed(), context);
    let mut advice = trying.advice;
    context.check()?;
    advice.changes.sort_by(|a, b| a.figures.rank(&b.figures));
    Ok(advice)
}

/// Work that is stopped at a deadline or when somebody wants to stop, and whether it was.
fn until<T>(deadline: Instant, context: &Context<'_>, work: impl FnOnce(&Context<'_>) -> T) -> (T, bool) {
    let cancel = AtomicBool::new(false);
    let done = std::thread::scope(|scope| {
        let (done, finished) = channel::<()>();
        let watch = || stop_at(deadline, finished, context.cancel, &cancel);
        // Where the system has no threads, nothing is stopped.
        let _watching = std::thread::Builder::new().spawn_scoped(scope, watch);
        let found = work(&Context { cancel: &cancel, ..*context });
        drop(done);
        found
    });
    (done, cancel.load(Ordering::Relaxed))
}

/// Sets the flag at the deadline or when somebody wants to stop, unless all is done before.
fn stop_at(deadline: Instant, finished: Receiver<()>, asked: &AtomicBool, stop: &AtomicBool) {
    while finished.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        if Instant::now() >= deadline || asked.load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
            return;
        }
    }
}

impl ChangeFigures {
    /// More overlap first where it was measured, then less loss.
    fn rank(&self, other: &Self) -> std::cmp::Ordering {
        let overlap = |figures: &Self| figures.mean_overlap.unwrap_or(0.0);
        overlap(other).total_cmp(&overlap(self)).then(self.loss.total_cmp(&other.loss))
    }
}

/// The release that a recipe makes, with its figures.
fn best(recipe: &Resolved, context: &Context<'_>) -> Result<Front, JobError> {
    Session::open(recipe, &RunOptions::default(), context)?.read(context)?.best(context)
}

/// How many quasi-identifiers a recipe has.
fn qis(recipe: &Resolved) -> usize {
    recipe.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier).count()
}

/// What comes of a change that was tried.
enum Tried {
    Measured(ChangeFigures),
    Impossible,
    /// It took longer than it may.
    Stopped,
    /// The recipe's method does not know what is changed: it is no change of this recipe.
    Unknown,
}

/// Changes that are tried one after the other, and what is known so far.
struct Trying<'a> {
    trials: &'a Trials<'a>,
    /// How many quasi-identifiers the recipe as it is has.
    qis: usize,
    deadline: Instant,
    advice: Advice,
}

impl Trying<'_> {
    /// Tries all changes; those that take [`PATIENCE`] times as long as the recipe as it is wait until the others are done.
    fn all(&mut self, all: Vec<SingleChange>, usual: Duration, context: &Context<'_>) {
        let patience = (usual * PATIENCE).max(SHORTEST);
        let slow: Vec<SingleChange> =
            all.into_iter().filter(|change| !self.one(change, Some(patience), context)).collect();
        for change in slow {
            if !self.one(&change, None, context) {
                self.advice.not_tried.push(change.words);
            }
        }
    }

    /// Tries a change for so long; whether all is known of it.
    fn one(&mut self, change: &SingleChange, patience: Option<Duration>, context: &Context<'_>) -> bool {
        let now = Instant::now();
        let deadline = patience.map_or(self.deadline, |patience| self.deadline.min(now + patience));
        if now >= self.deadline || context.cancel.load(Ordering::Relaxed) {
            return false;
        }
        match self.trials.tried(change, deadline, context) {
            Tried::Stopped => return false,
            Tried::Unknown => {}
            Tried::Impossible => self.advice.impossible.push(change.words.clone()),
            Tried::Measured(figures) => self.advice.changes.push(MeasuredChange {
                change: change.words.clone(),
                set: change.set.clone(),
                figures: figures.over(self.qis, change.dropped.is_some()),
            }),
        }
        true
    }
}

struct Trials<'a> {
    request: &'a AdviceRequest<'a>,
    folder: &'a Path,
}

impl Trials<'_> {
    /// The recipe with some changes more; its outputs would lie in the temporary folder.
    fn recipe(&self, set: &[String]) -> Result<(Recipe, Resolved), JobError> {
        let set = self.request.set.iter().chain(set).cloned().collect();
        let overrides = Overrides { set, output: Some(self.release()), ..Overrides::default() };
        let written = (self.request.recipe)(&overrides)?;
        let resolved = written.resolve()?;
        Ok((written, resolved))
    }

    fn release(&self) -> PathBuf {
        self.folder.join("release")
    }

    fn tried(&self, change: &SingleChange, deadline: Instant, context: &Context<'_>) -> Tried {
        let Ok((_, resolved)) = self.recipe(&change.set) else { return Tried::Unknown };
        match until(deadline, context, |context| self.measured(&resolved, context)) {
            (Ok(figures), _) => Tried::Measured(figures),
            (Err(_), true) => Tried::Stopped,
            // A changed recipe that cannot be kept, or that the table does not allow, is an answer, too.
            (Err(_), false) => Tried::Impossible,
        }
    }

    fn measured(&self, recipe: &Resolved, context: &Context<'_>) -> Result<ChangeFigures, JobError> {
        let analyses = &self.request.analyses;
        // Neither needs the other.
        let (best, overlap) = rayon::join(|| best(recipe, context), || overlap(analyses, recipe, context));
        let Front { solutions, .. } = best?;
        let solution: &Solution =
            solutions.first().expect("a method without privacy of its own has a release");
        Ok(ChangeFigures {
            loss: solution.loss,
            highest_risk: solution.highest_risk,
            changed: solution.changed,
            mean_overlap: overlap?,
        })
    }
}

/// The mean overlap of analyses on the release that a recipe makes; nothing of none.
fn overlap(
    analyses: &AnalysisOptions,
    recipe: &Resolved,
    context: &Context<'_>,
) -> Result<Option<f64>, JobError> {
    if analyses.is_empty() {
        return Ok(None);
    }
    let options = RunOptions { overwrite: true, ..RunOptions::default() };
    let made = anonymize(recipe, &options, context)?;
    let asked = CompareOptions { analysis: analyses.clone(), ..CompareOptions::default() };
    let original: &Origin = &recipe.input;
    let found = compare(original, &recipe.read, &made.release, &asked, context)?;
    Ok(found.analyses.map(|analyses| analyses.mean_overlap))
}

impl ChangeFigures {
    /// The loss over so many quasi-identifiers, of which one may be dropped.
    fn over(self, qis: usize, dropped: bool) -> Self {
        // The loss is a geometric mean of 1 + loss of each attribute, less 1.
        let all = qis as f64;
        let with_dropped = || (2.0 * (1.0 + self.loss).powf(all - 1.0)).powf(1.0 / all) - 1.0;
        let loss = if dropped { with_dropped() } else { self.loss };
        Self { loss, ..self }
    }
}
