use std::path::PathBuf;

use clap::Args;
use velamen_job::{conclusion, write_report};
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use super::{Common, Runner};
use crate::terminal::summary;

pub(super) const COMMAND: Command = Command::of::<Report>();

/// Make the public report of a release again, from its folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  velamen report release --output report.html")]
pub(crate) struct Report {
    /// The release folder
    release: PathBuf,
    /// The page to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// A table of the population, for k-map and delta-presence
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Run for Report {
    const NAME: &'static str = "report";

    fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let seed = velamen_dp::Seed::from_number(0);
        let findings = runner.with(&seed, |context| match velamen_patients::load(&self.release)? {
            Some(_) if self.population.is_some() => {
                Err(JobError::usage("--population: not for linked tables").mend("leave it out"))
            }
            Some(manifest) => velamen_patients::write_report(&self.release, &manifest, &self.output, context),
            None => write_report(&self.release, &self.output, self.population.as_deref(), context),
        })?;
        summary(format_args!("the report of {} is in {}", self.release.display(), self.output.display()));
        conclusion(&findings)
    }
}
