use serde_json::{Map, Value};
use velamen_assess::diff::{Change, Diff as Found, RecordsDiff};
use velamen_assess::operation::Diff;

use super::entry::Command;
use super::operation::Shown;
use crate::table::TextTable;
use crate::terminal::{grouped, line, plain};

/// Longer values are not printed, but for JSON.
const LONGEST: usize = 60;

pub(super) const COMMAND: Command = Command::showing::<Diff>();

impl Shown for Diff {
    const EXAMPLES: &'static str = "\
Examples:
  velamen diff june july
      Recipe, levels, figures, risk, promises and records that differ, from the two folders alone.
  velamen diff june july --json | jq '.records'

Records are compared by the columns that both have, without class ids. The exit code is 0 whether
or not the releases differ.";

    fn print(found: &Found, _request: &Map<String, Value>) {
        print(found);
    }
}

fn print(found: &Found) {
    if found.is_empty() {
        line("nothing changed: the same facts, and the same records in any order");
        return;
    }
    section("recipe", &found.recipe);
    section("levels", &found.levels);
    section("figures", &found.figures);
    section("risk", &found.risk);
    section("promises", &found.promises);
    records(&found.records);
}

fn section(title: &str, changes: &[Change]) {
    if changes.is_empty() {
        return;
    }
    line(title);
    let mut table = TextTable::plain(2);
    for change in changes {
        let (before, after) = (short(&change.before), short(&change.after));
        let both = if before == after {
            "changed (--json shows both)".into()
        } else {
            format!("{before} → {after}")
        };
        table.row(vec![change.what.clone(), both]);
    }
    table.print_indented();
}

/// A value in a few words.
fn short(value: &Value) -> String {
    let text = match (value, value["rows"].as_array()) {
        (Value::Null, _) => "absent".to_owned(),
        (_, Some(rows)) => format!("a table of {} values", rows.len()),
        _ => plain(value),
    };
    if text.chars().count() <= LONGEST { text } else { "a long value".to_owned() }
}

fn records(records: &RecordsDiff) {
    let RecordsDiff { columns_before, columns_after, both, only_before, only_after, .. } = records;
    let mut table = TextTable::plain(2);
    for (what, columns) in [("columns gone", columns_before), ("new columns", columns_after)] {
        if !columns.is_empty() {
            table.row(vec![what.to_owned(), columns.join(", ")]);
        }
    }
    for (what, number) in
        [("in both", both), ("in the first alone", only_before), ("in the second alone", only_after)]
    {
        table.row(vec![what.to_owned(), grouped(*number)]);
    }
    line("records");
    table.print_indented();
}
