//! How much a run would keep, before it runs.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_recipe::JobError;
use velamen_sets::{Asked, OUT, Sets, thin};

use crate::keep::{Items, first_items, grow};
use crate::loaded::load;
use crate::plan::Plan;
use crate::recipe::LinkedRecipe;
use crate::run::settle;

/// The most codes that are looked at together.
const M: u8 = 3;

/// The most sets of codes, over all persons, that are counted for an estimate.
const MOST_SETS: f64 = 3e7;

/// How much of the codes a run would keep, for each number of codes that somebody may know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LinkedEstimate {
    /// Persons.
    pub persons: u64,
    /// Different codes of sets.
    pub codes: u64,
    /// Pairs of person and code.
    pub pairs: u64,
    /// The most codes of a person.
    pub largest_set: u64,
    /// The persons that each promise asks for.
    pub k: u64,
    /// The classes of the person columns that a run would release.
    pub classes: u64,
    /// The persons that it would leave out, in classes of fewer than k.
    pub left_out: u64,
    /// The pairs of person and code that it would keep.
    pub kept: Vec<KeptShare>,
}

/// What a number of known codes leaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct KeptShare {
    /// How many codes somebody may know.
    pub m: u8,
    /// Whether they are known together with the person columns.
    pub in_classes: bool,
    /// The share of the pairs of person and code that is kept; floors, numbers of rows and dates can take more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Where the share is from.
    pub by: EstimatedBy,
}

/// Where an estimate is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EstimatedBy {
    /// The method ran on the codes of the folder.
    Thin,
    /// Figures of made-up patients with as many persons at most: 2,623 codes, 6.5 a person, k = 5.
    Table,
}

/// Figures of made-up patients: persons, and the share that is kept for one to three codes, without classes and in ten.
const TABLE: [(usize, [f64; 3], [Option<f64>; 3]); 4] = [
    (1_000, [0.88, 0.45, 0.27], [None, None, None]),
    (10_000, [0.98, 0.68, 0.47], [Some(0.90), Some(0.50), None]),
    (100_000, [1.0, 0.84, 0.61], [Some(0.98), Some(0.71), None]),
    (1_000_000, [1.0, 0.94, 0.74], [Some(1.0), Some(0.87), None]),
];

/// Estimates how much a recipe's run would keep. `path` is the recipe's file, for messages.
///
/// Work: the method for each number of codes whose sets are few enough, without classes and in them.
///
/// # Errors
/// As a run that reads the tables and chooses levels of person columns.
pub fn estimate(
    recipe: &LinkedRecipe,
    path: &Path,
    context: &Context<'_>,
) -> Result<LinkedEstimate, JobError> {
    let mut plan = Plan::of(recipe, path, &|| context.check().is_err())?;
    let tables = load(&mut plan, context)?;
    let mut items = Items::of(&plan, &tables);
    grow(&mut items, &plan, &tables, context)?;
    let (items, demographics) = settle(recipe, &plan, &tables, items, context)?;
    let sets = first_items(&items, &tables);
    let whole: Vec<u32> =
        demographics.classes.iter().map(|&class| if class == OUT { OUT } else { 0 }).collect();
    let mut kept = Vec::new();
    for m in 1..=M {
        for (in_classes, classes) in [(false, &whole), (true, &demographics.classes)] {
            let asked = Asked { k: plan.k() as u32, m, largest_set: recipe.method.largest_set };
            let (share, by) = match sets_of(&sets, m) <= MOST_SETS {
                false => (of_table(sets.persons(), m, in_classes), EstimatedBy::Table),
                true => {
                    let stop = || context.check().is_err();
                    let thinned = thin(&sets, classes, &asked, items.tree.as_ref(), &stop);
                    let thinned = thinned.map_err(|_| JobError::interrupted())?;
                    (Some(thinned.kept() as f64 / sets.len().max(1) as f64), EstimatedBy::Thin)
                }
            };
            kept.push(KeptShare { m, in_classes, share, by });
        }
    }
    Ok(LinkedEstimate {
        persons: sets.persons() as u64,
        codes: distinct(sets.items().iter().copied()),
        pairs: sets.len() as u64,
        largest_set: (0..sets.persons()).map(|person| sets.of(person).len() as u64).max().unwrap_or(0),
        k: plan.k() as u64,
        classes: distinct(demographics.classes.iter().copied().filter(|class| *class != OUT)),
        left_out: demographics.suppressed as u64,
        kept,
    })
}

fn distinct(values: impl Iterator<Item = u32>) -> u64 {
    let mut all: Vec<u32> = values.collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}

/// How many sets of m codes there are, over all persons.
fn sets_of(sets: &Sets, m: u8) -> f64 {
    let of =
        |codes: usize| (0..usize::from(m)).map(move |i| (codes as f64 - i as f64).max(0.0) / (i + 1) as f64);
    (0..sets.persons()).map(|person| of(sets.of(person).len()).product::<f64>()).sum()
}

/// The figure of as many persons, or of the next fewer.
fn of_table(persons: usize, m: u8, in_classes: bool) -> Option<f64> {
    let (_, whole, classes) = TABLE.iter().rev().find(|(of, ..)| *of <= persons)?;
    let place = usize::from(m) - 1;
    if in_classes { classes[place] } else { Some(whole[place]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_of_the_next_fewer_persons() {
        assert_eq!(of_table(999, 1, false), None);
        assert_eq!(of_table(25_000, 2, false), Some(0.68));
        assert_eq!(of_table(2_000_000, 2, true), Some(0.87));
        assert_eq!(of_table(2_000_000, 3, true), None);
    }

    #[test]
    fn sets_are_counted_by_person() {
        let sets = Sets::from_pairs(2, vec![(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]);
        assert_eq!([1, 2, 3].map(|m| sets_of(&sets, m)), [5.0, 6.0, 4.0]);
    }
}
