use std::path::PathBuf;

use clap::Args;
use velamen_core::measure::{Options, explain};
use velamen_job::{JobError, measure_file};

use super::{Common, ReadArgs, Runner};
use crate::terminal::{line, plain};

/// Tell which privacy parameters any table satisfies
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen measure release/data.csv --qi age,sex,zip --sensitive diagnosis
  velamen measure table.parquet --qi age,sex --sensitive diagnosis,drug --json")]
pub(crate) struct Measure {
    /// The table, in any format that can be read
    table: PathBuf,
    /// The quasi-identifiers
    #[arg(long, value_delimiter = ',', required = true, value_name = "A,B,C")]
    qi: Vec<String>,
    /// The sensitive attributes
    #[arg(long, value_delimiter = ',', value_name = "S")]
    sensitive: Vec<String>,
    /// The l of recursive (c, l)-diversity; the table's own distinct l when left out
    #[arg(long)]
    l: Option<u32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl Measure {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let seed = velamen_dp::Seed::from_number(0);
        let (read, options) = (self.read.options()?, Options { l: self.l });
        let measures = runner.with(&seed, |context| {
            measure_file(&self.table, &read, &self.qi, &self.sensitive, &options, context)
        })?;
        let value = serde_json::to_value(&measures).unwrap_or_default();
        if self.json {
            line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            print("", "", &value);
        }
        Ok(())
    }
}

/// One line per figure with its meaning. `place` is the path of the object at hand, `*` for the
/// name of an attribute.
fn print(indent: &str, place: &str, value: &serde_json::Value) {
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
