//! The command line: parses, calls the job, prints, returns a code.

mod command;
mod log;
mod progress;
mod stream;
mod table;
mod terminal;

use std::process::ExitCode;

use clap::Parser;
use command::Cli;
use velamen_recipe::JobError;

/// The allocator of musl is slow where several threads work.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let ended = match Cli::try_parse() {
        Ok(cli) => {
            let interrupted = cli.interrupted();
            code(cli.run().map_err(|error| (error, interrupted)))
        }
        Err(message) => told(&message),
    };
    let unwritten = terminal::unwritten()
        .map(|error| code(Err((JobError::Io(format!("standard output: cannot write: {error}")), ""))));
    // What the command says is more than that nobody could read it.
    ExitCode::from(if ended == 0 { unwritten.unwrap_or(0) } else { ended })
}

/// The exit code of a run; what ended it is shown, with what the command adds when it was interrupted.
fn code(result: Result<(), (JobError, &str)>) -> u8 {
    match result {
        Ok(()) => 0,
        Err((error, interrupted)) => {
            terminal::ended(&error, if matches!(error, JobError::Interrupted) { interrupted } else { "" });
            error.exit_code()
        }
    }
}

/// Shows help, version or a wrong call, as the parser has it.
fn told(message: &clap::Error) -> u8 {
    match message.use_stderr() {
        true => terminal::refused(message),
        false => terminal::keep(message.print()),
    }
    u8::try_from(message.exit_code()).unwrap_or(2)
}
