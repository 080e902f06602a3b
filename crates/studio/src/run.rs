//! The release itself: what the command line makes of the recipe that is shown.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen_contract::linked::DATA;
use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_job::estimate::{Estimate, estimate};
use velamen_job::{Outcome, RunOptions, anonymize};
use velamen_recipe::{JobError, Mistake};
use velamen_report::language::mark;

use crate::App;
use crate::evidence::FilledForm;
use crate::project::Project;
use crate::trial::Key;
use crate::worker::locked;

/// A release that was made from here.
#[derive(Debug)]
pub(crate) struct Run {
    /// The recipe's text then.
    pub(crate) text: String,
    pub(crate) outcome: Outcome,
}

/// What was estimated and made last.
#[derive(Default)]
pub(crate) struct Runs {
    estimate: Option<(Key, Result<Estimate, Mistake>)>,
    pub(crate) last: Option<Arc<Run>>,
    /// The last release of linked tables.
    pub(crate) linked: Option<Arc<LinkedRun>>,
    /// The form that was filled last for it.
    pub(crate) form: Option<FilledForm>,
    /// The folder of whichever was made last.
    pub(crate) release: Option<PathBuf>,
    /// Whether another one was begun since and is not made, or not yet.
    pub(crate) is_tried: bool,
}

/// A release of linked tables that was made from here.
#[derive(Debug)]
pub(crate) struct LinkedRun {
    /// The recipe's text then.
    pub(crate) text: String,
    pub(crate) outcome: velamen_patients::Outcome,
}

/// What the run of the open recipe will take, if that was looked at.
pub(crate) fn estimated(app: &App, project: &Project) -> Option<Result<Estimate, Mistake>> {
    let runs = locked(&app.runs);
    let (key, found) = runs.estimate.as_ref()?;
    (key.0 == project.number && key.1 == project.text()).then(|| found.clone())
}

/// Estimates what a run takes.
pub(crate) fn begin_estimate(app: &App, project: &Project) {
    let (key, asked, own) = ((project.number, project.text().to_owned()), project.asked(), Arc::clone(app));
    app.worker.put(mark("Estimating"), move |_, context| {
        let recipe = asked.resolved(&own.folders)?;
        let found = estimate(&recipe, context);
        locked(&own.runs).estimate = Some((key, found));
        Ok(())
    });
}

/// Makes the release.
pub(crate) fn begin(app: &App, project: &Project, overwrite: bool) {
    let (asked, own) = (project.asked(), Arc::clone(app));
    locked(&app.runs).is_tried = true;
    app.worker.put_firm(mark("Making the release"), move |_, context| {
        let recipe = asked.resolved(&own.folders)?;
        let seed = seed_of(&recipe)?;
        let options = RunOptions { overwrite, ..RunOptions::default() };
        let outcome = anonymize(&recipe, &options, &Context { seed: &seed, ..*context })?;
        let mut runs = locked(&own.runs);
        runs.release = Some(outcome.release.clone());
        (runs.form, runs.is_tried) = (None, false);
        runs.last = Some(Arc::new(Run { text: asked.text, outcome }));
        Ok(())
    });
}

/// Makes the release of linked tables.
pub(crate) fn begin_linked(app: &App, project: &Project, overwrite: bool) {
    let (asked, own) = (project.asked(), Arc::clone(app));
    locked(&app.runs).is_tried = true;
    app.worker.put_firm(mark("Making the release"), move |_, context| {
        let recipe = asked.linked(&own.folders)?;
        let outcome = velamen_patients::anonymize(&recipe, &asked.path, overwrite, context)?;
        let mut runs = locked(&own.runs);
        runs.release = Some(outcome.release.clone());
        (runs.form, runs.is_tried) = (None, false);
        runs.linked = Some(Arc::new(LinkedRun { text: asked.text, outcome }));
        Ok(())
    });
}

/// The recipe's seed, or a fresh one.
fn seed_of(recipe: &velamen_recipe::Resolved) -> Result<Seed, JobError> {
    let fresh = || Seed::fresh().map_err(|error| JobError::unusable(error.to_string()));
    recipe.seed.clone().map_or_else(fresh, Ok)
}

/// Writes the recipe where it stands, or would.
///
/// # Errors
/// [`JobError::io`] if another file is there and may not be replaced, or it cannot be written.
pub(crate) fn save(app: &App, project: &Project, overwrite: bool) -> Result<(), JobError> {
    let path = &project.path;
    app.folders.inside(path)?;
    if path.exists() && !overwrite {
        return Err(JobError::unusable(format!("{}: already exists", path.display()))
            .mend("tick \"replace what is there\" to replace it"));
    }
    velamen_job::output_file::write(path, |path| {
        std::fs::write(path, project.text()).map_err(|error| JobError::io(path, "write the recipe", &error))
    })
}

/// A file of a release, by its name.
pub(crate) fn released_file(release: &Path, name: &str) -> Option<PathBuf> {
    files(release).into_iter().find(|file| file == name).map(|file| release.join(file))
}

/// The names of the files of a release; those of linked tables lie in a folder of it.
pub(crate) fn files(release: &Path) -> Vec<String> {
    let mut names = named(release, "");
    names.extend(named(&release.join(DATA), &format!("{DATA}/")));
    names.sort();
    names
}

/// The names of the files of a folder.
fn named(folder: &Path, before: &str) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file());
    files.filter_map(|entry| Some(format!("{before}{}", entry.file_name().to_str()?))).collect()
}
