//! Synthetic samples as files, with hierarchies and a recipe for them.

use std::io::Write;
use std::path::{Path, PathBuf};

use velamen_core::context::Context;
use velamen_engine::Compression;
use velamen_engine::sink::{ColumnKind, OutColumn};
use velamen_job::outputs::relative;
use velamen_job::{output_file, outputs};
use velamen_recipe::JobError;

pub use velamen_synth::SampleMethod;

/// What is wanted of the national patient sample.
#[derive(Debug, Clone)]
pub struct Nps {
    /// How many records.
    pub rows: u64,
    /// Whether most records are to be distinct.
    pub distinct: bool,
    /// The file to write; its extension decides the format.
    pub output: PathBuf,
    /// A folder for the hierarchies.
    pub hierarchies: Option<PathBuf>,
    /// A file for a recipe.
    pub recipe: Option<PathBuf>,
    /// What that recipe asks for.
    pub method: SampleMethod,
}

impl Nps {
    /// All files that are written.
    fn outputs(&self) -> Vec<PathBuf> {
        let folder = self.hierarchies.iter();
        let of_folder = folder.flat_map(|folder| {
            velamen_synth::COLUMNS.iter().map(|attribute| hierarchy_file(folder, attribute))
        });
        let single = [&self.output].into_iter().chain(&self.recipe).cloned();
        single.chain(self.hierarchies.clone()).chain(of_folder).collect()
    }

    /// The text of a recipe at that place.
    pub(crate) fn recipe_at(&self, recipe: &Path) -> String {
        let base = recipe.parent().unwrap_or(Path::new(""));
        let folder = self.hierarchies.as_ref().map(|folder| relative(folder, base));
        velamen_synth::recipe(Some(&relative(&self.output, base)), folder.as_deref(), self.method)
    }
}

/// Blocks that are generated at once.
const WAVE: u64 = 16;

/// Writes the sample, drawn from the context's seed; delimited text is streamed.
///
/// # Errors
/// [`JobError::io`] if a file cannot be written, [`JobError::interrupted`].
pub fn write_nps(request: &Nps, context: &Context<'_>) -> Result<(), JobError> {
    outputs::refuse_clashes(&request.outputs())?;
    let sample = velamen_synth::Nps::new(request.rows, context.seed);
    let sample = if request.distinct { sample.distinct() } else { sample };
    let format = outputs::format_of(&request.output)?;
    output_file::write(&request.output, |path| match format.free_delimiter() {
        Some(b',') if format.compression == Compression::None => stream_csv(&sample, path, context),
        _ => {
            let parts = (0..sample.blocks().div_ceil(WAVE)).map(|wave| part(&sample, wave, context));
            format.write_parts(columns(), parts, path, context)
        }
    })?;
    if let Some(folder) = &request.hierarchies {
        write_hierarchies(folder)?;
    }
    if let Some(recipe) = &request.recipe {
        let text = request.recipe_at(recipe);
        output_file::write(recipe, |path| {
            std::fs::write(path, &text).map_err(|error| JobError::io(path, "write the recipe", &error))
        })?;
    }
    Ok(())
}

fn stream_csv(sample: &velamen_synth::Nps, path: &Path, context: &Context<'_>) -> Result<(), JobError> {
    let failed = |error: std::io::Error| JobError::io(path, "write", &error);
    let mut file = std::fs::File::create(path).map_err(failed)?;
    file.write_all(velamen_synth::csv_header().as_bytes()).map_err(failed)?;
    in_waves(sample, context, |text| file.write_all(text).map_err(failed))
}

/// Generates blocks on all cores and hands their text over in order.
fn in_waves(
    sample: &velamen_synth::Nps,
    context: &Context<'_>,
    mut write: impl FnMut(&[u8]) -> Result<(), JobError>,
) -> Result<(), JobError> {
    use rayon::prelude::*;
    let blocks = sample.blocks();
    for first in (0..blocks).step_by(WAVE as usize) {
        context.check()?;
        let wave = first..blocks.min(first + WAVE);
        let texts: Vec<Vec<u8>> = wave
            .into_par_iter()
            .map(|block| {
                let mut text = Vec::new();
                velamen_synth::append_csv(&sample.block(block), &mut text);
                text
            })
            .collect();
        texts.iter().try_for_each(|text| write(text))?;
        context.progress.step("generating", first, blocks);
    }
    Ok(())
}

fn columns() -> Vec<OutColumn> {
    velamen_synth::COLUMNS.iter().zip(velamen_synth::labels()).map(column).collect()
}

fn column((name, labels): (&&str, &Vec<String>)) -> OutColumn {
    OutColumn {
        name: (*name).to_owned(),
        labels: labels.clone(),
        kind: if matches!(*name, "age" | "length_of_stay") { ColumnKind::Integer } else { ColumnKind::Text },
    }
}

/// The codes of one wave of blocks, by column.
fn part(sample: &velamen_synth::Nps, wave: u64, context: &Context<'_>) -> Result<Vec<Vec<u32>>, JobError> {
    use rayon::prelude::*;
    context.check()?;
    let blocks = sample.blocks();
    context.progress.step("generating", wave * WAVE, blocks);
    let wave = wave * WAVE..blocks.min((wave + 1) * WAVE);
    let records: Vec<Vec<velamen_synth::Record>> =
        wave.into_par_iter().map(|block| sample.block(block)).collect();
    let column =
        |column: usize| records.iter().flatten().map(|record| u32::from(record.codes()[column])).collect();
    Ok((0..velamen_synth::COLUMNS.len()).into_par_iter().map(column).collect())
}

fn hierarchy_file(folder: &Path, attribute: &str) -> PathBuf {
    folder.join(format!("{attribute}.csv"))
}

fn write_hierarchies(folder: &Path) -> Result<(), JobError> {
    std::fs::create_dir_all(folder).map_err(|error| JobError::io(folder, "create the folder", &error))?;
    for hierarchy in velamen_synth::hierarchies() {
        let path = hierarchy_file(folder, hierarchy.attribute);
        std::fs::write(&path, hierarchy.to_csv()).map_err(|error| JobError::io(&path, "write", &error))?;
    }
    Ok(())
}
