use serde_json::{Map, Value};
use velamen_assess::evidence::{Evidence as Filled, markdown};
use velamen_assess::operation::Evidence;

use super::entry::Command;
use super::operation::Shown;
use crate::terminal::{line, note};

pub(super) const COMMAND: Command = Command::showing::<Evidence>();

impl Shown for Evidence {
    const EXAMPLES: &'static str = "\
Examples:
  velamen evidence release --for ema-0070 --output form.html
  velamen evidence release --for ema-0070 --answers answers.toml --output form.md
      Writes answers.toml for what no check can fill; write into it and run the command again.
  velamen evidence release --for ema-0070 --custodian release.custodian --output form.html
      Also the risk of the original records. The form is then yours alone: never publish it.

Each figure of the form has the command that shows it again; it needs jq.

Exit code 0: the form is filled as far as checks can; 3: the release does not keep what it promises;
8: the form is filled, and a promise was not checked.";

    fn print(filled: &Filled, request: &Map<String, Value>) {
        match request.get("output").and_then(Value::as_str) {
            Some(file) => line(format!("{}\nwritten  {file}", filled.first_line())),
            None => line(markdown(filled).trim_end()),
        }
    }

    fn after(filled: &Filled) {
        filled.remarks.iter().for_each(note);
        if filled.custodian {
            note("the form has figures of the original records: it is for the custodian alone");
        }
    }
}
