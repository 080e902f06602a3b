//! A trial: the release that the open recipe makes, in the private folder, to be compared and attacked before the real one.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen_assess::advise::{Advice, AdviceRequest, advise};
use velamen_assess::compare::{
    Analyses, AnalysisOptions, Classifiers, CompareOptions, Comparison, Section, compare,
};
use velamen_assess::risk::{RiskReport, RiskRequest, risk_of_people};
use velamen_assess::{AttackOptions, AttackRequest, Attacks, attack};
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_job::{ClassPeople, ClassRecords, Folders, Paired};
use velamen_measure::risk::special_uniques::MOST_ATTRIBUTES;
use velamen_recipe::{JobError, Mistake, Origin, Overrides, Recipe, Resolved};
use velamen_report::Distribution;
use velamen_report::language::mark;

use crate::App;
use crate::project::Project;
use crate::worker::{Asked, Bench, Ticket, locked};

/// Records of classes that can be looked at.
const MOST_RECORDS: u64 = 2000;

/// What a trial is of: what is open, and the recipe's text.
pub(crate) type Key = (u64, String);

/// A release of the open recipe beside its original.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) comparison: Result<Comparison, Mistake>,
    pub(crate) risk: Result<RiskReport, Mistake>,
    pub(crate) distributions: Vec<Distribution>,
    /// Classes with their original records, where classes are a node's.
    pub(crate) classes: Option<Vec<ClassRecords>>,
    /// The original records beside the released ones, where these are some of those.
    pub(crate) paired: Option<Paired>,
    /// In classes of which size the people are.
    pub(crate) people: ClassPeople,
    /// The names of the columns that the records have.
    pub(crate) columns: (Vec<String>, Vec<String>),
    folder: PathBuf,
    original: PathBuf,
    read: velamen_engine::source::ReadOptions,
}

