use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use velamen_job::{Front, Session, Solution};
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner, seed_of};
use crate::table::{Side, Table};
use crate::terminal::{grouped, line};

/// List the possible releases of a recipe that no other one beats
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen explore recipe.toml --set method.name=optimal
  velamen explore recipe.toml --set method.name=optimal --set method.suppression-limit=0.2 --top 5
  velamen explore recipe.toml --json

A release beats another if it is better in at least one of these, and worse in none: the method's
figure, the highest risk, and the share of suppressed and counterfeit records. Nothing is released:
give a release's --set to `velamen anonymize` to make it. The exact figures are for the custodian
only.")]
pub(crate) struct Explore {
    /// The recipe, a TOML file
    recipe: PathBuf,
    /// The table, instead of the recipe's
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Show at most this many, the best figure first
    #[arg(long, value_name = "N")]
    top: Option<NonZero<u16>>,
    /// Search for at most this many seconds
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    common: Common,
}

impl Explore {
    pub(super) fn run(self) -> Result<(), JobError> {
        if let Some(seconds) = self.seconds.filter(|seconds| !(*seconds > 0.0 && seconds.is_finite())) {
            return Err(JobError::Usage(format!("--seconds {seconds}: expected a number above 0")));
        }
        let given = self.given();
        let overrides = Overrides { input: self.input, output: None, seed: None, set: self.set };
        let recipe = Recipe::load(&self.recipe, &overrides)?.resolve(&self.recipe)?;
        let runner = Runner::start(&self.common, false)?;
        let seed = seed_of(&recipe)?;
        let mut front = match Front::without_figures(&recipe) {
            Some(front) => front,
            None => runner.with(&seed, |context| {
                let loaded = Session::open(&recipe, &self.recipe, false, context)?.read(context)?;
                loaded.front(self.seconds, &mut |_| (), context)
            })?,
        };
        let closing = closing(&front);
        front.solutions.truncate(self.top.map_or(usize::MAX, |top| usize::from(top.get())));
        if self.json {
            let value = serde_json::to_value(&front).unwrap_or_default();
            line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            print(&front, closing, &given);
        }
        Ok(())
    }
}

impl Explore {
    /// The command that makes a release, up to the levels.
    fn given(&self) -> Vec<String> {
        let input = self.input.iter().flat_map(|input| ["--input".into(), input.display().to_string()]);
        let set = self.set.iter().flat_map(|set| ["--set".into(), set.clone()]);
        [self.recipe.display().to_string()].into_iter().chain(input).chain(set).collect()
    }
}

/// A word as a shell reads it.
fn word(text: &str) -> String {
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
    let mut table = Table::new(&[
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
