use serde_json::{Map, Value};
use velamen_assess::operation::Explore;
use velamen_job::{Front, Solution};

use super::entry::Command;
use super::operation::Shown;
use crate::table::{Side, TextTable};
use crate::terminal::{grouped, line};

pub(super) const COMMAND: Command = Command::showing::<Explore>();

impl Shown for Explore {
    const EXAMPLES: &'static str = "\
Examples:
  velamen explore recipe.toml --set method.name=optimal
  velamen explore recipe.toml --set method.name=optimal --set method.suppression-limit=0.2 --top 5
  velamen explore recipe.toml --json

A release beats another if it is better in at least one of these, and worse in none: the method's
figure, the highest risk, and the share of suppressed and counterfeit records. Nothing is released:
give a release's --set to `velamen anonymize` to make it. The exact figures are for the custodian
only.";

    fn print(front: &Front, request: &Map<String, Value>) {
        print(front, closing(front), &given(request));
    }
}

/// The command that makes a release, up to the levels.
fn given(request: &Map<String, Value>) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let recipe = request.get("recipe").map(text);
    let input = request.get("input").into_iter().flat_map(|input| ["--input".into(), text(input)]);
    let set = request.get("set").and_then(Value::as_array).into_iter().flatten();
    let set = set.flat_map(|set| ["--set".into(), text(set)]);
    recipe.into_iter().chain(input).chain(set).collect()
}

/// A word as a shell reads it.
pub(super) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=,:+".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// What can be said of the solutions together.
fn closing(front: &Front) -> &'static str {
    match (front.nodes, front.solutions.is_empty(), front.partial) {
        (false, ..) => {
            "The method has no lattice nodes to choose from: this is the one release that it makes."
        }
        (true, true, _) => "In this time no combination of levels was found that keeps the promises.",
        (true, false, false) => "Every combination of levels was looked at: no other beats one of these.",
        (true, false, true) => "Not every combination of levels was looked at: others may beat these.",
    }
}

fn print(front: &Front, closing: &str, given: &[String]) {
    if let Some(note) = &front.note {
        line(note);
        return;
    }
    let right = |name| (name, Side::Right);
    let mut table = TextTable::new(&[
        right(front.figure.as_str()),
        right("highest risk"),
        right("mean risk"),
        right("suppressed"),
        right("counterfeits"),
        right("classes"),
        ("levels", Side::Left),
    ]);
    front.solutions.iter().for_each(|solution| table.row(row(solution)));
    table.print();
    line("");
    line(closing);
    if let Some(first) = front.solutions.iter().find(|solution| !solution.set.is_empty()) {
        let set = first.set.iter().flat_map(|set| ["--set", set]);
        let words: Vec<String> = given.iter().map(String::as_str).chain(set).map(word).collect();
        line(format_args!("The first is made by: velamen anonymize {}", words.join(" ")));
    }
}

fn row(solution: &Solution) -> Vec<String> {
    let Solution { value, highest_risk, mean_risk, suppressed, counterfeits, classes, .. } = solution;
    let levels: Vec<String> = solution.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
    let levels = if levels.is_empty() { "of their own".to_owned() } else { levels.join(", ") };
    let figures = [format!("{value:.4}"), format!("{highest_risk:.4}"), format!("{mean_risk:.5}")];
    let counts = [suppressed, counterfeits, classes].map(|count| grouped(*count));
    figures.into_iter().chain(counts).chain([levels]).collect()
}
