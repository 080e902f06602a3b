//! The front of releases that no other beats, as it is found.

use std::collections::VecDeque;
use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_job::{Front, FrontEvent, Solution};
use velamen_recipe::{AttributeSection, JobError, Mistake, Recipe};

use crate::App;
use crate::edit::{Edit, at, edited};
use crate::project::Project;
use crate::worker::{Asked, Ticket, locked};

/// So many fronts are kept: undo shows the last ones at once.
const KEPT: usize = 8;

/// Which front: of what is open, under a recipe's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    number: u64,
    text: String,
}

/// A front, or what of it is there.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    key: Key,
    ticket: Ticket,
    /// What was found so far, in the order in which it was.
    pub(crate) solutions: Vec<Solution>,
    /// What is said of all of them, once the look is over.
    pub(crate) whole: Option<Front>,
    /// Why there are no others, or none.
    pub(crate) mistake: Option<Mistake>,
    /// Whether the look is over.
    is_over: bool,
}

/// The fronts that were found last.
#[derive(Debug, Default)]
pub(crate) struct Fronts(VecDeque<Found>);

impl Fronts {
    fn of(&self, key: &Key) -> Option<&Found> {
        self.0.iter().find(|found| found.key == *key)
    }

    fn change(&mut self, key: &Key, change: impl FnOnce(&mut Found)) {
        if let Some(found) = self.0.iter_mut().find(|found| found.key == *key) {
            change(found);
        }
    }

    fn forget(&mut self, key: &Key) {
        self.0.retain(|found| found.key != *key);
    }

    /// An empty one, in place of one of that key.
    fn begin(&mut self, key: Key, ticket: Ticket) {
        self.forget(&key);
        self.0.push_front(Found {
            key,
            ticket,
            solutions: Vec::new(),
            whole: None,
            mistake: None,
            is_over: false,
        });
        self.0.truncate(KEPT);
    }
}

impl Project {
    /// The recipe without the levels that were chosen: the others stay to be chosen from. One that names the level of some
    /// attributes only is meant so.
    pub(crate) fn free_text(&self) -> String {
        let recipe = self.recipe().ok().filter(has_chosen);
        let edits = |recipe: Recipe| -> Vec<Edit> {
            recipe.attributes.keys().map(|name| Edit::Remove(at(["attributes", name, "level"]))).collect()
        };
        let freed = recipe.and_then(|recipe| edited(self.text(), &edits(recipe)).ok());
        freed.unwrap_or_else(|| self.text().to_owned())
    }

    /// Whether the recipe names one level of every quasi-identifier.
    pub(crate) fn has_chosen(&self) -> bool {
        self.recipe().is_ok_and(|recipe| has_chosen(&recipe))
    }

    /// Whether the recipe names just the levels of a solution.
    pub(crate) fn is_chosen(&self, solution: &Solution) -> bool {
        let level = |name: &str| self.recipe().ok()?.attributes.get(name).and_then(one_level);
        !solution.levels.is_empty()
            && solution.levels.iter().all(|(name, wanted)| {
                wanted.as_u64().is_some() && level(name).map(u64::from) == wanted.as_u64()
            })
    }
}

fn one_level(section: &AttributeSection) -> Option<u8> {
    section.level.or_else(|| section.min_level.filter(|least| section.max_level == Some(*least)))
}

fn has_chosen(recipe: &Recipe) -> bool {
    let mut qis =
        recipe.attributes.values().filter(|section| section.role == Role::QuasiIdentifier).peekable();
    qis.peek().is_some() && qis.all(|section| one_level(section).is_some())
}

/// The front of the open recipe; the look begins if it has not.
pub(crate) fn front(app: &App, project: &Project) -> Option<Found> {
    front_of(app, project, project.free_text())
}

/// The front of another recipe over what is open.
pub(crate) fn front_of(app: &App, project: &Project, text: String) -> Option<Found> {
    let key = Key { number: project.number, text };
    let known = || locked(&app.fronts).of(&key).cloned();
    let found = match known() {
        // It ended just now, or waited and went for another task.
        Some(found) if !found.is_over() && !app.worker.has(found.ticket) => known().filter(Found::is_over),
        known => known,
    };
    if found.is_none() {
        look_for(app, project, key);
    }
    found
}

/// Looks for the front, once more if it was there.
pub(crate) fn look(app: &App, project: &Project) {
    look_for(app, project, Key { number: project.number, text: project.free_text() });
}

fn look_for(app: &App, project: &Project, key: Key) {
    let asked = Asked { text: key.text.clone(), path: project.path.clone() };
    let own = Arc::clone(app);
    // The look has to wait until its place is there.
    let mut fronts = locked(&app.fronts);
    let place = key.clone();
    let ticket = app.worker.put("Looking for releases", move |bench, context| {
        let result = asked.resolved(&own.folders).and_then(|recipe| match Front::without_figures(&recipe) {
            Some(front) => Ok(front),
            None => bench.with_table(&recipe, &asked.path, context, |loaded| {
                let seed = recipe.seed.as_ref().unwrap_or(&own.seed);
                let mut event =
                    |event: FrontEvent<'_>| locked(&own.fronts).change(&key, |found| found.take(event));
                loaded.front(None, &mut event, &Context { seed, ..*context })
            }),
        });
        let mut fronts = locked(&own.fronts);
        match result {
            Err(JobError::Interrupted) if !own.worker.was_stopped() => fronts.forget(&key),
            result => fronts.change(&key, |found| found.end(result)),
        }
        Ok(())
    });
    fronts.begin(place, ticket);
}

impl Found {
    fn take(&mut self, event: FrontEvent<'_>) {
        match event {
            FrontEvent::Added(solution) => self.solutions.push(solution.clone()),
            FrontEvent::Retracted(solution) => self.solutions.retain(|other| other != solution),
        }
    }

    fn end(&mut self, result: Result<Front, JobError>) {
        self.is_over = true;
        match result {
            Ok(front) => {
                self.solutions.clone_from(&front.solutions);
                self.whole = Some(front);
            }
            Err(error) => self.mistake = Some(error.to_data()),
        }
    }

    /// Whether the look is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }
}
