use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::dp_tables;

use super::super::{Common, Runner};
use super::show;

/// Differentially private tables: invented records beside those of other tools, on Adult in codes
#[derive(Debug, Args)]
#[command(
    name = "dp-tables",
    after_help = "\
Examples:
  velamen reproduce dp-tables --data adult --output dp-tables   (adult/adult.csv and adult/domain.json)
  velamen reproduce dp-tables --data codes --adult texts   (texts/adult.csv and its hierarchies)"
)]
pub(super) struct DpTablesArgs {
    /// A folder with adult.csv, codes below a line of names, and domain.json, the number of values of each
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// A folder with adult.csv, fields parted by semicolons, and adult_hierarchy_*.csv: these nine columns, too
    #[arg(long, value_name = "DIR")]
    adult: Option<PathBuf>,
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "dp-tables")]
    output: PathBuf,
    /// Runs of each method and budget
    #[arg(long, value_name = "N", default_value_t = dp_tables::SEEDS, value_parser = crate::command::values::number::<u64>(1, u64::MAX))]
    seeds: u64,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl DpTablesArgs {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let Self { data, adult, seeds, .. } = self;
        let request = dp_tables::Request { data, adult, output: self.output.clone(), seeds };
        let trends = runner.with(&self.seed, |context| dp_tables::reproduce(&request, context))?;
        show(&trends, &self.output);
        Ok(())
    }
}
