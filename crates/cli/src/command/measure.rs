use serde_json::{Map, Value};
use velamen_assess::operation::{Measure, Measured};
use velamen_measure::measure::explain;

use super::entry::Command;
use super::linked;
use super::operation::Shown;
use super::print_figures;
use crate::terminal::{line, plain};

pub(super) const COMMAND: Command = Command::showing::<Measure>();

impl Shown for Measure {
    const EXAMPLES: &'static str = "\
Examples:
  velamen measure release/data.csv --qi age,sex,zip --sensitive diagnosis
  velamen measure table.parquet --qi age,sex --sensitive diagnosis,drug --json
  velamen measure stays.csv --qi age,sex --sensitive diagnosis --person patient
      Counts people, where a person can have several records.
  velamen measure release
      Uses the release's own quasi-identifiers and sensitive attributes, and adds utility figures.
  velamen measure release-of-linked-tables
      The largest k for one, two and three known codes, and who is alone by theirs.
  velamen measure table2.csv --qi work,country --sensitive disease --original table1.csv --by index
      Shows how much information a table of any program lost compared with its original.
  velamen measure table1.csv --qi work,country --sensitive disease --records 1,2 --by index
      The same for generalizing two records together: their distance.";

    fn print(measured: &Measured, _request: &Map<String, Value>) {
        if let Measured::Linked(found) = measured {
            return linked::figures(found);
        }
        let mut value = serde_json::to_value(measured).unwrap_or_default();
        let mut taken = |name| value.as_object_mut().and_then(|value| value.remove(name));
        let (utility, information) = (taken("utility"), taken("information"));
        let (promised, similar) = (taken("promised-people"), taken("similar"));
        print("", "", &value);
        if let Some(similar) = similar.as_ref().and_then(Value::as_object) {
            print_similar(similar, value.get("people").is_some());
        }
        if let Some(utility) = utility.as_ref().and_then(Value::as_object) {
            line("utility figures that the released table shows, with each metric's usual options:");
            print_figures(utility);
        }
        if let Some(information) = &information {
            print_information(information);
        }
        if let Some(least) = &promised {
            line(format!(
                "Note: people can have several records, and the release does not tell whose they are: the figures count records; \
                 {least} people in each class are promised."
            ));
        }
    }
}

/// How many are in groups that tell a sensitive value or nearly, by attribute.
fn print_similar(similar: &Map<String, Value>, people: bool) {
    line(format!("{} in groups that tell more than l says:", if people { "people" } else { "records" }));
    let rows = [
        ("value", "All of the group have one value."),
        ("parent", "All have values with one parent in the hierarchy, though not one value."),
        ("near", "All have numbers within 5 % of the range (from the 5th to the 95th percentile)."),
    ];
    for (name, found) in similar {
        line(format!("  {name}"));
        for (kind, meaning) in rows {
            line(format!("    {kind:<18} {:<9} {meaning}", plain(&found[kind])));
        }
    }
}

/// What was lost and what is told, in bits by record.
fn print_information(information: &Value) {
    let row = |name: &str, figure: &Value, meaning: &str| {
        line(format!("{name:<20} {:<9} {meaning}", plain(figure)).trim_end());
    };
    let each = |of: &Value, each: &dyn Fn(&str, &Value)| {
        of.as_object().into_iter().flatten().for_each(|(name, value)| each(name, value));
    };
    line("information, in bits by record:");
    row("conditional-entropy", &information["conditional-entropy"], "Lost of the quasi-identifiers (CE).");
    each(&information["by-attribute"], &|name, lost| row(&format!("  {name}"), lost, ""));
    each(&information["sensitive"], &|name, told| {
        line(name);
        row("  entropy", &told["entropy"], "The information to be learned.");
        row("  mutual-information", &told["mutual-information"], "Revealed by the quasi-identifiers (MI).");
        row("  distance", &told["distance"], "CE + MI.");
    });
}

/// One line per figure with its meaning. `place` is the path of the object at hand, `*` for the
/// name of an attribute.
fn print(indent: &str, place: &str, value: &Value) {
    for (name, figure) in value.as_object().into_iter().flatten() {
        let path = format!("{place}{name}");
        if figure.is_object() {
            // Figures by the definitions of another tool are for comparison by programs.
            if name != "pycanon" {
                line(format_args!("{indent}{name}"));
                let below = if path == "sensitive" { "sensitive." } else { "sensitive.*." };
                print(&format!("{indent}  "), below, figure);
            }
            continue;
        }
        let meaning = explain().iter().find(|(known, _)| *known == path).map_or("", |(_, meaning)| meaning);
        line(format!("{indent}{name:<18} {:<9} {meaning}", plain(figure)).trim_end());
    }
}
