use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::lee2017;

use super::super::{Common, Runner};
use super::show;

/// Lee et al. 2017: h-ceiling, counterfeit records, catalog (figures 5 to 11)
#[derive(Debug, Args)]
#[command(
    name = "lee2017",
    after_help = "\
Examples:
  velamen reproduce lee2017 --output lee2017
  velamen reproduce lee2017 --data adult --output lee2017   (adult/adult.data and its hierarchies)"
)]
pub(super) struct Lee2017Args {
    /// A folder with adult.data and adult_hierarchy_*.csv; the synthetic sample when left out
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "lee2017")]
    output: PathBuf,
    /// Records of the synthetic sample of figure 11
    #[arg(long, default_value_t = lee2017::PATIENTS)]
    patients: u64,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl Lee2017Args {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request =
            lee2017::Request { data: self.data, output: self.output.clone(), patients: self.patients };
        let trends = runner.with(&self.seed, |context| lee2017::reproduce(&request, context))?;
        show(&trends, &self.output);
        Ok(())
    }
}
