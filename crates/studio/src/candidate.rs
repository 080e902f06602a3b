//! Releases to choose from: each is made in the private folder and measured, one after the other.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use serde_json::Value;
use velamen_assess::compare::Comparison;
use velamen_contract::metric::LOST_DETAIL;
use velamen_core::context::Context;
use velamen_core::hierarchy::{NULL, TOP};
use velamen_job::{ClassPeople, Paired, PairedRow};
use velamen_recipe::{JobError, Mistake, Recipe};
use velamen_report::language::mark;

use crate::App;
use crate::project::Project;
use crate::trial::{self, Trial};
use crate::worker::{Asked, Bench, locked};

/// So many are kept: those of answers that were changed and changed back are there at once.
const KEPT: usize = 12;

/// Rows of a release that are shown.
const ROWS: usize = 6;

/// What is measured of a release.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Measured {
    /// Whether its risks count people, and not rows.
    pub(crate) of_people: bool,
    /// The mean share of detail lost, from 0 to 1.
    pub(crate) lost: Option<f64>,
    /// The chance that a person is picked who is known to be in the table: of the one easiest to find, and on average.
    pub(crate) highest_risk: Option<f64>,
    pub(crate) mean_risk: Option<f64>,
    pub(crate) records: u64,
    pub(crate) suppressed: u64,
    pub(crate) counterfeits: u64,
    pub(crate) classes: u64,
    /// The median relative error of counts of groups.
    pub(crate) count_error: Option<f64>,
    /// The mean change of the associations of two columns.
    pub(crate) association_shift: Option<f64>,
    /// The mean share of rows whose value would have to move.
    pub(crate) value_shift: Option<f64>,
    pub(crate) columns: Vec<String>,
    /// The first row of each of the first classes.
    pub(crate) rows: Vec<Vec<String>>,
}

/// What came of a recipe; nothing is measured of a private one before it is released.
pub(crate) type Candidate = Result<Option<Arc<Measured>>, Mistake>;

/// A recipe over what was open, however it is written.
#[derive(Debug, Clone, PartialEq)]
struct Key(u64, Value);

/// The releases that were made last.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    found: VecDeque<(Key, Candidate)>,
    /// What the worker makes.
    asked: Vec<Key>,
}

/// What a recipe says, apart from how it is written.
pub(crate) fn meaning(project: &Project, text: &str) -> Result<Value, Mistake> {
    let recipe = Recipe::from_text(text, &project.path)?;
    Ok(serde_json::to_value(recipe).unwrap_or_default())
}

/// What is known of each recipe; those that are not known begin to be made if they `may` and nothing else is done.
pub(crate) fn candidates(
    app: &App,
    project: &Project,
    texts: &[String],
    may: bool,
) -> Vec<Option<Candidate>> {
    let keyed = |text: &String| Ok((Key(project.number, meaning(project, text)?), text.clone()));
    let keys: Vec<Result<(Key, String), Mistake>> = texts.iter().map(keyed).collect();
    let mut all = locked(&app.candidates);
    let found: Vec<Option<Candidate>> = keys.iter().map(|key| all.of(key)).collect();
    let missing: Vec<(Key, String)> =
        keys.into_iter().flatten().filter(|(key, _)| all.known(key).is_none()).collect();
    let is_on_its_way =
        app.worker.status().is_some() && missing.iter().all(|(key, _)| all.asked.contains(key));
    if may && !missing.is_empty() && !is_on_its_way {
        all.asked = missing.iter().map(|(key, _)| key.clone()).collect();
        begin(app, project, missing);
    }
    found
}

impl Candidates {
    fn known(&self, key: &Key) -> Option<Candidate> {
        self.found.iter().find(|(other, _)| other == key).map(|(_, found)| found.clone())
    }

    /// What is known, or why the recipe is none.
    fn of(&self, key: &Result<(Key, String), Mistake>) -> Option<Candidate> {
        match key {
            Ok((key, _)) => self.known(key),
            Err(mistake) => Some(Err(mistake.clone())),
        }
    }
}

/// Forgets what was stopped: it is made again.
pub(crate) fn forget_stopped(app: &App) {
    let is_stopped = |found: &Candidate| matches!(found, Err(mistake) if mistake.is_interrupted());
    locked(&app.candidates).found.retain(|(_, found)| !is_stopped(found));
}

