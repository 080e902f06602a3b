use clap::{Arg, ArgMatches, value_parser};
use serde_json::{Map, Value, json};
use velamen_assess::operation::{Attack, Property};
use velamen_assess::{Attack as Tried, Attacks};
use velamen_measure::risk::attack::Figure;

use super::entry::Command;
use super::operation::{Shown, arg, value};
use super::values::path;
use crate::terminal::{self, grouped, line};

pub(super) const COMMAND: Command = Command::showing::<Attack>();

impl Shown for Attack {
    const EXAMPLES: &'static str = "\
For the custodian: it looks for people of the original in the release.

Examples:
  velamen attack release --original patients.csv
  velamen attack release --original patients.csv --attacks linkage,inference --targets 10000
  velamen attack release --original patients.csv --with release-2025 --second-original patients-2025.csv
      What two releases of some of the same people reveal together.
  velamen attack release --original patients.csv --control others.csv --attacks control
      Separates what the release leaks about its people from what it teaches about anyone.
  velamen attack release --original patients.csv --recipe recipe.toml --attacks membership
      Runs the method many times with and without a record.

Attacks: linkage, inference, background, presence, minimality, counterfeits, composition,
control, membership.";
    const JSON_BEFORE: &'static str = "show-values";

    fn words(property: &Property) -> Vec<Arg> {
        match &*property.name {
            "second" => second(),
            // A wrong one is refused by the operation.
            "seed" => vec![arg(property).value_parser(value_parser!(String))],
            _ => vec![arg(property)],
        }
    }

    fn value(property: &Property, matches: &ArgMatches) -> Option<Value> {
        if property.name != "second" {
            return value(property, matches);
        }
        let [release, original] = SECOND.map(|name| matches.get_one::<String>(name));
        Some(json!([release?, original?]))
    }

    fn print(found: &Attacks, _request: &Map<String, Value>) {
        print(found);
    }
}

/// The options of a second release and its original.
const SECOND: [&str; 2] = ["with", "second-original"];

fn second() -> Vec<Arg> {
    let [with, original] = SECOND.map(|name| Arg::new(name).long(name).value_parser(path()));
    let with =
        with.value_name("RELEASE").requires(SECOND[1]).help("A second release of some of the same people");
    let original = original.value_name("TABLE").requires(SECOND[0]);
    vec![with, original.help("The table that the second release was made of")]
}

fn print(found: &Attacks) {
    line(format_args!(
        "{} released records; the original has {}{}",
        grouped(found.records),
        grouped(found.original_records),
        found.original_people.map_or(String::new(), |people| format!(", of {} people", grouped(people)))
    ));
    line(format_args!(
        "rate: how often the attack succeeds; interval: holds the true rate with {} % confidence;",
        found.confidence * 100.0
    ));
    line("baseline: the same adversary without the release");
    for note in &found.notes {
        line(format_args!("note: {note}"));
    }
    found.attacks.iter().for_each(print_attack);
}

fn print_attack(tried: &Tried) {
    let outcome = &tried.outcome;
    line("");
    let targets = outcome.targets.map_or(String::new(), |number| format!(" ({} people)", grouped(number)));
    line(format_args!("{}: {}?{targets}", outcome.attack, outcome.summary));
    if let Some(reason) = &outcome.left_out {
        line(format_args!("  not tried: {reason}"));
        return;
    }
    let width = outcome.figures.iter().map(|figure| terminal::width(&figure.what)).max().unwrap_or(0);
    line(format!("  {:<width$}  {:>8}  {:>19}  {:>8}", "", "rate", "interval", "baseline"));
    outcome.figures.iter().for_each(|figure| print_figure(figure, width));
    for note in &outcome.notes {
        line(format_args!("  note: {note}"));
    }
    if let Some(person) = &tried.person {
        let values: Vec<String> = person.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        line(format_args!("  most is learned about: {}", values.join(", ")));
    }
}

fn print_figure(figure: &Figure, width: usize) {
    let interval =
        figure.interval.map_or(String::new(), |[low, high]| format!("{} … {}", number(low), number(high)));
    let baseline = figure.baseline.map_or(String::new(), number);
    let (what, rate) = (&figure.what, number(figure.rate));
    let text = format!("  {}  {rate:>8}  {interval:>19}  {baseline:>8}", terminal::padded(what, width));
    let bounds = figure.at_least.map_or(String::new(), |least| format!("  (at least {})", number(least)));
    line(format!("{}{bounds}", text.trim_end()));
}

/// Four decimals, six of small numbers.
fn number(number: f64) -> String {
    if number != 0.0 && number.abs() < 0.01 { format!("{number:.6}") } else { format!("{number:.4}") }
}
