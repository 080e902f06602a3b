use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;

use super::entry::{Command, Run};

pub(super) const COMMAND: Command = Command::of::<Studio>();

/// Work on a recipe in the browser, on this machine alone
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen studio
      Opens on a built-in sample of synthetic patients.
  velamen studio data/
      Opens tables and recipes in data/, and writes releases there.

  velamen studio data/ --no-browser
      Prints the link alone, for a machine that is reached through a tunnel.

Opens in your browser, and prints a link that works once, for a browser that did not open. Only that
browser gets in, and only files below the folder are read or written. Every click changes the recipe,
from which `velamen anonymize` makes the same bytes. Ctrl-C or the button in the page ends it;
unsaved changes are then lost. On a desktop, `velamen` alone starts the studio.
Downloaded programs have it; one that you compile needs --features studio.")]
#[cfg_attr(not(feature = "studio"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Studio {
    /// The folder whose tables and recipes can be opened; the built-in sample when left out
    folder: Option<PathBuf>,
    /// Print the link alone, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// How many threads to use; all cores if left out
    #[arg(long, value_name = "N", value_parser = super::values::number::<u16>(1, 1024))]
    threads: Option<u16>,
}

impl Run for Studio {
    const NAME: &'static str = "studio";

    #[cfg(not(feature = "studio"))]
    fn run(self) -> Result<(), JobError> {
        Err(JobError::usage("this build has no studio").coded(velamen_recipe::Code::NOT_BUILT))
    }

    #[cfg(feature = "studio")]
    fn run(self) -> Result<(), JobError> {
        served::served(self)
    }
}

#[cfg(feature = "studio")]
mod served {
    use tempfile::TempPath;
    use velamen_recipe::JobError;
    use velamen_studio::{Options, has_desktop, open_browser, serve};

    use super::super::{Common, Runner};
    use super::Studio;
    use crate::terminal::line;

    pub(super) fn served(asked: Studio) -> Result<(), JobError> {
        let threads = usize::from(asked.threads.unwrap_or(0));
        let runner = Runner::start(&Common { threads: asked.threads, quiet: false, log: None }, true)?;
        let options = Options { folder: asked.folder, threads };
        // Kept until the studio ends: a browser can be slow to start.
        let mut file = None;
        serve(&options, &runner.cancel, |link| {
            file = shown(link, !asked.no_browser && has_desktop());
        })?;
        drop(file);
        Ok(())
    }

    /// Opens the link where there is a desktop, and prints it for whoever has another browser or none that opens.
    fn shown(link: &str, opens: bool) -> Option<TempPath> {
        let opened = opens.then(|| open_browser(link));
        match &opened {
            Some(Ok(_)) => {
                line("The studio opens in your browser. If it does not, open this link, which works once:")
            }
            Some(Err(_)) | None => line("Open this link in a browser on this machine; it works once:"),
        }
        line(link);
        opened.and_then(Result::ok)
    }
}
