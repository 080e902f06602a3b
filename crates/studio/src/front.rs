//! The front of releases that no other beats, as it is found.

use std::collections::VecDeque;
use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_job::{Front, FrontEvent, Solution};
use velamen_recipe::{AttributeSection, JobError, Mistake, Recipe};
use velamen_report::language::mark;

use crate::App;
use crate::edit::{Edit, at, edited};
use crate::project::Project;
use crate::worker::{Asked, Ticket, locked};

/// So many fronts are kept: undo shows the last ones at once.
const KEPT: usize = 8;

/// What the worker calls a look.
const LOOK: &str = mark("Looking for releases");

/// Which front: of what is open, under a recipe's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    number: u64,
    text: String,
}

/// A front, or what of it is there.
#[derive(Debug, Clone)]
pub(crate) struct FoundFront {
    key: Key,
    ticket: Ticket,
    /// What was found so far, in the order in which it was.
    pub(crate) solutions: Vec<Solution>,
    /// What is said of all of them, once the look is over.
    pub(crate) whole: Option<Front>,
    /// Why there are no others, or none.
    pub(crate) mistake: Option<Mistake>,
    /// Whether a person can have several records, so that the risks count people.
    pub(crate) of_people: bool,
    /// Whether the method looks at levels by records while the risks count people: then there is one release only.
    pub(crate) by_records: bool,
    /// Whether the look is over.
    is_over: bool,
    /// What the worker does instead, where another task took the look's place.
    pub(crate) behind: Option<&'static str>,
}

/// The fronts that were found last.
#[derive(Debug, Default)]
pub(crate) struct Fronts(VecDeque<FoundFront>);

impl Fronts {
    fn of(&self, key: &Key) -> Option<&FoundFront> {
        self.0.iter().find(|found| found.key == *key)
    }

    fn change(&mut self, key: &Key, change: impl FnOnce(&mut FoundFront)) {
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
        self.0.push_front(FoundFront {
            key,
            ticket,
            solutions: Vec::new(),
            whole: None,
            mistake: None,
            of_people: false,
            by_records: false,
            is_over: false,
            behind: None,
        });
        self.0.truncate(KEPT);
    }
}

impl Project {
    /// The recipe without the levels that were chosen: the others stay to be chosen from. One that names the level of some
    /// attributes only is meant so.
    pub(crate) fn free_text(&self) -> String {
        let recipe = self.recipe().ok().filter(has_chosen);
        let freed = recipe.and_then(|recipe| edited(self.text(), &without_levels(recipe)).ok());
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

fn without_levels(recipe: Recipe) -> Vec<Edit> {
    recipe.attributes.keys().map(|name| Edit::Remove(at(["attributes", name, "level"]))).collect()
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
pub(crate) fn front(app: &App, project: &Project) -> Option<FoundFront> {
    front_of(app, project, project.free_text())
}

/// The front of another recipe over what is open. Where a task of another kind took the place of a look that was
/// begun, it has its turn first: two windows would stop each other for ever.
pub(crate) fn front_of(app: &App, project: &Project, text: String) -> Option<FoundFront> {
    let key = Key { number: project.number, text };
    let known = || locked(&app.fronts).of(&key).cloned();
    let found = match known() {
        // It ended just now, or was stopped or went for another task.
        Some(found) if !found.is_over() && !app.worker.has(found.ticket) => {
            let behind = app.worker.status().map(|status| status.what).filter(|what| *what != LOOK);
            let waits = || behind.map(|what| FoundFront { behind: Some(what), ..found });
            known().filter(FoundFront::is_over).or_else(waits)
        }
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
    let ticket = app.worker.put(LOOK, move |bench, context| {
        let result = asked.resolved(&own.folders).and_then(|recipe| match Front::without_figures(&recipe) {
            Some(front) => Ok(front),
            None => bench.with_table(&recipe, context, |loaded| {
                let seed = recipe.seed.as_ref().unwrap_or(&own.seed);
                let counts_people = loaded.people().is_some();
                let one_level = recipe.method.facts.one_level;
                let nodes = recipe.method.method.nodes();
                let by_records = nodes.map_or(one_level, |nodes| !nodes.counts_people());
                locked(&own.fronts).change(&key, |found| {
                    (found.of_people, found.by_records) = (counts_people, counts_people && by_records);
                });
                let mut event =
                    |event: FrontEvent<'_>| locked(&own.fronts).change(&key, |found| found.take(event));
                loaded.front(None, &mut event, &Context { seed, ..*context })
            }),
        });
        let mut fronts = locked(&own.fronts);
        match result {
            // Begun again once the worker is free.
            Err(error) if error.is_interrupted() && !own.worker.was_stopped() => {}
            result => fronts.change(&key, |found| found.end(result)),
        }
        Ok(())
    });
    fronts.begin(place, ticket);
}

impl FoundFront {
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
            Err(error) => self.mistake = Some(error),
        }
    }

    /// Whether the look is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;
    use crate::trial::{State, state};

    const RECIPE: &str = "[input]\npath = \"t.csv\"\n[attributes.age]\nrole = \"quasi-identifier\"\n\
        hierarchy = { interval = [5, 10], min = 0, max = 99 }\n[attributes.diagnosis]\nrole = \"sensitive\"\n\
        [[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n[method]\nname = \"optimal\"\n[output]\npath = \"release\"\n";

    /// A task of another window, until it is told to end.
    fn busy(app: &App, what: &'static str) -> std::sync::mpsc::Sender<()> {
        let (end, ended) = std::sync::mpsc::channel();
        app.worker.put(what, move |_, _| {
            let _gone = ended.recv();
            Ok(())
        });
        end
    }

    /// Waits until this is what is done.
    fn until(app: &App, what: &'static str) {
        while app.worker.status().is_none_or(|status| status.what != what) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    #[test]
    fn windows_do_not_stop_each_other() {
        let rows = |i: u32| format!("{},{}\n", 30 + i % 20, ["a", "b"][i as usize % 2]);
        let table = "age,diagnosis\n".to_owned() + &(0..80).map(rows).collect::<String>();
        let studio = Open::new(&[("t.csv", &table), ("r.toml", RECIPE)]);
        let app = &studio.app;
        let look = || front(app, locked(&app.project).as_ref().unwrap());
        let trial = || state(app, locked(&app.project).as_ref().unwrap());
        let first = busy(app, "Reading the column");
        until(app, "Reading the column");
        look();
        // It waits for the first, and goes for the one of another window.
        let end = busy(app, "Weighing the promises");
        drop(first);
        until(app, "Weighing the promises");
        let begun = app.worker.begun();
        let found = look().unwrap();
        assert_eq!(found.behind, Some("Weighing the promises"));
        assert!(!found.is_over() && app.worker.begun() == begun, "nothing is stopped for it");
        drop(end);
        studio.settle();
        assert!(look().is_none_or(|found| found.behind.is_none()), "its turn has come");
        studio.settle();
        assert!(look().unwrap().is_over() && !look().unwrap().solutions.is_empty());
        trial();
        let end = busy(app, "Weighing the promises");
        until(app, "Weighing the promises");
        let waits = trial();
        // On a fast machine the trial was there before.
        assert!(matches!(waits, State::Behind(_) | State::Made(_)));
        drop(end);
        studio.settle();
        trial();
        studio.settle();
        assert!(matches!(trial(), State::Made(_)));
    }
}
