use serde_json::{Map, Value};
use velamen_assess::leak::{LeakFigures, Leaks};
use velamen_assess::operation::Leak;

use super::entry::Command;
use super::operation::Shown;
use crate::terminal::{self, grouped, line};

pub(super) const COMMAND: Command = Command::showing::<Leak>();

impl Shown for Leak {
    const EXAMPLES: &'static str = "\
Examples:
  velamen leak patients.csv
  velamen leak patients.csv --attributes age,sex,zip --up-to 3
  velamen leak patients.csv --up-to 4 --top 10
      The ten sets of at most four attributes that leak most.
  velamen leak patients.csv --after release
      Each attribute before and after anonymization.
  velamen leak patients.csv --after release --up-to 2 --limit 0.3
      Ends with exit code 9 if an attribute or a pair leaks more than 30 % in the release.";

    fn print(leaks: &Leaks, _request: &Map<String, Value>) {
        print(leaks);
    }
}

/// One line per set; what is known of nobody comes first.
fn print(leaks: &Leaks) {
    let start = |records: u64, initial: f64| format!("{} records, {initial:.3} bits", grouped(records));
    let after = leaks.after.as_ref().map(|after| start(after.records, after.initial));
    let shown = |text: &String| format!(" before; {text} after");
    line(format!("{}{}", start(leaks.records, leaks.initial), after.as_ref().map(shown).unwrap_or_default()));
    let name = |names: &[String]| names.join(", ");
    let width =
        leaks.sets.iter().map(|set| terminal::width(&name(&set.attributes))).max().unwrap_or(0).max(10);
    let heading = format!("{:>10}  {:>7}  {:>5}", "partitions", "bits", "share");
    let second = if leaks.after.is_some() { format!("  |  {heading}") } else { String::new() };
    line(format!("{:<width$}  {heading}{second}", "attributes"));
    for set in &leaks.sets {
        let second = set.after.as_ref().map(|after| format!("  |  {}", row(after))).unwrap_or_default();
        let names = terminal::padded(&name(&set.attributes), width);
        line(format!("{names}  {}{second}", row(&set.before)));
    }
    leaks.notes.iter().for_each(|note| line(format!("note: {note}")));
}

fn row(figures: &LeakFigures) -> String {
    format!("{:>10}  {:>7.3}  {:>5.3}", grouped(figures.partitions as u64), figures.loss, figures.normalised)
}
