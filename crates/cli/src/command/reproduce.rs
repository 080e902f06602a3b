use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use velamen_job::JobError;
use velamen_job::reproduce::Trend;
use velamen_job::reproduce::lee2017::{self, Request};

use super::{Common, Runner};
use crate::terminal::line;

/// Repeat a paper's experiments: tables and pictures, published beside measured
#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    #[command(subcommand)]
    paper: Paper,
}

#[derive(Debug, Subcommand)]
enum Paper {
    Lee2017(Lee2017Args),
}

/// Lee et al. 2017: h-ceiling, counterfeit records, catalog (figures 5 to 11)
#[derive(Debug, Args)]
#[command(
    name = "lee2017",
    after_help = "\
Examples:
  velamen reproduce lee2017 --output lee2017
  velamen reproduce lee2017 --data adult --output lee2017   (adult/adult.data and its hierarchies)"
)]
struct Lee2017Args {
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

impl Reproduce {
    pub(super) fn run(self) -> Result<(), JobError> {
        match self.paper {
            Paper::Lee2017(args) => args.run(),
        }
    }
}

impl Lee2017Args {
    fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let request = Request { data: self.data, output: self.output.clone(), patients: self.patients };
        let trends = runner.with(&self.seed, |context| lee2017::reproduce(&request, context))?;
        show(&trends, &self.output);
        Ok(())
    }
}

/// One line per trend, then where the tables are.
fn show(trends: &[Trend], output: &Path) {
    for trend in trends {
        let mark = if trend.met { "met    " } else { "NOT MET" };
        line(format_args!(
            "{mark}  {}: published {}; measured {}",
            trend.figure, trend.published, trend.measured
        ));
    }
    line(format_args!("tables and pictures in {}", output.display()));
}
