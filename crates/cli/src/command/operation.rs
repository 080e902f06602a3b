//! Commands of operations: their words, their request and `--json` come from the operation's definition.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, value_parser};
use serde_json::{Map, Number, Value};
use velamen_assess::operation::{Call, Entry, Given, Kind, OPERATIONS, Operation, Property, request_of};
use velamen_dp::Seed;
use velamen_recipe::JobError;

use super::entry::Command;
use super::runner::{Common, Runner};
use super::values::{of_format, path, whole};
use crate::stream::TableInput;
use crate::terminal::{self, line};

/// The property that can be standard input.
const TABLE: &str = "table";

/// How a table is read: `--json` stands before these options.
const READING: &str = "format";

/// How the command line shows an operation.
pub(super) trait Shown: Operation {
    /// What stands below the help.
    const EXAMPLES: &'static str;
    /// The option before which `--json` stands.
    const JSON_BEFORE: &'static str = READING;

    /// The words for a property.
    fn words(property: &Property) -> Vec<Arg> {
        vec![arg(property)]
    }

    /// What the words for a property say, if they were given.
    fn value(property: &Property, matches: &ArgMatches) -> Option<Value> {
        value(property, matches)
    }

    /// Refuses what only a command line can get wrong.
    fn refuse(_request: &Map<String, Value>) -> Result<(), JobError> {
        Ok(())
    }

    /// Prints an answer for people.
    fn print(answer: &Self::Answer, request: &Map<String, Value>);

    /// An answer for programs.
    fn json(answer: &Self::Answer) -> String {
        serde_json::to_string_pretty(answer).unwrap_or_default()
    }

    /// What goes to standard error before the answer.
    fn before(_answer: &Self::Answer) {}

    /// What goes to standard error after it.
    fn after(_answer: &Self::Answer) {}
}

impl Command {
    /// The command of an operation.
    pub(super) const fn showing<S: Shown>() -> Self {
        Self { name: S::NAME, interrupted: "", words: words::<S>, run: run_shown::<S> }
    }
}

fn words<S: Shown>(command: clap::Command) -> clap::Command {
    // The options of every command bring a description of their own.
    with_words(command, &properties(S::NAME), S::JSON_BEFORE, S::words)
        .about(S::SUMMARY)
        .after_help(S::EXAMPLES)
}

fn properties(name: &str) -> Vec<Property> {
    OPERATIONS.find(name).map(Entry::properties).unwrap_or_default()
}

fn with_words(
    command: clap::Command,
    properties: &[Property],
    json_before: &str,
    words: impl Fn(&Property) -> Vec<Arg>,
) -> clap::Command {
    let json = || Arg::new("json").long("json").help("Print JSON").action(ArgAction::SetTrue);
    let offered = || properties.iter().filter(|property| is_offered(property));
    let place = offered().position(|property| property.name == json_before).unwrap_or(offered().count());
    let command = command.args(offered().take(place).flat_map(&words)).arg(json());
    Common::augment_args(command.args(offered().skip(place).flat_map(&words)))
}

fn is_offered(property: &Property) -> bool {
    property.absent.as_deref() != Some("command line")
}

fn run_shown<S: Shown>(matches: &ArgMatches) -> Result<(), JobError> {
    let (mut request, common) = parsed(S::NAME, matches, S::value)?;
    S::refuse(&request)?;
    let runner = Runner::start(&common, false)?;
    let _table = with_input(&mut request, &runner)?;
    let asked = request_of::<S>(request.clone().into())?;
    let answer = runner.asking(|call| S::run(asked, call))?;
    S::before(&answer);
    match matches.get_flag("json") {
        true => line(S::json(&answer)),
        false => S::print(&answer, &request),
    }
    S::after(&answer);
    S::conclusion(answer)
}

/// The command of an operation that has no file here.
pub(super) fn of_entry(entry: &Entry) -> clap::Command {
    let command = clap::Command::new(entry.name);
    with_words(command, &entry.properties(), READING, |property| vec![arg(property)])
        .about(entry.summary)
        .after_help(entry.details)
}

/// Runs an operation that has no file here.
pub(super) fn run(entry: &Entry, matches: &ArgMatches) -> Result<(), JobError> {
    let (mut request, common) = parsed(entry.name, matches, value)?;
    let runner = Runner::start(&common, false)?;
    let _table = with_input(&mut request, &runner)?;
    let (answer, conclusion) = runner.asking(|call| entry.concluded(request.into(), call))?;
    match matches.get_flag("json") {
        true => line(serde_json::to_string_pretty(&answer).unwrap_or_default()),
        false => print(&answer),
    }
    conclusion
}

