//! The built-in sample: synthetic patients, whom nobody is.

use std::io::Write;
use std::path::Path;

use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_synth::{BLOCK, Nps, SampleMethod, append_csv, csv_header};

/// The file that the sample is written to.
pub(crate) const FILE: &str = "patients.csv";

/// Records: enough that classes have some size, few enough that all answers are immediate.
const ROWS: u64 = 20_000;

/// Writes the sample; the same one each time.
///
/// # Errors
/// [`JobError::io`], [`JobError::interrupted`].
pub(crate) fn write(folder: &Path, context: &Context<'_>) -> Result<(), JobError> {
    let path = folder.join(FILE);
    let failed = |error: std::io::Error| JobError::io(&path, "write the sample", &error);
    let mut file = std::fs::File::create(&path).map_err(failed)?;
    file.write_all(csv_header().as_bytes()).map_err(failed)?;
    let sample = Nps::new(ROWS, &Seed::from_number(1));
    for index in 0..sample.blocks() {
        context.check()?;
        context.progress.step("writing the sample", index * BLOCK, ROWS);
        let mut text = Vec::new();
        append_csv(&sample.block(index), &mut text);
        file.write_all(&text).map_err(failed)?;
    }
    Ok(())
}

/// The sample's recipe.
pub(crate) fn recipe() -> String {
    velamen_synth::recipe(Some(FILE), None, SampleMethod::Levels)
}
