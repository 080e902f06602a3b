use serde_json::{Map, Value};
use velamen_assess::operation::{Check, CheckAnswer};
use velamen_job::Check as Checked;

use super::entry::Command;
use super::operation::Shown;
use crate::terminal::{counted, error, summary, warning};

pub(super) const COMMAND: Command = Command::showing::<Check>();

impl Shown for Check {
    const EXAMPLES: &'static str = "\
Examples:
  velamen check recipe.toml
      Lists all mistakes that show without the table: keys, roles, hierarchies, models, the
      output's place. At most one is listed for each attribute, model and section.
  velamen check recipe.toml --data
      Also reads the table: columns, values outside hierarchies, columns that look like identifiers.
  velamen check recipe.toml --json
      Prints mistakes with file, line and key, for editors.

Writes nothing and spends no budget. The exit codes are those of `velamen anonymize`.";
    const JSON_BEFORE: &'static str = "show-values";

    fn json(found: &CheckAnswer) -> String {
        serde_json::to_string(found).unwrap_or_default()
    }

    fn print(found: &CheckAnswer, request: &Map<String, Value>) {
        match &found.report.check {
            Some(checked) => print(checked, request),
            // The last one is shown as that of any command.
            None => found.others.iter().for_each(error),
        }
    }
}

/// What is said where no record was counted.
fn unread(request: &Map<String, Value>) -> &'static str {
    match request.get("data").and_then(Value::as_bool) {
        Some(true) => "; the tables were read and nothing was released",
        _ => "; the table was not read (--data reads it, and finds more)",
    }
}

fn print(checked: &Checked, request: &Map<String, Value>) {
    let recipe = request["recipe"].as_str().unwrap_or_default();
    checked.warnings.iter().for_each(warning);
    match checked.data {
        None => summary(format_args!("{recipe}: no mistake found{}", unread(request))),
        Some(data) => summary(format_args!(
            "{recipe}: no mistake found; read {} in {} and released none",
            counted(data.records, "record"),
            counted(data.combinations as u64, "distinct combination")
        )),
    }
}