/// A line for each entry of an answer.
fn print(answer: &Value) {
    match answer {
        Value::Object(entries) => {
            let width = entries.keys().map(|name| terminal::width(name)).max().unwrap_or(0);
            for (name, entry) in entries {
                line(format!("{}  {}", terminal::padded(name, width), terminal::plain(entry)).trim_end());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| line(terminal::plain(item))),
        other => line(terminal::plain(other)),
    }
}

impl Runner {
    /// Runs an operation. It draws from a seed of its own.
    pub(super) fn asking<T>(
        &self,
        run: impl FnOnce(&Call<'_>) -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        let given = Given::default();
        self.with(&Seed::from_number(0), |context| run(&Call { given: &given, shows_cells: true, context }))
    }
}

/// The request, and the options of every command.
fn parsed(
    name: &str,
    matches: &ArgMatches,
    value: impl Fn(&Property, &ArgMatches) -> Option<Value>,
) -> Result<(Map<String, Value>, Common), JobError> {
    let properties = properties(name);
    let offered = properties.iter().filter(|property| is_offered(property));
    let given = offered.filter_map(|property| Some((property.name.clone(), value(property, matches)?)));
    let request = given.collect();
    let common = Common::from_arg_matches(matches).map_err(|error| JobError::usage(error.to_string()))?;
    Ok((request, common))
}

/// For `-` what comes from standard input, which is kept as long as the table.
fn with_input(request: &mut Map<String, Value>, runner: &Runner) -> Result<Option<TableInput>, JobError> {
    let Some(named) = request.get_mut(TABLE).filter(|named| named.is_string()) else { return Ok(None) };
    let table = runner.table(PathBuf::from(named.as_str().unwrap_or_default()))?;
    *named = table.path.to_string_lossy().into();
    Ok(Some(table))
}

/// The words for a property, as its definition has it.
pub(super) fn arg(property: &Property) -> Arg {
    let arg = Arg::new(property.name.clone()).help(help(property)).required(property.required);
    let arg = match property.required && !property.flag {
        true => arg,
        false => arg.long(property.name.clone()),
    };
    let name = || property.name.to_uppercase().replace('-', "_");
    let arg = arg.value_name(property.value.clone().unwrap_or_else(name));
    let arg = property.needs.iter().fold(arg, |arg, other| arg.requires(other.clone()));
    let arg = property.without.iter().fold(arg, |arg, other| arg.conflicts_with(other.clone()));
    let arg = property.alias.iter().fold(arg, |arg, alias| arg.alias(alias.clone()));
    with_default(with_values(arg, &property.kind), &property.default)
}

fn help(property: &Property) -> String {
    let text = property.description.strip_suffix('.').unwrap_or(&property.description);
    match property.name == TABLE {
        true => format!("{text}; - is standard input"),
        false => text.to_owned(),
    }
}

fn with_default(arg: Arg, default: &Value) -> Arg {
    match default {
        Value::Number(number) => arg.default_value(number.to_string()),
        Value::String(text) => arg.default_value(text.clone()),
        _ => arg,
    }
}

fn with_values(arg: Arg, kind: &Kind) -> Arg {
    match kind {
        Kind::Switch => arg.action(ArgAction::SetTrue),
        Kind::Names(format) => {
            let arg = arg.action(ArgAction::Append).value_parser(of_format(format));
            if ["set", "analysis"].contains(&&**format) { arg } else { arg.value_delimiter(',') }
        }
        Kind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words.clone())),
        Kind::Whole { format, least, most } => arg.value_parser(whole(format, *least, *most)),
        Kind::Number => arg.value_parser(value_parser!(f64)),
        Kind::Text(format) => arg.value_parser(of_format(format)),
        Kind::Table | Kind::TableOrRelease | Kind::Release | Kind::Recipe | Kind::Path | Kind::Beside => {
            arg.value_parser(path())
        }
    }
}

/// What the words for a property say, if they were given.
pub(super) fn value(property: &Property, matches: &ArgMatches) -> Option<Value> {
    let name = &*property.name;
    if matches.value_source(name)? == ValueSource::DefaultValue {
        return None;
    }
    match &property.kind {
        Kind::Switch => Some(matches.get_flag(name).into()),
        Kind::Names(_) => Some(matches.get_many::<String>(name)?.cloned().collect()),
        Kind::Number => Some(number(*matches.get_one::<f64>(name)?)),
        Kind::Whole { format, .. } => number_of(format, name, matches),
        _ => Some(matches.get_one::<String>(name)?.clone().into()),
    }
}

fn number_of(format: &str, name: &str, matches: &ArgMatches) -> Option<Value> {
    match format {
        "uint16" => Some((*matches.get_one::<u16>(name)?).into()),
        "uint32" => Some((*matches.get_one::<u32>(name)?).into()),
        _ => Some((*matches.get_one::<u64>(name)?).into()),
    }
}

/// A number of JSON, which has no infinity: that is larger than what any option takes.
fn number(number: f64) -> Value {
    let largest = if number.is_nan() { -f64::MAX } else { f64::MAX.copysign(number) };
    Number::from_f64(number).or_else(|| Number::from_f64(largest)).map_or(Value::Null, Value::Number)
}
