//! Counterfeits that protect, and few of them: h-ceiling as it was, as published and as it is by default, beside methods
//! without counterfeits.
//!
//! Every arm is what stands in a recipe, and makes its releases by the main job. It is measured by what the custodian's
//! folder says of them (the adversary with the truth) and by the released files. Methods that draw run once a seed.

mod arms;
mod pages;
mod run;
mod variation;

use std::path::{Path, PathBuf};

use velamen_core::context::Context;
use velamen_recipe::{JobError, Overrides, Recipe};

use self::arms::{ARMS, Arm};
use self::run::Runs;
use super::methods::recipes::{self, PLAIN};
use super::output::Folder;
use super::{Trend, page};

/// Records of the synthetic sample.
pub const PATIENTS: u64 = 30_000;
/// Runs of each arm.
pub const SEEDS: u64 = 10;
/// The k of all arms, in turn.
const KS: [u64; 2] = [5, 10];

/// The table that is released.
#[derive(Debug, Clone)]
pub enum BaseTable {
    /// A folder with Adult (`adult.csv`) and its hierarchies.
    Adult(PathBuf),
    /// The synthetic sample, of so many records.
    Synthetic(u64),
    /// That of a recipe, which says what its attributes are; insensitive ones are dropped.
    Recipe(PathBuf),
}

/// What is wanted.
#[derive(Debug, Clone)]
pub struct Request {
    /// The table.
    pub table: BaseTable,
    /// The folder to write; must not exist.
    pub output: PathBuf,
    /// Runs of each arm that draws.
    pub seeds: u64,
}

/// What an arm came to.
#[derive(Debug)]
pub struct Row {
    arm: &'static Arm,
    k: u64,
    /// Its figures; the message if there is no release.
    runs: Result<Runs, String>,
}

/// Runs all arms and writes their tables, pictures and page.
///
/// # Errors
/// [`JobError`] of reading or writing, or of being interrupted; then the output folder does not exist. An arm that
/// finds no release is a row that says so.
pub fn reproduce(request: &Request, context: &Context<'_>) -> Result<(Vec<Row>, Vec<Trend>), JobError> {
    let folder = Folder::prepare(&request.output)?;
    let work =
        tempfile::tempdir().map_err(|error| JobError::unusable(format!("cannot make a folder: {error}")))?;
    let (name, base, path) = base(&request.table, work.path(), context)?;
    let bench = run::Bench::new(base, &path, work.path(), request.seeds.max(1), context)?;
    let mut rows = Vec::new();
    for k in KS {
        for arm in &ARMS {
            let runs = match bench.runs(arm, k, context) {
                Err(error) if error.is_interrupted() => return Err(error),
                // The temporary folder has another name in every run.
                Err(error) => Err(error.to_string().replace(&work.path().display().to_string(), "")),
                Ok(runs) => Ok(runs),
            };
            rows.push(Row { arm, k, runs });
        }
    }
    let section = pages::section(&rows);
    section.figures.iter().try_for_each(|figure| folder.figure(figure))?;
    let introduction = pages::introduction(&name, request.seeds.max(1));
    let trends = section.trends.clone();
    folder.text("index.html", &page::html(pages::TITLE, &introduction, &[section]))?;
    context.check()?;
    folder.publish()?;
    Ok((rows, trends))
}

/// What the table is, its recipe, and the recipe's file for messages.
fn base(
    table: &BaseTable,
    work: &Path,
    context: &Context<'_>,
) -> Result<(String, Recipe, PathBuf), JobError> {
    let sample = match table {
        BaseTable::Adult(folder) => recipes::adult(folder),
        BaseTable::Synthetic(patients) => recipes::synthetic(*patients, work, context)?,
        BaseTable::Recipe(path) => {
            let recipe = Recipe::load(path, &Overrides::default())?;
            return Ok((format!("the table of {}", path.display()), recipe, path.clone()));
        }
    };
    let recipe = Recipe::in_memory(&sample.recipe(&PLAIN))?;
    Ok((sample.name, recipe, work.join("recipe.toml")))
}

#[cfg(test)]
mod tests;
