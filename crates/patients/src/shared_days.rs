//! Days that many share, such as that of an export: they show by how many days a person's dates were moved.
//!
//! # Definition
//! A day of a column is *shared* if at least k persons have it, at least a fifth of those who have any day there, and three times as many
//! as have any other day. Dates of an open end, of an export or of one inquiry are of this kind; visits and diagnoses are not.
//!
//! Where days are moved, or counted from a person's first one, such cells are emptied. The day that a row is about cannot be emptied: that is
//! refused.
//!
//! # Complexity
//! O(cells of days · log persons).

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use velamen_contract::linked::Dates;
use velamen_core::error::Problem;
use velamen_recipe::JobError;

use crate::compact::Distinct;
use crate::days::NO_DAY;
use crate::loaded::{Cells, NONE, Rows};
use crate::plan::{Plan, Use};
use crate::recipe::LinkedRecipe;

/// The share of the persons who have a day in a column.
const SHARE: usize = 5;

/// How many times as many as have any other day.
const TIMES: usize = 3;

/// Empties shared days; what the user should know.
///
/// # Errors
/// [`JobError::recipe`] where rows are about such a day.
pub(crate) fn empty(
    recipe: &LinkedRecipe,
    path: &Path,
    plan: &Plan,
    tables: &mut [Rows],
) -> Result<Vec<String>, JobError> {
    if !matches!(plan.dates, Dates::Shift(_) | Dates::Relative(_)) {
        return Ok(Vec::new());
    }
    let mut warnings = Vec::new();
    for (planned, rows) in plan.tables.iter().zip(tables) {
        for (place, column) in planned.columns.iter().enumerate() {
            let Cells::Days(days) = &rows.columns[place] else { continue };
            let Some((day, persons)) = shared(days, &rows.persons, plan.k()) else { continue };
            let found = format!(
                "table `{}`, column `{}`: one day is that of {persons} persons",
                planned.name, column.name
            );
            if column.used == Use::FirstDate && !planned.is_person_column {
                let problem = Problem::new(format!("{found}, and shows by how many days theirs were moved"));
                let mend = format!(
                    "leave these rows out of the input, or the table with [tables.{}] drop = true; with dates = \"year\" or \"none\" nothing \
                     is moved",
                    planned.name
                );
                let at = ["tables", &planned.name, "attributes", &column.name];
                return Err(recipe.places.refuse(path, &at, problem.mend(mend)));
            }
            let Cells::Days(days) = &mut rows.columns[place] else { continue };
            let shared: Vec<usize> = (0..days.len()).filter(|&row| days[row] == day).collect();
            days.put(shared, NO_DAY);
            warnings
                .push(format!("{found}; it is emptied, or it would show by how many days theirs were moved"));
        }
    }
    Ok(warnings)
}

/// The shared day of a column, and how many persons have it.
fn shared(days: &Distinct<i32>, persons: &[u32], k: usize) -> Option<(i32, usize)> {
    let mut pairs: Vec<(i32, u32)> = days.iter().zip(persons.iter().copied()).collect();
    pairs.retain(|&(day, person)| day != NO_DAY && person != NONE);
    pairs.sort_unstable();
    pairs.dedup();
    let all = pairs.iter().map(|(_, person)| person).collect::<FxHashSet<_>>().len();
    let mut counts: FxHashMap<i32, usize> = FxHashMap::default();
    pairs.iter().for_each(|(day, _)| *counts.entry(*day).or_default() += 1);
    let (&day, &most) = counts.iter().max_by_key(|&(&day, &count)| (count, day))?;
    let next = counts.iter().filter(|(other, _)| **other != day).map(|(_, count)| *count).max().unwrap_or(0);
    (most >= k && most * SHARE >= all && most >= TIMES * next).then_some((day, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_shared_if_a_fifth_of_the_persons_have_it_and_no_other_is_near() {
        let persons: Vec<u32> = (0..20).collect();
        let days = |exported: usize| -> Distinct<i32> {
            (0..20).map(|person| if person < exported { 9_999 } else { person as i32 }).collect()
        };
        assert_eq!(shared(&days(20), &persons, 5), Some((9_999, 20)));
        assert_eq!(shared(&days(5), &persons, 5), Some((9_999, 5)));
        assert_eq!(shared(&days(4), &persons, 5), None);
        assert_eq!(shared(&days(4), &persons, 3), Some((9_999, 4)));
        assert_eq!(shared(&days(3), &persons, 3), None);
        // Two days that are equally common are those of a calendar.
        let halves: Distinct<i32> = (0..20).map(|person| person % 2).collect();
        assert_eq!(shared(&halves, &persons, 3), None);
        // A person with many rows counts once.
        assert_eq!(shared(&[7; 20].into_iter().collect(), &[3; 20], 2), None);
        assert_eq!(shared(&[NO_DAY; 20].into_iter().collect(), &persons, 2), None);
    }
}
