use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;

use super::cli;
use super::entry::{Command, Run};

pub(super) const COMMAND: Command = Command::of::<Man>();

/// Write the man pages of all commands into a folder, for packages
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Man {
    /// The folder; made if missing
    folder: PathBuf,
}

impl Run for Man {
    const NAME: &'static str = "man";

    fn run(self) -> Result<(), JobError> {
        let failed = |error: std::io::Error| JobError::io(&self.folder, "write man pages into", &error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        clap_mangen::generate_to(cli(), &self.folder).map_err(failed)
    }
}
