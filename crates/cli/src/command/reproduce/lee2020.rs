use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::lee2020;

use super::super::{Common, Runner};
use super::show;

/// Lee and Chung 2020: IPA as published (figures 6 to 10, tables 9 to 12)
#[derive(Debug, Args)]
#[command(
    name = "lee2020",
    after_help = "\
Examples:
  velamen reproduce lee2020 --output lee2020
  velamen reproduce lee2020 --patients 100000 --output quick"
)]
pub(super) struct Lee2020Args {
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "lee2020")]
    output: PathBuf,
    /// Records of the synthetic sample
    #[arg(long, default_value_t = lee2020::PATIENTS)]
    patients: u64,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl Lee2020Args {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request = lee2020::Request { output: self.output.clone(), patients: self.patients };
        let trends = runner.with(&self.seed, |context| lee2020::reproduce(&request, context))?;
        show(&trends, &self.output);
        Ok(())
    }
}
