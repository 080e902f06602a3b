use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::methods;

use super::super::{Common, Runner};
use crate::terminal::line;

/// All methods on one table: loss, reconstruction error, query error, attacks, time
#[derive(Debug, Args)]
#[command(
    name = "methods",
    after_help = "\
Examples:
  velamen reproduce methods --output methods
  velamen reproduce methods --data adult --output methods   (adult/adult.csv and its hierarchies)"
)]
pub(super) struct MethodsArgs {
    /// A folder with adult.csv and adult_hierarchy_*.csv; the synthetic sample when left out
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "methods")]
    output: PathBuf,
    /// Records of the synthetic sample
    #[arg(long, default_value_t = methods::PATIENTS)]
    patients: u64,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl MethodsArgs {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request =
            methods::Request { data: self.data, output: self.output.clone(), patients: self.patients };
        let rows = runner.with(&self.seed, |context| methods::reproduce(&request, context))?;
        rows.iter().for_each(|row| line(row.line()));
        line(format_args!("tables and pictures in {}", self.output.display()));
        Ok(())
    }
}
