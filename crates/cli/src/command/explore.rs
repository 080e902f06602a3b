use std::path::PathBuf;

use clap::Args;
use velamen_job::{Front, Session, Solution};
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner, seed_of};
use crate::terminal::line;

/// List the releases that a recipe could make and that no other beats
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen explore recipe.toml --set method.name=optimal
  velamen explore recipe.toml --set method.name=optimal --set method.suppression-limit=0.2 --top 5
  velamen explore recipe.toml --json

A release beats another if it is better in the method's figure, in the highest risk, or in the share of
suppressed and counterfeit records, and worse in none. Nothing is released. --set makes one: give it to
`velamen anonymize`. The exact figures are for the custodian alone.")]
pub(crate) struct Explore {
    /// The recipe, a TOML file
    recipe: PathBuf,
    /// The table, instead of the recipe's
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Show so many at most, the best figure first
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Look for so many seconds at most
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
        let overrides = Overrides { input: self.input, output: None, seed: None, set: self.set };
        let recipe = Recipe::load(&self.recipe, &overrides)?.resolve(&self.recipe)?;
        let runner = Runner::start(&self.common, false)?;
        let seed = seed_of(&recipe)?;
        let mut front = runner.with(&seed, |context| {
            let loaded = Session::open(&recipe, &self.recipe, false, context)?.read(context)?;
            loaded.front(self.seconds, &mut |_| (), context)
        })?;
        if let Some(top) = self.top {
            front.solutions.truncate(top);
        }
        if self.json {
            let value = serde_json::to_value(&front).unwrap_or_default();
            line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            print(&front);
        }
        Ok(())
    }
}

fn print(front: &Front) {
    if let Some(note) = &front.note {
        line(note);
        return;
    }
    let figure = &front.figure;
    line(format_args!(
        "{figure:>12} {:>12} {:>10} {:>11} {:>12} {:>8}  levels",
        "highest risk", "mean risk", "suppressed", "counterfeits", "classes"
    ));
    front.solutions.iter().for_each(row);
    line("");
    line(match (front.solutions.is_empty(), front.partial) {
        (true, _) => "No node keeps the promises: relax a model or raise the suppression limit.",
        (false, false) => "Every combination of levels was looked at: no other beats one of these.",
        (false, true) => "Not every combination of levels was looked at: others may beat these.",
    });
    if let Some(first) = front.solutions.iter().find(|solution| !solution.set.is_empty()) {
        let set: Vec<String> = first.set.iter().map(|set| format!("--set {set}")).collect();
        line(format_args!("The first is made by: velamen anonymize RECIPE {}", set.join(" ")));
    }
}

fn row(solution: &Solution) {
    let Solution { value, highest_risk, mean_risk, suppressed, counterfeits, classes, .. } = solution;
    let levels: Vec<String> = solution.levels.iter().map(|(name, level)| format!("{name} {level}")).collect();
    let levels = if levels.is_empty() { "of their own".to_owned() } else { levels.join(", ") };
    line(format_args!(
        "{value:>12.4} {highest_risk:>12.4} {mean_risk:>10.5} {suppressed:>11} {counterfeits:>12} {classes:>8}  {levels}"
    ));
}
