//! The names of released files: each table has one of its own.

use std::path::Path;

use velamen_core::error::Problem;
use velamen_recipe::JobError;

use super::PlannedTable;
use crate::recipe::LinkedRecipe;

/// Gives a table a name that no file of the other tables has.
///
/// # Errors
/// [`JobError::recipe`] for a second table of one file, and for a name that another table took.
pub(super) fn name(
    recipe: &LinkedRecipe,
    path: &Path,
    others: &[PlannedTable],
    planned: &mut PlannedTable,
) -> Result<(), JobError> {
    if let Some(other) = others.iter().find(|other| other.file == planned.file) {
        let problem = of_two(other, planned, "are from one file");
        let problem = problem.mend("write the columns of each into a file of its own");
        return Err(recipe.places.refuse(path, &["tables", &planned.name], problem));
    }
    let has = |name: &str| others.iter().find(|other| other.released.eq_ignore_ascii_case(name));
    if has(&planned.released).is_none() {
        return Ok(());
    }
    // Two tables from folders of their own can have files of one name.
    let own = format!("{}.{}", planned.name, recipe.format(path)?.extension());
    if let Some(other) = has(&own) {
        let problem = of_two(other, planned, "would be released in files of one name");
        let problem = problem.mend("rename one of the two files");
        return Err(recipe.places.refuse(path, &["tables", &planned.name], problem));
    }
    planned.released = own;
    Ok(())
}

/// What two tables cannot be together.
fn of_two(one: &PlannedTable, other: &PlannedTable, what: &str) -> Problem {
    Problem::of(&["path"], format!("tables `{}` and `{}` {what}", one.name, other.name))
}
