use std::path::PathBuf;

use clap::Args;
use velamen_job::write_truthful;
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use super::{Common, Runner};
use crate::stream::Output;
use crate::terminal::{grouped, summary as line};

pub(super) const COMMAND: Command = Command::of::<Truthful>();

/// Make a version of a release without counterfeits, from its catalog
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  velamen truthful release --output truthful.csv")]
pub(crate) struct Truthful {
    /// The release folder
    release: PathBuf,
    /// The file to write; its extension sets the format; - is standard output, as CSV
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    common: Common,
}

impl Run for Truthful {
    const NAME: &'static str = "truthful";

    fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let output = Output::of(self.output)?;
        let seed = velamen_dp::Seed::from_number(0);
        let summary = runner.with(&seed, |context| write_truthful(&self.release, &output.path, context))?;
        output.finish()?;
        let of = if summary.sample { "a sample of the original" } else { "as many as the original" };
        line(format_args!("{} records, {of}", grouped(summary.records)));
        line(format_args!("  suppressed             {}", grouped(summary.suppressed)));
        line(format_args!("  counterfeits dropped   {}", grouped(summary.dropped)));
        if summary.left_out > 0 {
            line(format_args!("  columns left out       {} (insensitive)", summary.left_out));
        }
        Ok(())
    }
}
