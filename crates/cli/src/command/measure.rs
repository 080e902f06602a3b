use std::path::PathBuf;

use clap::Args;
use velamen_assess::{measure_release, measure_table};
use velamen_measure::measure::{Options, explain};
use velamen_recipe::JobError;

use super::{Common, ReadArgs, Runner, print_figures};
use crate::terminal::{line, plain};

/// Tell which privacy parameters any table satisfies
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen measure release/data.csv --qi age,sex,zip --sensitive diagnosis
  velamen measure table.parquet --qi age,sex --sensitive diagnosis,drug --json
  velamen measure release
      A release's own quasi-identifiers and sensitive attributes, and what it shows of its utility.")]
pub(crate) struct Measure {
    /// The table, in any format that can be read, or a release folder
    table: PathBuf,
    /// The quasi-identifiers; required for a table
    #[arg(long, value_delimiter = ',', value_name = "A,B,C")]
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
        let (read, options) = (self.read.clone().options()?, Options { l: self.l });
        let value = runner.with(&seed, |context| match self.of_release()? {
            true => Ok(serde_json::to_value(measure_release(&self.table, &options, context)?)),
            false => {
                let (qis, sensitive) = (&self.qi, &self.sensitive);
                let measures =
                    measure_table(&self.table.clone().into(), &read, qis, sensitive, &options, context)?;
                Ok(serde_json::to_value(measures))
            }
        })?;
        let mut value = value.unwrap_or_default();
        if self.json {
            line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            let utility = value.as_object_mut().and_then(|value| value.remove("utility"));
            print("", "", &value);
            if let Some(utility) = utility.as_ref().and_then(serde_json::Value::as_object) {
                line("utility figures that the released table shows:");
                print_figures(utility);
            }
        }
        Ok(())
    }

    /// Whether a release's folder is measured, by its own manifest.
    fn of_release(&self) -> Result<bool, JobError> {
        let folder = self.table.is_dir();
        let named = !self.qi.is_empty() || !self.sensitive.is_empty();
        match (folder, named) {
            (true, true) => {
                let message = "a release names its quasi-identifiers itself: leave out --qi and --sensitive";
                Err(JobError::Usage(message.into()))
            }
            (false, _) if self.qi.is_empty() => {
                Err(JobError::Usage("--qi: name the quasi-identifiers of a table".into()))
            }
            _ => Ok(folder),
        }
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
