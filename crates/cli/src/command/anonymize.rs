use std::path::PathBuf;

use clap::Args;
use velamen_job::{After, RunOptions, anonymize};
use velamen_patients::is_linked;
use velamen_recipe::{JobError, Overrides, Recipe, text_of};

use super::entry::{Command, Run};
use super::summary::summary;
use super::values::of_format;
use super::{Common, Runner, linked, seed_of};
use crate::terminal::{line, warning};

pub(super) const COMMAND: Command = Command::of::<Anonymize>();

/// Make the release that a recipe describes
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen anonymize recipe.toml
  velamen anonymize recipe.toml --input june.csv --output june --set method.h=0.2
  velamen anonymize recipe.toml --set privacy.0.k=10 --json > manifest.json
  velamen anonymize recipe.toml --output second --after first.custodian
  unzip -p june.zip | velamen anonymize recipe.toml --input -

Paths in a recipe start at the recipe's folder, paths on the command line at the current folder.")]
pub(crate) struct Anonymize {
    /// The recipe, a TOML file
    recipe: PathBuf,
    /// The table to release, instead of the recipe's; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The release folder, instead of the recipe's
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// A seed, instead of the recipe's: a whole number or 64 hexadecimal digits; as secret as the data
    #[arg(long, env = "VELAMEN_SEED", hide_env_values = true, value_parser = of_format("seed"))]
    seed: Option<String>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Replace a release of that name
    #[arg(long)]
    overwrite: bool,
    /// Keep the counterfeits of an earlier release of the same table: its custodian's folder
    #[arg(long, value_name = "DIR")]
    after: Option<PathBuf>,
    /// With --after: draw counterfeits anew where fewer than half of the earlier ones can be kept; withdraw the earlier release
    #[arg(long, requires = "after")]
    redraw: bool,
    /// On Ctrl-C, end the search and release the best that it has found; a second Ctrl-C ends the run
    #[arg(long)]
    keep_best: bool,
    /// Print the manifest, and nothing else, on standard output
    #[arg(long)]
    json: bool,
    /// Let error messages show the offending cell's value
    #[arg(long)]
    show_values: bool,
    #[command(flatten)]
    common: Common,
}

impl Run for Anonymize {
    const NAME: &'static str = "anonymize";
    const RELEASES: bool = true;

    fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        // What came from standard input is kept until the run ends.
        let table = self.input.map(|input| runner.table(input)).transpose()?;
        let input = table.as_ref().map(|table| table.path.clone());
        let overrides = Overrides { input, output: self.output, seed: self.seed, set: self.set };
        if is_linked(&text_of(&self.recipe)?) {
            let flags = [
                ("--after", self.after.is_some()),
                ("--keep-best", self.keep_best),
                ("--show-values", self.show_values),
            ];
            return linked::anonymize(&runner, &self.recipe, &overrides, (self.overwrite, self.json), &flags);
        }
        let recipe = Recipe::load(&self.recipe, &overrides)?.resolve()?;
        let after = After::find(&recipe, self.after.as_deref())?.map(|after| after.redrawing(self.redraw));
        let seed = match (&after, &recipe.seed) {
            (Some(after), None) => after.seed().clone(),
            _ => seed_of(&recipe)?,
        };
        let enough = self.keep_best.then(|| runner.enough());
        let options = RunOptions { overwrite: self.overwrite, show_values: self.show_values, enough, after };
        let outcome = runner.with(&seed, |context| anonymize(&recipe, &options, context))?;
        for text in &outcome.warnings {
            warning(text);
        }
        if self.json {
            line(outcome.manifest.to_json().trim_end());
        } else {
            summary(&outcome);
        }
        Ok(())
    }
}
