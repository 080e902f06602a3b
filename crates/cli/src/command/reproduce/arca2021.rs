use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::arca2021;

use super::super::{Common, Runner};
use super::show;

/// Arca & Hewett 2021: iab and its baselines, leaks before and after (tables 2, 7, 8, figures 8 to 10)
#[derive(Debug, Args)]
#[command(
    name = "arca2021",
    after_help = "\
Examples:
  velamen reproduce arca2021 --output arca2021
  velamen reproduce arca2021 --data heart --output arca2021   (heart/processed.cleveland.data and the others)"
)]
pub(super) struct Arca2021Args {
    /// A folder with processed.cleveland.data, processed.hungarian.data and processed.va.data;
    /// synthetic records when left out
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "arca2021")]
    output: PathBuf,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl Arca2021Args {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request = arca2021::Request { data: self.data, output: self.output.clone() };
        let trends = runner.with(&self.seed, |context| arca2021::reproduce(&request, context))?;
        show(&trends, &self.output);
        Ok(())
    }
}
