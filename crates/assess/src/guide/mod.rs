//! Five answers in plain words, and what they come to in a recipe: roles, models, a method, and releases to choose from.
//!
//! A plan follows from the answers, the recipe and what the profile says of columns; no record is read. Where nothing
//! was answered, the strictest answer counts.

mod answers;
mod declared;
mod releases;
mod roles;
mod setting;
#[cfg(test)]
mod tests;

pub use answers::{Answers, Intent, Knows, People, Recipients, Worst, known};
pub use declared::{Declarations, FROM_RECORDS};
pub use releases::{Kind, PlannedRelease};
pub use setting::Setting;

use velamen_core::error::Problem;
use velamen_recipe::Recipe;

use crate::profile::ColumnProfile;

/// What answers come to.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What holds of every release: roles, and whose the records are.
    pub settings: Vec<Setting>,
    /// The sensitive columns that the releases protect.
    pub protected: Vec<String>,
    /// The releases to choose from, at least two; the last may be one that is looked at only if another is of no use.
    pub releases: Vec<PlannedRelease>,
    /// The one of them that fits what the release is for.
    pub usual: usize,
    /// Of a private answer, what no record may decide.
    pub declarations: Option<Declarations>,
}

/// What the answers come to for a recipe over a table with these columns. Linear in the columns.
///
/// # Errors
/// [`Problem`] if no column is left that others may know, or the column that says whose a row is was not named.
pub fn plan(answers: &Answers, recipe: &Recipe, columns: &[ColumnProfile]) -> Result<Plan, Problem> {
    let roles = roles::roles(answers, recipe, columns)?;
    let settings = roles::settings(&roles, answers, recipe, columns);
    let protected = roles::protected(&roles, answers);
    let releases = releases::releases(answers, &roles, &protected, recipe, columns);
    let usual = releases::usual(answers, &releases);
    let declarations = answers.is_private().then(|| declared::declarations(&roles, recipe, columns));
    Ok(Plan { settings, protected, releases, usual, declarations })
}
