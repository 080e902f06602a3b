//! What presets ask of linked tables.
//!
//! | preset | asks for |
//! | --- | --- |
//! | `ema-0070`, `health-canada-prci` | k = 12, of classes of persons and of sets |
//! | `cms-11`, `omop-5` | k = 11, k = 5 |
//! | `hipaa-safe-harbor` | no shift; ages from 90 up as one value; ZIP codes and dates of persons at the levels of the rule; no column that is called as one of the eighteen identifiers |

use std::path::Path;

use velamen_contract::linked::{Dates, SetPromise};
use velamen_contract::manifest::Preset;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_job::AttributeUnderRule;
use velamen_measure::profile::header::tells_births;
use velamen_recipe::hierarchy::Settled;
use velamen_recipe::{JobError, safe_harbor_level};

use super::column::{PlannedColumn, Use};
use crate::recipe::LinkedRecipe;

/// From this age on all are one group.
const OLD: u32 = 90;

/// The privacy models with what a preset asks for: none has a smaller k, and classes of persons have one.
pub(super) fn privacy(recipe: &LinkedRecipe, path: &Path) -> Result<Vec<SetPromise>, JobError> {
    let mut privacy = recipe.privacy.clone();
    let Some((preset, least)) = recipe.preset.and_then(|preset| Some((preset, preset.least_k()?))) else {
        return Ok(privacy);
    };
    if let Some(small) = privacy.iter().find(|promise| promise.k() < least) {
        let name = preset.name();
        let problem = format!("preset \"{name}\" asks for k = {least}, the recipe for k = {}", small.k());
        return Err(recipe.places.refuse(path, &["preset"], Problem::new(problem).mend("raise k")));
    }
    if !privacy.iter().any(SetPromise::is_about_classes) {
        privacy.push(SetPromise::Classes { k: least });
    }
    Ok(privacy)
}

/// What HIPAA's Safe Harbor asks of a recipe before a file is looked at.
pub(super) fn sections(recipe: &LinkedRecipe, path: &Path) -> Result<(), JobError> {
    if recipe.preset != Some(Preset::HipaaSafeHarbor) {
        return Ok(());
    }
    let refuse = |at: &str, problem: Problem| Err(recipe.places.refuse(path, &["persons", at], problem));
    if matches!(recipe.persons.dates, Some(Dates::Shift(_))) {
        let problem =
            "the preset \"hipaa-safe-harbor\" allows of dates the year alone: a shifted day is a day";
        return refuse("dates", Problem::new(problem).expected("\"year\" or { relative = \"month\" }"));
    }
    if recipe.persons.top_age.is_some_and(|top| top > OLD) {
        let problem = "the preset \"hipaa-safe-harbor\" wants ages from 90 up as one value";
        return refuse("top-age", Problem::new(problem).expected("90 or less"));
    }
    Ok(())
}

/// The finest level that HIPAA's Safe Harbor allows of a column with its hierarchy; a name that promises an identifier is refused.
pub(super) fn least(
    recipe: &LinkedRecipe,
    column: &PlannedColumn,
    settled: Option<&Settled>,
) -> Result<u8, Problem> {
    let Some(role) = role(&column.used).filter(|_| recipe.preset == Some(Preset::HipaaSafeHarbor)) else {
        return Ok(0);
    };
    if matches!(column.used, Use::QuasiIdentifier { birth: false } | Use::Insensitive)
        && tells_births(&column.name)
    {
        let problem = Problem::new(
            "by its name it holds births, and 45 CFR 164.514(b)(2)(i)(C) allows years alone, those of the oldest as one",
        );
        let mend = "give it the role \"quasi-identifier\" with birth = true and a hierarchy whose first level is the year, or \"identifier\", which leaves it out";
        return Err(problem.mend(mend));
    }
    let definition = settled.and_then(|settled| settled.definition.as_ref());
    let top = settled.and_then(|settled| settled.top);
    if let Some(problem) = (AttributeUnderRule { name: &column.name, role, definition, top }).refusal() {
        return Err(problem);
    }
    let least = u8::try_from(safe_harbor_level(definition)).unwrap_or(u8::MAX);
    if column.level.is_some_and(|level| level < least) {
        let problem = format!("the preset \"hipaa-safe-harbor\" needs level {least} at least");
        return Err(Problem::of(&["level"], problem));
    }
    Ok(least)
}

/// The role by which the rule looks at a column; none of what it does not look at: keys are new, days are years, births are bands.
fn role(used: &Use) -> Option<Role> {
    match used {
        Use::QuasiIdentifier { birth: false } => Some(Role::QuasiIdentifier),
        Use::Set { .. }
        | Use::MainCode
        | Use::Code
        | Use::Value { .. }
        | Use::Band { .. }
        | Use::Insensitive => Some(Role::Insensitive),
        _ => None,
    }
}
