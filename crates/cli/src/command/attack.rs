use clap::{Arg, ArgMatches, value_parser};
use serde_json::{Map, Value, json};
use velamen_assess::operation::{Attack, Attacked, Property};
use velamen_assess::{Attack as Tried, Attacks};
use velamen_measure::risk::attack::Figure;
use velamen_patients::{LinkedAttack, Targets};

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
  velamen attack release --original patients.csv --recipe recipe.toml --attacks simulation --simulate 20
      Learns from 20 runs of the recipe how to tell counterfeits.
  velamen attack release --original omop --background 2
      Of linked tables: what somebody finds who knows 2 of a person's codes, and the day of one.

Attacks: linkage, inference, background, presence, minimality, counterfeits, composition,
control, simulation, membership.";
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

    fn print(found: &Attacked, _request: &Map<String, Value>) {
        match found {
            Attacked::Linked(found) => print_linked(found),
            Attacked::Table(found) => print(found),
        }
    }
}

/// The options of a second release and its original.
const SECOND: [&str; 2] = ["with", "second-original"];

fn second() -> Vec<Arg> {
    let [release, table] = SECOND;
    let [with, original] = SECOND.map(|name| Arg::new(name).long(name).value_parser(path()));
    let with = with.value_name("RELEASE").requires(table).help("A second release of some of the same people");
    let original = original.value_name("TABLE").requires(release);
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

/// Of linked tables: a row for each thing that is known of the persons.
fn print_linked(found: &LinkedAttack) {
    line(format_args!(
        "{} released persons; the original has {}. The adversary knows {} of a person's codes and all released person columns",
        grouped(found.persons),
        grouped(found.original_persons),
        found.m
    ));
    line(
        "alone: one candidate, and it is the person; chance: of the right person among the candidates, on average;",
    );
    line("misled: one candidate, and it is another person; nobody: no candidate");
    print_targets("released persons", &found.released);
    print_targets("persons who were left out", &found.left_out);
    let traces = &found.traces;
    line("");
    line(format_args!(
        "{} released rows of {} persons stand where codes were removed; alone by the code of one: {} persons",
        grouped(traces.rows),
        grouped(traces.persons),
        grouped(traces.alone)
    ));
}

fn print_targets(whose: &str, found: &Targets) {
    line("");
    line(format_args!("{whose} ({} looked for)", grouped(found.targets)));
    line(format!("  {:<27}  {:>8}  {:>8}  {:>8}  {:>8}", "", "alone", "chance", "misled", "nobody"));
    let rows = [
        ("codes drawn at random", Some(&found.codes)),
        ("… and the day of one", Some(&found.codes_and_day)),
        ("the codes that tell most", found.worst_codes.as_ref()),
        ("… and the day of one", found.worst_codes_and_day.as_ref()),
    ];
    for (known, shares) in rows.into_iter().filter_map(|(known, shares)| Some((known, shares?))) {
        let [alone, chance, misled, nobody] =
            [shares.alone, shares.chance, shares.misled, shares.nobody].map(number);
        line(format!("  {known:<27}  {alone:>8}  {chance:>8}  {misled:>8}  {nobody:>8}"));
    }
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
