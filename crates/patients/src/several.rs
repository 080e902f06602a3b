//! Tables of persons in which several rows are of one person, of which the recipe does not say so.

use std::path::Path;

use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::source::Input;
use velamen_job::person_numbers::{can_number, numbers_each, of_input, rows_of_one, traits};
use velamen_measure::profile::person_numbers::Candidate;
use velamen_recipe::{Code, JobError};

use crate::plan::{Plan, PlannedColumn, PlannedTable, Use};
use crate::recipe::LinkedRecipe;

/// Refuses a table of persons that a column beside its key numbers, or whose neighbours look like one person. A standard's table has a
/// person a row; `rows = "independent"` under `[input]` says the same of another.
///
/// # Errors
/// [`JobError::recipe`], and what reading can give.
pub(crate) fn check(
    recipe: &LinkedRecipe,
    path: &Path,
    plan: &Plan,
    context: &Context<'_>,
) -> Result<(), JobError> {
    if plan.shape != Shape::Tables || recipe.input.rows.is_some() {
        return Ok(());
    }
    let table = &plan.tables[0];
    let input = table.origin.open(&plan.reading())?;
    let shown = match numbered(table, &input, context)?.first() {
        Some(found) => Some(format!(
            "column `{}` tells {} people apart in {} rows",
            found.name, found.persons, found.records
        )),
        None => neighbours(table, &input, context)?,
    };
    let Some(shown) = shown else { return Ok(()) };
    let problem = Problem::new(format!(
        "table `{}`: several of its rows seem to be of one person: {shown}. Every promise would count rows",
        table.name
    ));
    let mend = "keep one row of each person in it, and the others in a table of their own with parent = { table = …, column = … }. \
                If each row is of another person, write rows = \"independent\" under [input]";
    Err(recipe.places.refuse(path, &["input"], problem.mend(mend)).coded(Code::PERSON_NUMBER))
}

/// The columns beside the key that number people; those of sets and codes number diseases.
fn numbered(table: &PlannedTable, input: &Input, context: &Context<'_>) -> Result<Vec<Candidate>, JobError> {
    let kinds = input.kinds().unwrap_or_default();
    let is_plain = |place: usize| !kinds.get(place).is_some_and(|kind| kind.is_nested());
    let suspects = table.columns.iter().enumerate().filter(|(place, column)| is_plain(*place) && can(column));
    let suspects: Vec<usize> = suspects.map(|(place, _)| place).collect();
    of_input(input, &suspects, &traits(input), context)
}

/// Whether a column can number people.
fn can(column: &PlannedColumn) -> bool {
    !matches!(column.used, Use::Key | Use::Set { .. }) && can_number(&column.name)
}

/// What shows that neighbours are of one person.
fn neighbours(
    table: &PlannedTable,
    input: &Input,
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    if numbers_each(input, context)? {
        return Ok(None);
    }
    let places = (0..table.columns.len()).filter_map(|place| match table.columns[place].used {
        Use::QuasiIdentifier { .. } => Some((place, true)),
        _ => None,
    });
    let mut places: Vec<(usize, bool)> = places.collect();
    let others = traits(input).into_iter().filter(|place| places.iter().all(|(one, _)| one != place));
    let others: Vec<(usize, bool)> = others.map(|place| (place, false)).collect();
    places.extend(others);
    let suspects: Vec<usize> = (0..table.columns.len()).filter(|&place| can(&table.columns[place])).collect();
    rows_of_one(input, &places, &suspects, context)
}
