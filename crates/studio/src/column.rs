//! The values of one column and how many records have each: what a hierarchy is shown over.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use velamen_core::context::Context;
use velamen_core::derived::Derivation;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, Rule};
use velamen_engine::source::{Input, ReadOptions};
use velamen_engine::{ColumnRequest, Derived, KeptRecords};
use velamen_recipe::kept::conditions;
use velamen_recipe::{DerivedSection, JobError, Mistake, Recipe};
use velamen_report::language::mark;

use crate::App;
use crate::project::Project;
use crate::worker::locked;

/// So many columns are kept.
const KEPT: usize = 32;

/// A column of the open table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    /// Values with their records, numbers by size, none missing.
    pub(crate) values: Vec<(String, u64)>,
    /// Records without a value.
    pub(crate) missing: u64,
}

/// What was open, how it is read, and the column's name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    number: u64,
    input: String,
    name: String,
}

/// The columns that were read last, or why they could not be.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    read: VecDeque<(Key, Result<Arc<Column>, Mistake>)>,
    /// The one that was asked for last.
    asked: Option<Key>,
}

fn key(project: &Project, recipe: &Recipe, name: &str) -> Key {
    let input = json!([recipe.input, recipe.derived, recipe.kept]).to_string();
    Key { number: project.number, input, name: name.to_owned() }
}

/// A column; the worker begins to read it where it is not there yet.
pub(crate) fn column(
    app: &App,
    project: &Project,
    recipe: &Recipe,
    name: &str,
) -> Option<Result<Arc<Column>, Mistake>> {
    let key = key(project, recipe, name);
    let mut columns = locked(&app.columns);
    if let Some((_, found)) = columns.read.iter().find(|(other, _)| *other == key) {
        return Some(found.clone());
    }
    let is_on_its_way = columns.asked.as_ref() == Some(&key) && app.worker.status().is_some();
    if !is_on_its_way {
        columns.asked = Some(key.clone());
        begin(app, project, recipe.clone(), key);
    }
    None
}

/// Forgets columns that could not be read: they are tried again.
pub(crate) fn forget_failures(app: &App) {
    locked(&app.columns).read.retain(|(_, found)| found.is_ok());
}

fn begin(app: &App, project: &Project, recipe: Recipe, key: Key) {
    let (own, path) = (Arc::clone(app), project.path.clone());
    app.worker.put(mark("Reading the column"), move |_, context| {
        let found = own.folders.admit(&recipe, &path).and_then(|()| read(&recipe, &path, &key.name, context));
        let found = found.map(Arc::new);
        let columns = &mut locked(&own.columns).read;
        columns.push_front((key, found));
        columns.truncate(KEPT);
        Ok(())
    });
}

/// How the table is read for a run: with the columns that follow from others, and without the records that are left out.
fn reading(recipe: &Recipe, path: &Path) -> Result<ReadOptions, JobError> {
    let written = |column: &str| {
        Some(json!(recipe.attributes.get(column)?)["hierarchy"]["format"].as_str()?.to_owned())
    };
    let derivation = |(name, section): (&String, &DerivedSection)| {
        let formula =
            section.formula(written).map_err(|problem| problem.after(&format!("derived.{name}: ")))?;
        Ok(Derivation { name: name.clone(), formula })
    };
    let wrong = |problem: Problem| JobError::usage(problem);
    let columns: Result<Vec<_>, Problem> = recipe.derived.iter().map(derivation).collect();
    let derived = Derived { columns: columns.map_err(wrong)?, where_absent: false };
    let wanted = KeptRecords { conditions: conditions(&recipe.kept).map_err(wrong)?, where_absent: true };
    Ok(ReadOptions { derived, wanted, ..recipe.read_options(path)? })
}

fn read(recipe: &Recipe, path: &Path, name: &str, context: &Context<'_>) -> Result<Column, JobError> {
    let table = recipe.input.path.as_ref().ok_or_else(|| {
        JobError::usage("the table is not a file: its values cannot be shown beside the hierarchy")
    })?;
    let input = Input::open(table, &reading(recipe, path)?)?;
    let index = input
        .columns
        .iter()
        .position(|column| column == name)
        .ok_or_else(|| JobError::data(format!("{} has no column `{name}`", table.display())))?;
    let (name, role, rule) = (name.to_owned(), Role::QuasiIdentifier, Arc::new(Rule::Flat));
    let table = input.read(&[ColumnRequest { index, name, role, rule, whole_domain: false }], context)?;
    let all = table.qis[0].hierarchy.labels(0).iter().cloned().zip(table.marginal(0));
    let (missing, values): (Vec<_>, Vec<_>) = all.partition(|(value, _)| value == NULL);
    Ok(Column { values, missing: missing.iter().map(|(_, records)| records).sum() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opened::Open;
    use crate::worker::locked;

    #[test]
    fn a_derived_column_is_shown_without_the_records_that_are_left_out() {
        let text = "[input]\npath = \"t.csv\"\n\n[derived.age]\nage-at = \"2025-12-31\"\nbirth = \"dob\"\n\n[[where]]\ncolumn = \"age\"\nmin = 18\n\n\
            [attributes.age]\nrole = \"quasi-identifier\"\n\n[attributes.dob]\nrole = \"identifier\"\n\
            hierarchy = { date = [\"year\"], format = \"%d.%m.%Y\", min = \"1900-01-01\", max = \"2029-12-31\" }\n\n[output]\npath = \"out\"\n";
        let studio = Open::new(&[("t.csv", "dob\n01.02.1980\n01.03.1980\n05.06.2020\n"), ("r.toml", text)]);
        let find = || {
            let project = locked(&studio.app.project);
            let project = project.as_ref().unwrap();
            column(&studio.app, project, &project.recipe().unwrap(), "age")
        };
        assert!(find().is_none());
        studio.settle();
        assert_eq!(find().unwrap().unwrap().values, [("45".to_owned(), 2)]);
    }
}
