use serde_json::{Map, Value};
use velamen_assess::advise::{Advice, ChangeFigures};
use velamen_assess::operation::Advise;

use super::entry::Command;
use super::explore::word;
use super::operation::Shown;
use crate::table::{Side, TextTable};
use crate::terminal::line;

pub(super) const COMMAND: Command = Command::showing::<Advise>();

impl Shown for Advise {
    const EXAMPLES: &'static str = "\
Examples:
  velamen advise recipe.toml
  velamen advise recipe.toml --within 60
  velamen advise recipe.toml --analysis 'stay ~ age + sex'
      Also measures how far the confidence intervals of the analysis overlap, and sorts by it.

Each change is made by itself and measured: without a column, another k, another limit of
suppression, other levels, another method. A column that is dropped counts as lost. Give the --set of
a change to `velamen anonymize` to make it. A smaller loss can come with a higher risk: look at both.
The exact figures are for the custodian only.";

    fn print(advice: &Advice, _request: &Map<String, Value>) {
        print(advice);
    }
}

fn print(advice: &Advice) {
    let right = |name| (name, Side::Right);
    let mut table = TextTable::new(&[
        right("loss"),
        right("highest risk"),
        right("suppressed"),
        right("overlap"),
        ("change", Side::Left),
        ("set", Side::Left),
    ]);
    table.row(cells(&advice.now, "the recipe as it is", ""));
    for change in &advice.changes {
        table.row(cells(&change.figures, &change.change, &flags(&change.set)));
    }
    table.print();
    for (what, changes) in [
        ("no release, or not these analyses", &advice.impossible),
        ("not tried in this time", &advice.not_tried),
    ] {
        if !changes.is_empty() {
            line(format_args!("{what}: {}", changes.join("; ")));
        }
    }
}

/// The changes as the command line takes them.
fn flags(set: &[String]) -> String {
    let each = set.iter().map(|set| format!("--set {}", word(set)));
    each.collect::<Vec<_>>().join(" ")
}

fn cells(figures: &ChangeFigures, change: &str, set: &str) -> Vec<String> {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    vec![
        format!("{:.3}", figures.loss),
        format!("{:.3}", figures.highest_risk),
        percent(figures.changed),
        figures.mean_overlap.map_or("-".into(), percent),
        change.to_owned(),
        set.to_owned(),
    ]
}
