//! What a wrong call should have been: the parser compares letters, and knows nothing of variables.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use velamen_recipe::nearest::{did_you_mean, most_alike};

/// The parser's message with the name of the variable that holds a wrong value, and the options that were meant.
pub(crate) fn mended(mut message: Error, arguments: &[OsString], whole: &Command) -> Error {
    let called = called(whole, arguments);
    match message.kind() {
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            hide_secret(&mut message);
            blame_variable(&mut message, arguments, called);
        }
        ErrorKind::UnknownArgument => suggest(&mut message, called, whole),
        _ => {}
    }
    message
}

/// The command that the arguments name.
fn called<'c>(whole: &'c Command, arguments: &[OsString]) -> &'c Command {
    let words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    words.fold(whole, |command, word| command.find_subcommand(word).unwrap_or(command))
}

fn text(message: &Error) -> Option<String> {
    match message.get(ContextKind::InvalidArg)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// Whether a word of the call is that option, alone or with its value.
fn names(argument: &OsString, option: &str) -> bool {
    let argument = argument.to_string_lossy();
    argument == option || argument.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
}

/// A seed is as secret as the data: one digit that is missing would print all the others.
fn hide_secret(message: &mut Error) {
    if text(message).is_some_and(|shown| shown.starts_with("--seed")) {
        message.insert(ContextKind::InvalidValue, ContextValue::String("…".to_owned()));
    }
}

/// Names the variable in place of an option that nobody gave.
fn blame_variable(message: &mut Error, arguments: &[OsString], called: &Command) {
    let Some(shown) = text(message) else { return };
    let option = shown.split([' ', '=']).next().unwrap_or_default().to_owned();
    let given = arguments.iter().any(|argument| names(argument, &option));
    let of =
        called.get_arguments().find(|arg| arg.get_long().is_some_and(|long| option == format!("--{long}")));
    if let Some(variable) = of.and_then(clap::Arg::get_env).filter(|_| !given) {
        let variable = format!("{} (the variable for {option})", variable.to_string_lossy());
        message.insert(ContextKind::InvalidArg, ContextValue::String(variable));
    }
}

/// What all variables begin with.
const PREFIX: &str = "VELAMEN_";

/// Variables of the environment that are nearly the name of one that options have, in sentences.
pub(crate) fn misspelled_variables(
    whole: &Command,
    set: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<String> {
    let of_commands = whole.get_subcommands().flat_map(Command::get_arguments);
    let known: BTreeSet<&str> = whole
        .get_arguments()
        .chain(of_commands)
        .filter_map(|argument| argument.get_env()?.to_str()?.strip_prefix(PREFIX))
        .collect();
    let said = set.filter_map(|(name, _)| {
        let own = name.to_str()?.strip_prefix(PREFIX)?;
        let meant = did_you_mean(own, known.iter().copied()).filter(|_| !known.contains(own))?;
        Some(format!(
            "{PREFIX}{own} is no variable of this program; {}",
            meant.replacen('`', &format!("`{PREFIX}"), 1)
        ))
    });
    said.collect()
}

/// The option that was meant, of this command or of another: that a dash can be a value helps nobody who meant an option.
fn suggest(message: &mut Error, called: &Command, whole: &Command) {
    let Some(shown) = text(message).filter(|shown| shown.starts_with("--")) else { return };
    if message.get(ContextKind::SuggestedArg).is_some() {
        return;
    }
    let word = shown.trim_start_matches('-').split('=').next().unwrap_or_default();
    let tip = did_you_mean(word, options(called))
        .map(|tip| tip.replace('`', "").replacen("mean ", "mean --", 1))
        .or_else(|| of_another(word, called, whole))
        .unwrap_or_else(|| nearest_of(word, called));
    message.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
}

/// The options of a command that are shown.
fn options(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long)
}

/// The other commands that have an option of that name.
fn of_another(word: &str, called: &Command, whole: &Command) -> Option<String> {
    let has = |command: &&Command| {
        command.get_name() != called.get_name() && options(command).any(|option| option == word)
    };
    let names: Vec<String> =
        whole.get_subcommands().filter(has).map(|one| format!("`velamen {}`", one.get_name())).collect();
    (!names.is_empty()).then(|| {
        format!("--{word} is an option of {}, not of `velamen {}`", names.join(", "), called.get_name())
    })
}

/// So many options are named where none is near.
const NAMED: usize = 3;

fn nearest_of(word: &str, called: &Command) -> String {
    let near = most_alike(word, options(called)).into_iter().take(NAMED);
    let near: Vec<String> = near.map(|option| format!("--{option}")).collect();
    format!("the nearest options are {}; `velamen {} --help` lists all", near.join(", "), called.get_name())
}
