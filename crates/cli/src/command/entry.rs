//! What a command is: its words on the command line, and what it does.

use clap::{ArgMatches, Args, FromArgMatches, Subcommand};
use velamen_core::registry::Named;
use velamen_recipe::JobError;

/// What Ctrl-C means where a release would have been made.
const NOTHING_RELEASED: &str = "; nothing was released";

/// A command whose words are a struct, or an enumeration of commands below it.
pub trait Run: FromArgMatches {
    /// Its name.
    const NAME: &'static str;
    /// Whether it makes a release.
    const RELEASES: bool = false;

    /// Does it.
    ///
    /// # Errors
    /// What ends the command; its class is the exit code.
    fn run(self) -> Result<(), JobError>;
}

/// A command of the registry.
#[derive(Debug)]
pub struct Command {
    /// Its name.
    pub(super) name: &'static str,
    /// What its error adds when it was interrupted.
    pub(super) interrupted: &'static str,
    pub(super) words: fn(clap::Command) -> clap::Command,
    pub(super) run: fn(&ArgMatches) -> Result<(), JobError>,
}

impl Named for Command {
    fn name(&self) -> &'static str {
        self.name
    }
}

impl Command {
    /// A command whose words are a struct.
    #[must_use]
    pub const fn of<R: Run + Args>() -> Self {
        Self::with_words::<R>(R::augment_args)
    }

    /// A command with commands below it.
    #[must_use]
    pub const fn of_group<R: Run + Subcommand>() -> Self {
        let words =
            |command| R::augment_subcommands(command).subcommand_required(true).arg_required_else_help(true);
        Self::with_words::<R>(words)
    }

    const fn with_words<R: Run>(words: fn(clap::Command) -> clap::Command) -> Self {
        let interrupted = if R::RELEASES { NOTHING_RELEASED } else { "" };
        Self { name: R::NAME, interrupted, words, run: |matches| parsed::<R>(matches)?.run() }
    }

    /// The command with its words and help.
    pub(super) fn described(&self) -> clap::Command {
        (self.words)(clap::Command::new(self.name))
    }
}

fn parsed<A: FromArgMatches>(matches: &ArgMatches) -> Result<A, JobError> {
    A::from_arg_matches(matches).map_err(|error| JobError::usage(error.to_string()))
}