/// What is known of the trial of the open recipe.
#[derive(Clone)]
pub(crate) enum State {
    /// It is being made.
    Making(Ticket),
    /// It was begun, and has to wait: the worker does this first.
    Behind(&'static str),
    /// There is none, for this reason.
    Failed(Mistake),
    Made(Arc<Trial>),
}

/// The last trial, and what attacks on it came to.
#[derive(Default)]
pub(crate) struct Trials {
    last: Option<(Key, State)>,
    attacks: Option<(Key, Result<Attacks, Mistake>)>,
    classifiers: Option<(Key, Result<Classifiers, Mistake>)>,
    analyses: Option<(Key, AnalysisOptions, Result<Analyses, Mistake>)>,
    advice: Option<(Key, Result<Advice, Mistake>)>,
}

fn key(project: &Project) -> Key {
    (project.number, project.text().to_owned())
}

/// The trial of the open recipe; it is begun if it has not been.
pub(crate) fn state(app: &App, project: &Project) -> State {
    let key = key(project);
    let known = || {
        let trials = locked(&app.trials);
        trials.last.as_ref().filter(|(of, _)| *of == key).map(|(_, state)| state.clone())
    };
    match known() {
        // It ended just now, or was stopped or went for another task, which has its turn first: two windows would stop
        // each other for ever.
        Some(State::Making(ticket)) if !app.worker.has(ticket) => {
            let behind = app.worker.status().map(|status| State::Behind(status.what));
            known().filter(|state| !matches!(state, State::Making(_))).or(behind)
        }
        known => known,
    }
    .unwrap_or_else(|| State::Making(begin(app, project)))
}

/// Makes the trial, once more if it was there.
pub(crate) fn begin(app: &App, project: &Project) -> Ticket {
    let (key, asked) = (key(project), project.asked());
    let (own, place) = (Arc::clone(app), key.clone());
    // The trial has to wait until its place is there.
    let mut trials = locked(&app.trials);
    let ticket = app.worker.put(mark("Making a trial release"), move |bench, context| {
        let state = match made(&own, bench, &asked, "trial", context) {
            Ok(trial) => State::Made(Arc::new(trial)),
            // Begun again when it is looked at.
            Err(error) if error.is_interrupted() && !own.worker.was_stopped() => return Ok(()),
            Err(error) => State::Failed(error),
        };
        if let Some((_, old)) = locked(&own.trials).last.as_mut().filter(|(of, _)| *of == key) {
            *old = state;
        }
        Ok(())
    });
    trials.last = Some((place, State::Making(ticket)));
    ticket
}

/// What attacks on the trial came to, if they were tried.
pub(crate) fn attacks<T>(
    app: &App,
    project: &Project,
    show: impl FnOnce(&Result<Attacks, Mistake>) -> T,
) -> Option<T> {
    let key = key(project);
    let trials = locked(&app.trials);
    trials.attacks.as_ref().filter(|(of, _)| *of == key).map(|(_, attacks)| show(attacks))
}

/// Attacks the trial.
pub(crate) fn begin_attacks(app: &App, project: &Project) {
    let State::Made(trial) = state(app, project) else { return };
    let (key, own) = (key(project), Arc::clone(app));
    app.worker.put(mark("Attacking the trial release"), move |_, context| {
        let request = AttackRequest {
            release: trial.folder.clone(),
            original: trial.original.clone().into(),
            read: trial.read.clone(),
            second: None,
            control: None,
            attacks: Vec::new(),
            options: AttackOptions::default(),
            simulate: 0,
            show_values: false,
        };
        let found = match attack(&request, None, context) {
            // Another task took its place: nobody stopped it, and it can be asked for again.
            Err(error) if error.is_interrupted() && !own.worker.was_stopped() => return Ok(()),
            found => found,
        };
        locked(&own.trials).attacks = Some((key, found));
        Ok(())
    });
}

/// How well classifiers that learned from the trial predict, if they were trained.
pub(crate) fn classifiers<T>(
    app: &App,
    project: &Project,
    show: impl FnOnce(&Result<Classifiers, Mistake>) -> T,
) -> Option<T> {
    let key = key(project);
    let trials = locked(&app.trials);
    trials.classifiers.as_ref().filter(|(of, _)| *of == key).map(|(_, found)| show(found))
}

/// Trains classifiers on the trial.
pub(crate) fn begin_classifiers(app: &App, project: &Project, target: &str) {
    let State::Made(trial) = state(app, project) else { return };
    let (key, own) = (key(project), Arc::clone(app));
    let mut options = CompareOptions { only: vec![Section::Classifiers], ..CompareOptions::default() };
    options.classifiers.target = Some(target.to_owned()).filter(|target| !target.is_empty());
    app.worker.put(mark("Training classifiers"), move |_, context| {
        let context = &Context { seed: &own.seed, ..*context };
        let found = compare(&trial.original.clone().into(), &trial.read, &trial.folder, &options, context);
        let found = told(found.and_then(|comparison| {
            comparison.classifiers.ok_or_else(|| JobError::usage("the release allows no classifiers"))
        }))?;
        locked(&own.trials).classifiers = Some((key, found));
        Ok(())
    });
}

/// What the analyses of the trial came to, if any were asked for.
pub(crate) fn analyses<T>(
    app: &App,
    project: &Project,
    show: impl FnOnce(&Result<Analyses, Mistake>) -> T,
) -> Option<T> {
    let key = key(project);
    let trials = locked(&app.trials);
    trials.analyses.as_ref().filter(|(of, ..)| *of == key).map(|(.., found)| show(found))
}

/// Which analyses were asked for last: a change of the recipe leaves them as they are.
pub(crate) fn asked_analyses(app: &App, project: &Project) -> Option<AnalysisOptions> {
    let trials = locked(&app.trials);
    let last = trials.analyses.as_ref().filter(|((number, _), ..)| *number == project.number);
    last.map(|(_, options, _)| options.clone())
}

/// Estimates on the original and on the trial what is asked for, or says why that is nothing to estimate.
pub(crate) fn begin_analyses(app: &App, project: &Project, asked: Result<AnalysisOptions, JobError>) {
    let State::Made(trial) = state(app, project) else { return };
    let (key, own) = (key(project), Arc::clone(app));
    let analysis = match asked {
        Ok(analysis) => analysis,
        Err(error) => {
            let last = asked_analyses(app, project).unwrap_or_default();
            locked(&app.trials).analyses = Some((key, last, Err(error)));
            return;
        }
    };
    let only = vec![Section::Analysis];
    let options = CompareOptions { only, analysis: analysis.clone(), ..CompareOptions::default() };
    app.worker.put(mark("Estimating on both tables"), move |_, context| {
        let context = &Context { seed: &own.seed, ..*context };
        let found = compare(&trial.original.clone().into(), &trial.read, &trial.folder, &options, context);
        let found = told(found.and_then(|comparison| {
            comparison.analyses.ok_or_else(|| JobError::usage("the release allows no analysis"))
        }))?;
        locked(&own.trials).analyses = Some((key, analysis, found));
        Ok(())
    });
}

/// What single changes of the recipe would keep or cost, if they were measured.
pub(crate) fn advice<T>(
    app: &App,
    project: &Project,
    show: impl FnOnce(&Result<Advice, Mistake>) -> T,
) -> Option<T> {
    let key = key(project);
    let trials = locked(&app.trials);
    trials.advice.as_ref().filter(|(of, _)| *of == key).map(|(_, found)| show(found))
}

/// Measures single changes of the recipe, beside the analyses that were asked for last.
pub(crate) fn begin_advice(app: &App, project: &Project) {
    let (key, own, asked) = (key(project), Arc::clone(app), project.asked());
    let analyses = AnalysisOptions { by: Vec::new(), ..asked_analyses(app, project).unwrap_or_default() };
    app.worker.put(mark("Measuring single changes"), move |_, context| {
        let found = told(advised(&own, &asked, analyses, context))?;
        locked(&own.trials).advice = Some((key, found));
        Ok(())
    });
}

/// How long changes are measured, in seconds.
const PATIENCE: f64 = 20.0;

fn advised(
    app: &App,
    asked: &Asked,
    analyses: AnalysisOptions,
    context: &Context<'_>,
) -> Result<Advice, JobError> {
    let recipe = asked.resolved(&app.folders)?;
    let base = asked.path.parent().unwrap_or(Path::new(""));
    let changed = |overrides: &Overrides| Recipe::parse(&asked.text, &asked.path, base, overrides);
    let request = AdviceRequest { recipe: &changed, set: Vec::new(), analyses, within: PATIENCE };
    let seed = recipe.seed.as_ref().unwrap_or(&app.seed);
    advise(&request, &Context { seed, ..*context })
}

const PRIVATE: &str = "the method is differentially private: no exact figure is shown before the release, since looking at \
                       one and choosing by it would spend budget that nobody counts";

/// The release of a recipe beside its original, in a place of the private folder that is written over.
///
/// # Errors
/// [`JobError::usage`] of a private method; those of making and measuring it.
pub(crate) fn made(
    app: &App,
    bench: &mut Bench,
    asked: &Asked,
    place: &str,
    context: &Context<'_>,
) -> Result<Trial, JobError> {
    let mut recipe = asked.resolved(&app.folders)?;
    if recipe.method.is_private() {
        return Err(JobError::usage(PRIVATE));
    }
    let Origin::File(original) = recipe.input.clone() else {
        return Err(JobError::usage("a trial is compared with a file; the table is a query's"));
    };
    let folder = app.folders.own().join(place).join("release");
    (recipe.output, recipe.table, recipe.sync) = (folder.clone(), None, false);
    let seed = recipe.seed.as_ref().unwrap_or(&app.seed);
    let context = &Context { seed, ..*context };
    let folders = Folders::of(&recipe, true)?;
    let (shown, (paired, people, holdings)) = bench.with_table(&recipe, context, |loaded| {
        let certified = loaded.search(context)?.apply(folders, context)?.certify(context)?;
        let shown = (certified.distributions(), certified.classes(MOST_RECORDS), certified.columns());
        let of_people = (certified.paired(), certified.class_people(), certified.holdings());
        certified.publish(context)?;
        Ok((shown, of_people))
    })?;
    let (distributions, classes, columns) = shown;
    let read = recipe.read.clone();
    let comparison =
        told(compare(&original.clone().into(), &read, &folder, &CompareOptions::default(), context))?;
    let released = holdings.map(|(_, released)| released);
    let risk = told(risk_of_people(&risk_request(&folder, &original, &recipe), released, context))?;
    Ok(Trial { comparison, risk, distributions, classes, paired, people, columns, folder, original, read })
}

/// A part that cannot be told is left out; a stop stops everything.
fn told<T>(part: Result<T, JobError>) -> Result<Result<T, Mistake>, JobError> {
    match part {
        Err(error) if error.is_interrupted() => Err(error),
        part => Ok(part),
    }
}

/// The column that says whose the original's records are.
fn person(recipe: &Resolved) -> Option<String> {
    let named = recipe.attributes.iter().find(|one| one.role == Role::Person).map(|one| &one.name);
    let pseudonyms = || recipe.identities.pseudonyms.iter().map(|(name, _)| name);
    named.or_else(|| pseudonyms().find(|name| !recipe.independent.contains(*name))).cloned()
}

fn risk_request(folder: &std::path::Path, original: &std::path::Path, recipe: &Resolved) -> RiskRequest {
    let qis = recipe.attributes.iter().filter(|one| one.role == Role::QuasiIdentifier).count();
    RiskRequest {
        table: folder.to_owned().into(),
        read: recipe.read.clone(),
        qis: Vec::new(),
        person: person(recipe),
        population: None,
        before: Some(original.to_owned().into()),
        threshold: recipe.risk,
        special_uniques: if qis <= MOST_ATTRIBUTES { 3 } else { 0 },
        rows: 0,
        show_values: false,
    }
}
