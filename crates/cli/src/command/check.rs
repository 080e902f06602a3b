use std::path::PathBuf;

use clap::Args;
use velamen_dp::Seed;
use velamen_job::{Check as Checked, CheckOptions, CheckReport, check};
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner};
use crate::terminal::{counted, error, line, summary, warning};

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
        let mistakes = || Recipe::mistakes(&self.recipe, &self.overrides());
        match (&checked, self.json) {
            (_, true) => {
                let report = CheckReport::of(&checked, mistakes);
                line(serde_json::to_string(&report).unwrap_or_default());
            }
            (Ok(checked), false) => self.print(checked),
            // The first one is shown as that of any command.
            (Err(_), false) => mistakes().iter().skip(1).for_each(error),
        }
        checked.map(drop)
    }

    fn overrides(&self) -> Overrides {
        let Self { input, output, set, .. } = self;
        Overrides { input: input.clone(), output: output.clone(), seed: None, set: set.clone() }
    }

    fn checked(&self) -> Result<Checked, JobError> {
        let Self { data, overwrite, show_values, .. } = self;
        let runner = Runner::start(&self.common, false)?;
        let recipe = Recipe::load(&self.recipe, &self.overrides())?.resolve(&self.recipe)?;
        let (data, overwrite, show_values) = (*data, *overwrite, *show_values);
        let options = CheckOptions { data, overwrite, show_values, in_memory: false };
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
                "{recipe}: no mistake found; read {} in {} and released none",
                counted(data.records, "record"),
                counted(data.combinations as u64, "distinct combination")
            )),
        }
    }
}
