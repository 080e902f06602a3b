use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use velamen_dp::Seed;
use velamen_job::{Check as Checked, CheckOptions, check};
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner};
use crate::terminal::{error, grouped, line, summary, warning};

/// Check a recipe without running it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen check recipe.toml
      Lists all mistakes that show without the table: keys, roles, hierarchies, models, the
      output's place. At most one is listed for each attribute, model and section.
  velamen check recipe.toml --data
      Also reads the table: columns, values outside hierarchies, columns that look like identifiers.
  velamen check recipe.toml --json
      Prints mistakes with file, line and key, for editors.

Writes nothing and spends no budget. The exit codes are those of `velamen anonymize`.")]
pub(crate) struct Check {
    /// The recipe, a TOML file
    recipe: PathBuf,
    /// Also read the table
    #[arg(long)]
    data: bool,
    /// The table to release, instead of the recipe's
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The release folder, instead of the recipe's
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Allow a release of that name to exist
    #[arg(long)]
    overwrite: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Let error messages show the offending cell's value
    #[arg(long, requires = "data")]
    show_values: bool,
    #[command(flatten)]
    common: Common,
}

impl Check {
    pub(super) fn run(self) -> Result<(), JobError> {
        let checked = self.checked();
        match (&checked, self.json) {
            (Ok(checked), true) => line(json!({ "mistakes": [], "check": checked })),
            (Ok(checked), false) => self.print(checked),
            (Err(first), true) => {
                let mut mistakes = vec![first.to_data()];
                mistakes.extend(self.others().iter().map(JobError::to_data));
                line(json!({ "mistakes": mistakes }));
            }
            // The first one is shown as that of any command.
            (Err(_), false) => self.others().iter().for_each(error),
        }
        checked.map(drop)
    }

    /// The recipe's mistakes after the first one.
    fn others(&self) -> Vec<JobError> {
        let mut mistakes = Recipe::mistakes(&self.recipe, &self.overrides());
        mistakes.drain(..mistakes.len().min(1));
        mistakes
    }

    fn overrides(&self) -> Overrides {
        let Self { input, output, set, .. } = self;
        Overrides { input: input.clone(), output: output.clone(), seed: None, set: set.clone() }
    }

    fn checked(&self) -> Result<Checked, JobError> {
        let Self { data, overwrite, show_values, .. } = self;
        let runner = Runner::start(&self.common, false)?;
        let recipe = Recipe::load(&self.recipe, &self.overrides())?.resolve(&self.recipe)?;
        let options = CheckOptions { data: *data, overwrite: *overwrite, show_values: *show_values };
        // Nothing is drawn but a random sample of the input: without a seed of the recipe's any will do.
        let seed = recipe.seed.clone().unwrap_or_else(|| Seed::from_number(0));
        runner.with(&seed, |context| check(&recipe, &self.recipe, options, context))
    }

    fn print(&self, checked: &Checked) {
        checked.warnings.iter().for_each(warning);
        let recipe = self.recipe.display();
        match checked.data {
            None => {
                summary(format_args!("{recipe}: no mistake found; the table was not read (--data reads it)"))
            }
            Some(data) => summary(format_args!(
                "{recipe}: no mistake found; {} records in {} distinct combinations were read, none was released",
                grouped(data.records),
                grouped(data.combinations as u64)
            )),
        }
    }
}
