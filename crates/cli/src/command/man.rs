use std::path::PathBuf;

use clap::{Args, CommandFactory};
use velamen_recipe::JobError;

use super::Cli;

/// Write the man pages of all commands into a folder, for packages
#[derive(Debug, Args)]
#[command(hide = true)]
pub(crate) struct Man {
    /// The folder; made if missing
    folder: PathBuf,
}

impl Man {
    pub(super) fn run(self) -> Result<(), JobError> {
        let failed = |error: std::io::Error| JobError::io(&self.folder, "write man pages into", &error);
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        clap_mangen::generate_to(Cli::command(), &self.folder).map_err(failed)
    }
}
