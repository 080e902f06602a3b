mod text;

use serde_json::{Map, Value};
use velamen_assess::Comparison;
use velamen_assess::operation::Compare;

use super::entry::Command;
use super::operation::Shown;

pub(super) const COMMAND: Command = Command::showing::<Compare>();

impl Shown for Compare {
    const EXAMPLES: &'static str = "\
For the custodian: the figures are computed from the original records. A released value counts \
equally for all leaves that it covers, and counterfeits are subtracted as far as the catalog lists \
them. If counterfeits or local recoding hide which record became which, the metrics are those of \
the released table.

Examples:
  velamen compare patients.csv release
  velamen compare patients.csv release --null NA --json
  velamen compare patients.csv release --only queries --workload questions.sql --show-queries
      A line of questions.sql: SELECT COUNT(*) WHERE age >= 60 AND sex = 'F' GROUP BY diagnosis
  velamen compare patients.csv release --analysis 'stay ~ age + sex'
      Estimates the regression on both tables and compares the confidence intervals.
  velamen compare patients.csv release --analysis analyses.toml --html analyses.html
      A file has any number of them: [[analysis]] with kind and formula (docs/methods/analysis.md).
  velamen compare patients.csv release --target outcome
      Also trains classifiers that predict the outcome.";

    fn print(found: &Comparison, _request: &Map<String, Value>) {
        text::print(found);
    }
}
