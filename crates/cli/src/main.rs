//! The command line: parses, calls the job, prints, returns a code.

mod command;
mod progress;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use command::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}
