//! The original records of the open table, as the recipe reads them: to be looked at before anything is released.

use std::sync::Arc;

use velamen_job::{Loaded, Paired};
use velamen_recipe::Mistake;
use velamen_report::language::mark;

use crate::App;
use crate::project::Project;
use crate::trial::Key;
use crate::worker::locked;

/// The original records.
#[derive(Debug)]
pub(crate) struct Original {
    pub(crate) paired: Paired,
    /// How many they are.
    pub(crate) records: u64,
    /// Of how many people, where a column says whose each is.
    pub(crate) people: Option<u64>,
}

/// The records that were read last, or why they could not be.
#[derive(Default)]
pub(crate) struct Originals {
    read: Option<(Key, Result<Arc<Original>, Mistake>)>,
    /// What was asked for last.
    asked: Option<Key>,
}

/// The original records; the worker begins to read them where they are not there yet.
pub(crate) fn originals(app: &App, project: &Project) -> Option<Result<Arc<Original>, Mistake>> {
    let key: Key = (project.number, project.text().to_owned());
    let mut held = locked(&app.originals);
    if let Some((_, found)) = held.read.as_ref().filter(|(of, _)| *of == key) {
        return Some(found.clone());
    }
    let is_on_its_way = held.asked.as_ref() == Some(&key) && app.worker.status().is_some();
    if !is_on_its_way {
        held.asked = Some(key.clone());
        begin(app, project, key);
    }
    None
}

fn of(loaded: &Loaded<'_>) -> Original {
    Original { paired: loaded.originals(), records: loaded.records(), people: loaded.people() }
}

fn begin(app: &App, project: &Project, key: Key) {
    let (asked, own) = (project.asked(), Arc::clone(app));
    app.worker.put(mark("Reading the table"), move |bench, context| {
        let found = asked
            .resolved(&own.folders)
            .and_then(|recipe| bench.with_table(&recipe, context, |loaded| Ok(Arc::new(of(loaded)))));
        // Another task took its place: it is begun again when it is looked at.
        if found.as_ref().is_err_and(|error| error.is_interrupted()) && !own.worker.was_stopped() {
            return Ok(());
        }
        locked(&own.originals).read = Some((key, found));
        Ok(())
    });
}
