//! A toy command, in whole: one that is no operation, since it answers nothing that other front ends could use.

use clap::Args;
use velamen_cli::{Command, Run, line};
use velamen_recipe::JobError;

/// The registry's line.
pub(crate) static COMMAND: Command = Command::of::<Greet>();

/// Greet somebody
#[derive(Debug, Args)]
pub(crate) struct Greet {
    /// The name
    name: String,
}

impl Run for Greet {
    const NAME: &'static str = "greet";

    fn run(self) -> Result<(), JobError> {
        line(format_args!("hello {}", self.name));
        Ok(())
    }
}
