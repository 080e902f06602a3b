//! The demonstration: a synthetic sample, a recipe, a release.

use std::path::Path;

use velamen_core::context::Context;
use velamen_dp::Seed;

use crate::anonymize::{Outcome, RunOptions, anonymize};
use crate::error::JobError;
use crate::recipe::{Overrides, Recipe};
use crate::synth::{Nps, write_nps};

/// Records of the demonstration.
pub const DEMO_ROWS: u64 = 100_000;

/// Makes the sample in a folder and releases it, replacing what an earlier demonstration left.
///
/// # Errors
/// [`JobError`] of writing the sample or making the release.
pub fn demo(folder: &Path, rows: u64, context: &Context<'_>) -> Result<Outcome, JobError> {
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "create the folder", &error))?;
    let recipe = folder.join("recipe.toml");
    let sample = Nps {
        rows,
        output: folder.join("patients.csv"),
        hierarchies: Some(folder.join("hierarchies")),
        recipe: Some(recipe.clone()),
    };
    // The sample must not share a stream with the counterfeits.
    let sample_seed = Seed::from_number(context.seed.stream(u64::MAX - 1).word());
    write_nps(&sample, &Context { seed: &sample_seed, ..*context })?;
    let resolved = Recipe::load(&recipe, &Overrides::default())?.resolve(&recipe)?;
    anonymize(&resolved, &recipe, &RunOptions { overwrite: true, show_values: false }, context)
}
