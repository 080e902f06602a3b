mod print;

use serde_json::{Map, Value};
use velamen_assess::operation::{Risk, RiskFound};

use super::entry::Command;
use super::linked;
use super::operation::Shown;

pub(super) const COMMAND: Command = Command::showing::<Risk>();

impl Shown for Risk {
    const EXAMPLES: &'static str = "\
Examples:
  velamen risk patients.csv --qi age,sex,zip
      Class sizes, the risk against three adversaries, and the records that stand out.
  velamen risk patients.csv --qi age,sex,zip --population-size 250000
      Also how many records are unique among 250,000, of which the table is a random sample.
  velamen risk stays.csv --qi age,sex --person patient
      Counts people, where a person can have several records.
  velamen risk release --before patients.csv
      A release beside its original.
  velamen risk patients.csv --qi age,sex,zip --rows 20
      For the custodian: which records are at the highest risk.
  velamen risk export --recipe linked.toml
      Linked tables before a run: who is alone by codes, person columns and days.
  velamen risk release-of-linked-tables
      The same of what is released.";

    fn print(found: &RiskFound, _request: &Map<String, Value>) {
        match found {
            RiskFound::Linked(found) => linked::risk(found),
            RiskFound::Table(report) => print::report(report),
        }
    }
}
