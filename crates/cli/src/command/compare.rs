use std::path::PathBuf;

use clap::Args;
use velamen_job::{JobError, compare};

use super::{Common, ReadArgs, Runner, print_figures};
use crate::terminal::line;

/// Tell every metric of a release against its original
#[derive(Debug, Args)]
#[command(after_help = "\
For the custodian. Where counterfeits or local recoding hide which record became which, the figures are those that the \
released table shows.

Examples:
  velamen compare patients.csv release
  velamen compare patients.csv release --null NA --json")]
pub(crate) struct Compare {
    /// The table that the release was made of, in any format that can be read
    original: PathBuf,
    /// The release folder
    release: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl Compare {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let seed = velamen_dp::Seed::from_number(0);
        let read = self.read.options()?;
        let found = runner.with(&seed, |context| compare(&self.original, &read, &self.release, context))?;
        if self.json {
            line(serde_json::to_string_pretty(&found).unwrap_or_default());
            return Ok(());
        }
        let over = if found.over_original { "the original records" } else { "the released table alone" };
        line(format_args!(
            "{} of {} records in {} classes, {} suppressed, {} counterfeits",
            found.records, found.original_records, found.classes, found.suppressed, found.counterfeits
        ));
        line(format_args!("figures over {over}:"));
        print_figures(&found.utility);
        Ok(())
    }
}
