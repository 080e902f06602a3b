//! The demonstration: a synthetic sample, a recipe, a release.

use std::path::Path;

use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_job::session::anonymize;
use velamen_job::{Outcome, RunOptions, refuse_dash};
use velamen_recipe::{JobError, Overrides, Recipe};

use crate::synth::{Nps, SampleMethod, write_nps};

/// Records of the demonstration.
pub const DEMO_ROWS: u64 = 100_000;

/// Makes the sample in a folder and releases it, replacing what an earlier demonstration left.
///
/// # Errors
/// [`JobError`] of writing the sample or making the release.
pub fn demo(
    folder: &Path,
    rows: u64,
    method: SampleMethod,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    refuse_dash(folder)?;
    let recipe = folder.join("recipe.toml");
    let sample = Nps {
        rows,
        distinct: false,
        output: folder.join("patients.csv"),
        hierarchies: Some(folder.join("hierarchies")),
        recipe: Some(recipe.clone()),
        method,
    };
    refuse_foreign(&sample, &recipe)?;
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "create the folder", &error))?;
    // The sample must not share a stream with the counterfeits.
    let sample_seed = Seed::from_number(context.seed.stream(u64::MAX - 1).word());
    write_nps(&sample, &Context { seed: &sample_seed, ..*context })?;
    let resolved = Recipe::load(&recipe, &Overrides::default())?.resolve()?;
    anonymize(&resolved, &RunOptions { overwrite: true, ..RunOptions::default() }, context)
}

/// Refuses to replace what no earlier demonstration made: its recipe shows it.
fn refuse_foreign(sample: &Nps, recipe: &Path) -> Result<(), JobError> {
    let made = |text: &String| {
        let by = |method| Nps { method, ..sample.clone() }.recipe_at(recipe);
        [SampleMethod::LocalRecoding, SampleMethod::Counterfeits]
            .into_iter()
            .any(|method| *text == by(method))
    };
    let is_own = std::fs::read_to_string(recipe).is_ok_and(|text| made(&text));
    let mut files = [recipe, &sample.output].into_iter();
    match files.find(|file| file.symlink_metadata().is_ok()).filter(|_| !is_own) {
        None => Ok(()),
        Some(file) => Err(JobError::unusable(format!(
            "{}: exists, and no demonstration made it as it is",
            file.display()
        ))
        .mend("name another folder with --output")),
    }
}