fn begin(app: &App, project: &Project, wanted: Vec<(Key, String)>) {
    let (own, path) = (Arc::clone(app), project.path.clone());
    app.worker.put(mark("Making releases to choose from"), move |bench, context| {
        for (key, text) in wanted {
            let found = made(&own, bench, &Asked { text, path: path.clone() }, context);
            // Another task took the place of this one: it is begun again when it is looked at.
            if found.as_ref().is_err_and(Mistake::is_interrupted) && !own.worker.was_stopped() {
                break;
            }
            let candidates = &mut *locked(&own.candidates);
            candidates.found.push_front((key, found));
            candidates.found.truncate(KEPT);
        }
        Ok(())
    });
}

fn made(
    app: &App,
    bench: &mut Bench,
    asked: &Asked,
    context: &Context<'_>,
) -> Result<Option<Arc<Measured>>, JobError> {
    if asked.resolved(&app.folders)?.method.is_private() {
        return Ok(None);
    }
    let trial = trial::made(app, bench, asked, "candidate", context)?;
    Ok(Some(Arc::new(measured(&trial)?)))
}

fn measured(trial: &Trial) -> Result<Measured, JobError> {
    let comparison = trial.comparison.as_ref().map_err(Mistake::clone)?;
    let risk = trial.risk.as_ref().map_err(Mistake::clone)?;
    let (columns, rows) = trial.paired.as_ref().map(first_rows).unwrap_or_default();
    Ok(Measured {
        of_people: trial.people.has_person,
        lost: lost(comparison),
        highest_risk: risk.figures.risks.map(|risks| risks.prosecutor.highest),
        mean_risk: match (risk.figures.people, risk.figures.risks) {
            // A person can be easier to find in one of her classes than in another: the page of risks says the same.
            (Some(_), Some(risks)) => Some(risks.prosecutor.mean),
            _ => mean_risk(&trial.people),
        },
        records: comparison.records,
        suppressed: comparison.suppressed,
        counterfeits: comparison.counterfeits,
        classes: comparison.classes,
        count_error: comparison.queries.as_ref().and_then(|queries| queries.relative_error.median),
        association_shift: comparison.associations.as_ref().map(|found| found.mean_shift),
        value_shift: comparison.distributions.as_ref().map(|found| found.mean_total_variation),
        columns,
        rows,
    })
}

/// The mean over all people of 1 / the people of their class. A release without the column of persons shows only a bound of it.
fn mean_risk(people: &ClassPeople) -> Option<f64> {
    let all: u64 = people.after.iter().map(|(_, people)| people).sum();
    let sum: f64 = people.after.iter().map(|(size, people)| *people as f64 / (*size).max(1) as f64).sum();
    (all > 0).then(|| sum / all as f64)
}

fn lost(comparison: &Comparison) -> Option<f64> {
    let figure = comparison.utility.as_ref()?.get(LOST_DETAIL)?;
    figure.get("value").unwrap_or(figure).as_f64()
}

/// The names of the released columns, and of each of the first classes one row as it is released.
fn first_rows(paired: &Paired) -> (Vec<String>, Vec<Vec<String>>) {
    let columns = paired.columns.iter().map(|column| column.name.clone()).collect();
    let mut classes = BTreeSet::new();
    let firsts = paired.rows.iter().filter(|row| row.class().is_some_and(|class| classes.insert(class)));
    let rows = firsts.take(ROWS).map(|row| cells(paired, row)).collect();
    (columns, rows)
}

fn cells(paired: &Paired, row: &PairedRow) -> Vec<String> {
    (0..paired.columns.len()).map(|column| cell(paired, row, column)).collect()
}

/// A released value; empty where it is missing.
fn cell(paired: &Paired, row: &PairedRow, column: usize) -> String {
    match paired.after(row, column).map(|code| paired.columns[column].after[code as usize].as_str()) {
        None => TOP.to_owned(),
        Some(NULL) => String::new(),
        Some(label) => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_risk_counts_people_and_no_rows() {
        let people = |after: &[(u64, u64)]| ClassPeople { after: after.to_vec(), ..ClassPeople::default() };
        assert_eq!(mean_risk(&people(&[(2, 2), (10, 20)])), Some((2.0 / 2.0 + 20.0 / 10.0) / 22.0));
        assert_eq!(mean_risk(&people(&[])), None);
    }
}
