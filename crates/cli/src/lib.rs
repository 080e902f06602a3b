//! The command line: parses, calls the job, prints, returns a code.
//!
//! The program is a line around [`run`], so that another one can add to the registries and have the same command line.

mod command;
mod log;
mod progress;
mod stream;
mod table;
mod terminal;
mod wrong_call;

use std::ffi::OsString;

pub use crate::command::{COMMANDS, Command, Run};
pub use crate::terminal::line;

use velamen_recipe::JobError;

/// Runs the command line with these arguments, the program's name first, and returns the exit code. A process does so once:
/// threads, Ctrl-C and the log belong to it.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    arguments.extend(command::alone(arguments.len()));
    let mut whole = command::cli();
    let ended = match whole.try_get_matches_from_mut(&arguments) {
        Ok(matches) => {
            wrong_call::misspelled_variables(&whole, std::env::vars_os()).iter().for_each(terminal::warning);
            code(command::run(&matches))
        }
        Err(message) => told(&wrong_call::mended(message, &arguments, &whole)),
    };
    let unwritten = terminal::unwritten()
        .map(|error| code(Err((JobError::unusable(format!("standard output: cannot write: {error}")), ""))));
    // What the command says is more than that nobody could read it.
    if ended == 0 { unwritten.unwrap_or(0) } else { ended }
}

/// The exit code of a run; what ended it is shown, with what the command adds when it was interrupted.
fn code(result: Result<(), (JobError, &str)>) -> u8 {
    match result {
        Ok(()) => 0,
        Err((error, interrupted)) => {
            terminal::ended(&error, if error.is_interrupted() { interrupted } else { "" });
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
