//! The risk of persons in linked tables: who is alone by what somebody may know.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_contract::linked::LinkedManifest;
use velamen_core::context::Context;
use velamen_recipe::JobError;
use velamen_sets::{Alone, Sets, alone};

use crate::loaded::load;
use crate::plan::Plan;
use crate::recipe::LinkedRecipe;
use crate::shown::{Gaps, Shown};

/// The most codes that are looked at together.
const M: u8 = 3;

/// Who is alone in linked tables by what somebody may know.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LinkedRisk {
    /// Persons.
    pub persons: u64,
    /// Distinct combinations of person columns.
    pub classes: u64,
    /// The persons of the smallest.
    pub least_class: u64,
    /// Persons alone by their person columns.
    pub alone_by_columns: u64,
    /// By the number of codes that somebody knows and nothing else.
    pub by_codes: BTreeMap<u8, AloneShares>,
    /// By the number of codes that somebody knows beside the person columns.
    pub by_columns_and_codes: BTreeMap<u8, AloneShares>,
    /// Persons with three different days or more.
    pub with_three_days: u64,
    /// Those of them who are alone by the gaps between their first three days, which a shift keeps.
    pub alone_by_gaps: u64,
    /// By the number of codes that somebody knows beside these gaps.
    pub by_gaps_and_codes: BTreeMap<u8, AloneShares>,
}

/// Shares of the persons.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AloneShares {
    /// Alone by those of their codes that tell most.
    pub best: f64,
    /// Expected alone by codes drawn at random.
    pub random: f64,
}

impl AloneShares {
    fn of(told: &Alone, m: u8) -> Self {
        let codes = usize::from(m);
        Self { best: told.share_by_best(codes), random: told.share_by_random(codes) }
    }
}

/// The risk of a release.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if a table cannot be read.
pub fn risk_of_release(
    release: &Path,
    manifest: &LinkedManifest,
    context: &Context<'_>,
) -> Result<LinkedRisk, JobError> {
    Ok(risk(&Shown::read(release, manifest, context)?))
}

/// The risk of the tables of a recipe as they are recorded. `path` is the recipe's file, for messages.
///
/// # Errors
/// As a run that reads them.
pub fn risk_of_recipe(
    recipe: &LinkedRecipe,
    path: &Path,
    context: &Context<'_>,
) -> Result<LinkedRisk, JobError> {
    let mut plan = Plan::of(recipe, path, &|| context.check().is_err())?;
    let tables = load(&mut plan, context)?;
    Ok(risk(&Shown::of_original(&plan, &tables)))
}

fn risk(shown: &Shown) -> LinkedRisk {
    let (classes, sizes) = shown.classes();
    let gaps = shown.gaps();
    let Gaps { with_three_days, alone } = Gaps::of(&gaps);
    LinkedRisk {
        persons: classes.len() as u64,
        classes: sizes.len() as u64,
        least_class: sizes.iter().min().copied().unwrap_or(0),
        alone_by_columns: sizes.iter().filter(|size| **size == 1).count() as u64,
        by_codes: shares(&shown.sets, &vec![0; classes.len()]),
        by_columns_and_codes: shares(&shown.sets, &classes),
        with_three_days,
        alone_by_gaps: alone,
        by_gaps_and_codes: shares(&shown.sets, &numbered(&gaps)),
    }
}

/// Who is alone in their class by up to [`M`] codes.
fn shares(sets: &Sets, classes: &[u32]) -> BTreeMap<u8, AloneShares> {
    let told = alone(sets, classes, M);
    (1..=M).map(|m| (m, AloneShares::of(&told, m))).collect()
}

/// A number for each value, equal ones have the same.
fn numbered<T: Copy + Eq + std::hash::Hash>(values: &[T]) -> Vec<u32> {
    let mut known: FxHashMap<T, u32> = FxHashMap::default();
    let mut numbers = Vec::new();
    for value in values {
        let next = known.len() as u32;
        numbers.push(*known.entry(*value).or_insert(next));
    }
    numbers
}
