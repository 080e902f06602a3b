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
        Ok(cli) => code(cli.run()),
        Err(message) => told(&message),
    };
    let unwritten = terminal::unwritten().map(|error| {
        let ended = match error.kind() {
            std::io::ErrorKind::BrokenPipe => "; the program that reads it ended first, as `head` does",
            _ => "",
        };
        code(Err(JobError::Io(format!("standard output: cannot write: {error}{ended}"))))
    });
    // What the command says is more than that nobody could read it.
    ExitCode::from(if ended == 0 { unwritten.unwrap_or(0) } else { ended })
}

/// The exit code of a run; what ended it is shown.
fn code(result: Result<(), JobError>) -> u8 {
    match result {
        Ok(()) => 0,
        Err(error) => {
            terminal::error(&error);
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
