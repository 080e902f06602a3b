//! What promises cost on the open table: the release that the method makes, under recipes that differ in one promise.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_job::{Front, Solution};
use velamen_recipe::Mistake;
use velamen_report::language::mark;

use crate::App;
use crate::project::Project;
use crate::worker::{Asked, locked};

/// So many recipes' figures are kept: those of undone changes are there again at once.
const KEPT: usize = 64;

/// The figures of a release that would be made; none of a differentially private one, with the reason.
pub(crate) type RecipeCost = Result<Result<Solution, String>, Mistake>;

/// A recipe over what was open.
type Key = (u64, String);

/// The figures that were found last.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    found: VecDeque<(Key, RecipeCost)>,
    /// What the worker looks for.
    asked: Vec<Key>,
}

/// What is known of recipes.
pub(crate) struct Known {
    pub(crate) figures: Vec<Option<RecipeCost>>,
    /// Whether the worker looks for those that are not known.
    pub(crate) is_on_its_way: bool,
}

/// The figures under each recipe, as far as they are known; the worker begins to look for the others if it `may`.
pub(crate) fn figures(app: &App, project: &Project, texts: &[String], may: bool) -> Known {
    let keys: Vec<Key> = texts.iter().map(|text| (project.number, text.clone())).collect();
    let mut costs = locked(&app.costs);
    let known =
        |key: &Key| costs.found.iter().find(|(other, _)| other == key).map(|(_, figures)| figures.clone());
    let figures: Vec<Option<RecipeCost>> = keys.iter().map(known).collect();
    let missing: BTreeSet<Key> =
        keys.into_iter().zip(&figures).filter(|(_, figures)| figures.is_none()).map(|(key, _)| key).collect();
    let missing: Vec<Key> = missing.into_iter().collect();
    let is_on_its_way = missing.iter().all(|key| costs.asked.contains(key)) && app.worker.status().is_some();
    let is_on_its_way = is_on_its_way && !missing.is_empty();
    if !missing.is_empty() && !is_on_its_way && may {
        costs.asked.clone_from(&missing);
        begin(app, project, missing);
        return Known { figures, is_on_its_way: true };
    }
    Known { figures, is_on_its_way }
}

/// Forgets what was stopped: it is searched for again.
pub(crate) fn forget_stopped(app: &App) {
    locked(&app.costs).found.retain(|(_, figures)| !is_stopped(figures));
}

fn is_stopped(figures: &RecipeCost) -> bool {
    matches!(figures, Err(mistake) if mistake.is_interrupted())
}

fn begin(app: &App, project: &Project, keys: Vec<Key>) {
    let (own, path) = (Arc::clone(app), project.path.clone());
    app.worker.put(mark("Weighing the promises"), move |bench, context| {
        for key in &keys {
            let asked = Asked { text: key.1.clone(), path: path.clone() };
            let front =
                asked.resolved(&own.folders).and_then(|recipe| match Front::without_figures(&recipe) {
                    Some(front) => Ok(front),
                    None => bench.with_table(&recipe, context, |loaded| {
                        // One seed for all, so that nothing but the promises differs.
                        let seed = recipe.seed.clone().unwrap_or_else(|| Seed::from_number(1));
                        loaded.best(&Context { seed: &seed, ..*context })
                    }),
                });
            let figures = front.map(|front| {
                let none = || front.note.clone().unwrap_or_else(|| "there is no release".into());
                front.solutions.first().cloned().ok_or_else(none)
            });
            let costs = &mut *locked(&own.costs);
            // Another task took the place of this one: nobody stopped it, and it is begun again when it is looked at.
            if is_stopped(&figures) && !own.worker.was_stopped() {
                break;
            }
            costs.found.push_front((key.clone(), figures));
            costs.found.truncate(KEPT);
        }
        Ok(())
    });
}
