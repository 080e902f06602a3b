//! A folder of linked tables.

use std::path::Path;

use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::{Candidates, Profile, ProfileRequest, SetProfile, recipe};

/// Profiles a folder of a known shape, and writes a recipe if one is asked for.
///
/// # Errors
/// What reading can give, with table, row and column; [`JobError::io`] if the recipe exists already or cannot be written.
pub fn of_folder(
    folder: &Path,
    shape: Shape,
    request: &ProfileRequest,
    context: &Context<'_>,
) -> Result<Profile, JobError> {
    if let Some(target) = &request.recipe {
        recipe::refuse_existing(target, request)?;
    }
    let target = request.recipe.as_deref();
    let base = target.and_then(Path::parent).unwrap_or(Path::new(""));
    let (found, text) = velamen_patients::profile(folder, shape, base, context)?;
    if let Some(target) = target {
        recipe::write(target, &text)?;
    }
    Ok(Profile {
        records: found.persons,
        sampled: None,
        counts_people: true,
        notes: Vec::new(),
        columns: Vec::new(),
        candidates: none(request),
        recipe: request.recipe.clone(),
        folder: Some(found),
    })
}

/// No candidates: people are singled out by sets of codes, which the folder's figures are about.
fn none(request: &ProfileRequest) -> Candidates {
    let (asked, threshold) = (request.threshold.share(), request.threshold.share());
    let all = SetProfile {
        attributes: Vec::new(),
        distinct: 0,
        distinction: 0.0,
        unique: 0,
        separation: 0.0,
        leak: 0.0,
    };
    let measure = request.threshold.measure();
    Candidates {
        measure,
        asked,
        threshold,
        all,
        found: 0,
        measured: 0,
        stopped_at: None,
        left_out: Vec::new(),
        sets: Vec::new(),
    }
}
