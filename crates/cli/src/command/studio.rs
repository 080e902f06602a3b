use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;
use velamen_studio::{Options, serve};

use super::entry::{Command, Run};
use super::{Common, Runner};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::of::<Studio>();

/// Work on a recipe in the browser, on this machine alone
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen studio
      Opens on a built-in sample of synthetic patients.
  velamen studio data/
      Opens tables and recipes in data/, and writes releases there.

Prints a link that works once: open it in a browser on this machine. Only that browser gets in, and
only files below the folder are read or written. Every click changes the recipe, from which
`velamen anonymize` makes the same bytes. Ctrl-C or the button in the page ends it; unsaved changes
are then lost.")]
pub(crate) struct Studio {
    /// The folder whose tables and recipes can be opened; the built-in sample when left out
    folder: Option<PathBuf>,
    /// How many threads to use; all cores if left out
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Run for Studio {
    const NAME: &'static str = "studio";

    fn run(self) -> Result<(), JobError> {
        let threads = usize::from(self.threads.unwrap_or(0));
        let runner = Runner::start(&Common { threads: self.threads, quiet: false, log: None }, true)?;
        let options = Options { folder: self.folder, threads };
        serve(&options, &runner.cancel, |link| {
            line("Open this link in a browser on this machine; it works once:");
            line(link);
        })?;
        Ok(())
    }
}
