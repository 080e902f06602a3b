//! The significant digits of released numbers, as a recipe asks for them.

use std::path::Path;

use velamen_contract::linked::MOST_DIGITS;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use crate::recipe::{ColumnSection, LinkedRecipe};

/// Refuses numbers of digits that no release has.
///
/// # Errors
/// [`JobError::recipe`] with the column.
pub(super) fn check(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    let is_wrong =
        |column: &ColumnSection| column.digits.is_some_and(|digits| !(1..=MOST_DIGITS).contains(&digits));
    for (table, section) in &recipe.tables {
        if let Some((name, _)) = section.attributes.iter().find(|(_, column)| is_wrong(column)) {
            return Err(refuse(recipe, path, &["tables", table, "attributes", name]));
        }
    }
    match recipe.attributes.iter().find(|(_, column)| is_wrong(column)) {
        Some((name, _)) => Err(refuse(recipe, path, &["attributes", name])),
        None => Ok(()),
    }
}

fn refuse(recipe: &LinkedRecipe, path: &Path, at: &[&str]) -> JobError {
    let problem = Problem::of(&["digits"], "not a number of significant digits that a release can have");
    recipe.places.refuse(path, at, problem.expected(format!("a whole number from 1 to {MOST_DIGITS}")))
}
