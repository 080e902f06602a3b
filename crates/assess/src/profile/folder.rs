//! A folder of linked tables.

use std::path::Path;

use velamen_contract::linked::Shape;
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::{Candidates, Profile, ProfileRequest, recipe};

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
        candidates: Candidates::none(request.threshold),
        recipe: request.recipe.clone(),
        folder: Some(found),
        private: None,
    })
}
