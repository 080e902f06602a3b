use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_reproduce::yoo2012;

use super::super::{Common, Runner};
use super::show;

/// Yoo et al. 2012: clustering by entropy and mutual information (figures 4 to 6)
#[derive(Debug, Args)]
#[command(
    name = "yoo2012",
    after_help = "\
Examples:
  velamen reproduce yoo2012 --output yoo2012
  velamen reproduce yoo2012 --data adult --output yoo2012   (adult/adult.data and its hierarchies)"
)]
pub(super) struct Yoo2012Args {
    /// A folder with adult.data and adult_hierarchy_*.csv; the synthetic sample when left out
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// The folder to write; must not exist
    #[arg(long, value_name = "DIR", default_value = "yoo2012")]
    output: PathBuf,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    #[command(flatten)]
    common: Common,
}

impl Yoo2012Args {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request = yoo2012::Request { data: self.data, output: self.output.clone() };
        let trends = runner.with(&self.seed, |context| yoo2012::reproduce(&request, context))?;
        show(&trends, &self.output);
        Ok(())
    }
}
