//! The commands, one file each, and a line in [`COMMANDS`].

mod advise;
mod anonymize;
mod attack;
mod audit;
mod check;
mod cluster;
mod compare;
mod completions;
mod demo;
mod diff;
mod entry;
mod estimate;
mod evidence;
mod explain;
mod explore;
mod hierarchy;
mod leak;
mod linked;
mod man;
mod measure;
mod operation;
mod profile;
mod query;
mod report;
mod reproduce;
mod risk;
mod runner;
mod schema;
mod sign;
mod studio;
mod summary;
mod synth;
mod truthful;
mod values;
mod verify;
mod web;

use std::ffi::OsString;

use clap::ArgMatches;
use velamen_assess::operation::OPERATIONS;
use velamen_core::registry::Registry;
use velamen_recipe::JobError;

pub use self::entry::{Command, Run};
use self::runner::{Common, ReadArgs, Runner, fresh_seed, seed_of};
use crate::terminal::{self, line, plain};

const EXAMPLES: &str = "\
Examples:
  velamen demo
      Generates 100,000 synthetic patients, releases them and says where to look.
  velamen profile patients.csv --recipe recipe.toml
      Reports what a table holds and what may identify people, and writes a first recipe.
  velamen anonymize recipe.toml
      Makes the release that the recipe describes.
  velamen verify release
      Checks every promise of a release again, from its files.
  velamen check recipe.toml
      Lists the mistakes in a recipe, without running it.
  velamen estimate recipe.toml
      Estimates what a run needs: memory, disk and time.
  velamen explore recipe.toml
      Lists the possible releases that no other one beats.
  velamen measure table.csv --qi age,sex,zip --sensitive diagnosis
      Reports which k, l, t, β and δ a table satisfies.
  velamen compare patients.csv release
      Measures a release against its original, by every metric.
  velamen diff june july
      Shows what changed from one release to another.
  velamen risk patients.csv --qi age,sex,zip
      Estimates the re-identification risk of each record.
  velamen attack release --original patients.csv
      Measures what an adversary gets from a release.
  velamen audit recipe.toml
      Tries to refute the differential privacy that a recipe claims.

Each error has a code, as in error[E0409]; `velamen explain E0409` says what it means and how to mend it.

Exit codes:
  0 done   2 usage   3 the promise cannot be met or does not hold   4 the data
  5 recipe or hierarchy   6 reading or writing   7 too large for memory or disk
  8 no promise is broken, but one was not checked that could be   130 interrupted";

const ABOUT: &str = "Turns person-level health data into a release that you can publish. It keeps as much detail as \
                     possible, and checks on the finished file what the release promises";

/// All commands in the order of the help: what a first hour needs, then the others. An operation that has none here gets one from its definition.
pub static COMMANDS: Registry<Command> = Registry::new(&[
    demo::COMMAND,
    profile::COMMAND,
    studio::COMMAND,
    anonymize::COMMAND,
    verify::COMMAND,
    check::COMMAND,
    explore::COMMAND,
    advise::COMMAND,
    compare::COMMAND,
    risk::COMMAND,
    evidence::COMMAND,
    attack::COMMAND,
    measure::COMMAND,
    estimate::COMMAND,
    sign::COMMAND,
    diff::COMMAND,
    audit::COMMAND,
    leak::COMMAND,
    hierarchy::COMMAND,
    truthful::COMMAND,
    report::COMMAND,
    query::COMMAND,
    cluster::COMMAND,
    synth::COMMAND,
    reproduce::COMMAND,
    explain::COMMAND,
    web::COMMAND,
    schema::COMMAND,
    completions::COMMAND,
    man::COMMAND,
]);

/// The whole command line.
pub(crate) fn cli() -> clap::Command {
    let whole = clap::Command::new("velamen")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXAMPLES)
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true);
    let own = COMMANDS.iter().map(Command::described);
    let other =
        OPERATIONS.iter().filter(|entry| COMMANDS.find(entry.name).is_none()).map(operation::of_entry);
    whole.subcommands(own.chain(other))
}

/// The command that the program's name alone stands for: on a desktop the studio, since whoever starts a program by a click
/// gives it no words.
pub(crate) fn alone(words: usize) -> Option<OsString> {
    #[cfg(feature = "studio")]
    if words == 1 && velamen_studio::has_desktop() {
        return Some("studio".into());
    }
    let _ = words;
    None
}

/// Runs the command that was parsed. An error comes with what the command adds to it when it was interrupted.
pub(crate) fn run(matches: &ArgMatches) -> Result<(), (JobError, &'static str)> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    if let Some(command) = COMMANDS.find(name) {
        return (command.run)(matches).map_err(|error| (error, command.interrupted));
    }
    let entry = OPERATIONS.find(name);
    entry.map_or(Ok(()), |entry| operation::run(entry, matches)).map_err(|error| (error, ""))
}

/// One line per metric: its figure, then each attribute's where it has them.
fn print_figures(figures: &serde_json::Map<String, serde_json::Value>) {
    let attributes: Vec<&String> = figures
        .values()
        .find_map(|figure| figure["by-attribute"].as_object())
        .map_or_else(Vec::new, |by| by.keys().collect());
    let names = attributes.iter().map(|name| format!("  {}", terminal::right(name, 10))).collect::<String>();
    line(format!("{:<20}{:>14}{names}", "metric", "figure").trim_end());
    for (metric, figure) in figures {
        let value = if figure.is_object() { &figure["value"] } else { figure };
        let shown = |name: &&String| {
            let width = terminal::width(name).max(10);
            let figure = figure["by-attribute"].get(name.as_str()).map_or(String::new(), plain);
            format!("  {figure:>width$}")
        };
        let cells = attributes.iter().map(shown).collect::<String>();
        line(format!("{metric:<20}{:>14}{cells}", plain(value)).trim_end());
    }
}
