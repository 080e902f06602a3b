use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::counterfeits::{self, BaseTable};

use super::super::{Common, Runner};
use crate::terminal::line;

/// What counterfeits protect and cost: h-ceiling as published, as it was and as it is, beside other methods
#[derive(Debug, Args)]
#[command(
    name = "counterfeits",
    after_help = "\
Examples:
  velamen reproduce counterfeits --output counterfeits
  velamen reproduce counterfeits --data adult   (adult/adult.csv and its hierarchies)
  velamen reproduce counterfeits --recipe recipe.toml --seeds 3
      The recipe's table and attributes; its models and method are those of the comparison."
)]
pub(super) struct CounterfeitsArgs {
    /// A folder with adult.csv and adult_hierarchy_*.csv; the synthetic sample when left out
    #[arg(long, value_name = "DIR", conflicts_with = "recipe")]
    data: Option<PathBuf>,
    /// A recipe of a table with one sensitive attribute, in place of Adult or the sample
    #[arg(long, value_name = "RECIPE")]
    recipe: Option<PathBuf>,
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "counterfeits")]
    output: PathBuf,
    /// Records of the synthetic sample
    #[arg(long, default_value_t = counterfeits::PATIENTS)]
    patients: u64,
    /// Runs of each method that draws
    #[arg(long, value_name = "N", default_value_t = counterfeits::SEEDS)]
    seeds: u64,
    /// The seed of the synthetic sample, a whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl CounterfeitsArgs {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let table = match (self.data, self.recipe) {
            (Some(folder), _) => BaseTable::Adult(folder),
            (_, Some(recipe)) => BaseTable::Recipe(recipe),
            _ => BaseTable::Synthetic(self.patients),
        };
        let request = counterfeits::Request { table, output: self.output.clone(), seeds: self.seeds };
        let (rows, trends) = runner.with(&self.seed, |context| counterfeits::reproduce(&request, context))?;
        rows.iter().for_each(|row| line(row.line()));
        super::show(&trends, &self.output);
        Ok(())
    }
}
