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
    let qis = qis(&resolved);
    let now = trials.measured(&resolved, context)?;
    let mut advice = Advice { now, changes: Vec::new(), impossible: Vec::new(), not_tried: Vec::new() };
    let all = changes(&written, &resolved);
    let cancel = AtomicBool::new(false);
    let deadline = started + Duration::from_secs_f64(request.within.min(LONGEST));
    std::thread::scope(|scope| {
        let (done, finished) = channel::<()>();
        let watch = || stop_at(deadline, finished, context.cancel, &cancel);
        // Where the system has no threads, all changes are measured.
        let _watching = std::thread::Builder::new().spawn_scoped(scope, watch);
        let limited = Context { cancel: &cancel, ..*context };
        let found = trials.all(&all, qis, &mut advice, &limited);
        drop(done);
        found
    })?;
    context.check()?;
    advice.changes.sort_by(|a, b| a.figures.rank(&b.figures));
    Ok(advice)
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

/// How many quasi-identifiers a recipe has.
fn qis(recipe: &Resolved) -> usize {
    recipe.attributes.iter().filter(|attribute| attribute.role == Role::QuasiIdentifier).count()
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

    fn all(
        &self,
        all: &[SingleChange],
        qis: usize,
        advice: &mut Advice,
        context: &Context<'_>,
    ) -> Result<(), JobError> {
        for change in all {
            // What the recipe's method does not know is no change of this recipe.
            let Ok((_, resolved)) = self.recipe(&change.set) else { continue };
            if context.cancel.load(Ordering::Relaxed) {
                advice.not_tried.push(change.words.clone());
                continue;
            }
            match self.measured(&resolved, context) {
                Ok(figures) => advice.changes.push(MeasuredChange {
                    change: change.words.clone(),
                    set: change.set.clone(),
                    figures: figures.over(qis, change.dropped.is_some()),
                }),
                Err(_) if context.cancel.load(Ordering::Relaxed) => {
                    advice.not_tried.push(change.words.clone())
                }
                // A changed recipe that cannot be kept, or that the table does not allow, is an answer, too.
                Err(_) => advice.impossible.push(change.words.clone()),
            }
        }
        Ok(())
    }

    fn measured(&self, recipe: &Resolved, context: &Context<'_>) -> Result<ChangeFigures, JobError> {
        let loaded = Session::open(recipe, &RunOptions::default(), context)?.read(context)?;
        let Front { solutions, .. } = loaded.best(context)?;
        let solution: &Solution =
            solutions.first().expect("a method without privacy of its own has a release");
        Ok(ChangeFigures {
            loss: solution.loss,
            highest_risk: solution.highest_risk,
            changed: solution.changed,
            mean_overlap: self.overlap(recipe, context)?,
        })
    }

    /// Of the stated analyses, on the release that the recipe makes.
    fn overlap(&self, recipe: &Resolved, context: &Context<'_>) -> Result<Option<f64>, JobError> {
        if self.request.analyses.is_empty() {
            return Ok(None);
        }
        let options = RunOptions { overwrite: true, ..RunOptions::default() };
        let made = anonymize(recipe, &options, context)?;
        let asked = CompareOptions { analysis: self.request.analyses.clone(), ..CompareOptions::default() };
        let original: &Origin = &recipe.input;
        let found = compare(original, &recipe.read, &made.release, &asked, context)?;
        Ok(found.analyses.map(|analyses| analyses.mean_overlap))
    }
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
