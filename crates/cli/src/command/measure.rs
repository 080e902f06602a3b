use std::path::PathBuf;

use clap::Args;
use velamen_assess::{Against, information, measure_release, measure_table};
use velamen_measure::measure::{Options, explain};
use velamen_recipe::{Code, JobError};

use super::{Common, ReadArgs, Runner, print_figures};
use crate::terminal::{line, plain};

/// Report which privacy parameters a table satisfies
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen measure release/data.csv --qi age,sex,zip --sensitive diagnosis
  velamen measure table.parquet --qi age,sex --sensitive diagnosis,drug --json
  velamen measure release
      Uses the release's own quasi-identifiers and sensitive attributes, and adds utility figures.
  velamen measure table2.csv --qi work,country --sensitive disease --original table1.csv --by index
      Shows how much information a table of any program lost compared with its original.
  velamen measure table1.csv --qi work,country --sensitive disease --records 1,2 --by index
      The same for generalizing two records together: their distance.")]
pub(crate) struct Measure {
    /// The table, in any format that can be read, or a release folder; - is standard input
    table: PathBuf,
    /// The quasi-identifiers; required for a table
    #[arg(long, value_delimiter = ',', value_name = "A,B,C")]
    qi: Vec<String>,
    /// The sensitive attributes
    #[arg(long, value_delimiter = ',', value_name = "S")]
    sensitive: Vec<String>,
    /// The l of recursive (c, l)-diversity; the table's own distinct l if left out
    #[arg(long)]
    l: Option<u32>,
    /// The table that this one was made of: reports conditional entropy and mutual information
    #[arg(long, value_name = "FILE", requires = "by", conflicts_with = "records")]
    original: Option<PathBuf>,
    /// Records to generalize together, named by the column of --by: reports their distance
    #[arg(long, value_delimiter = ',', value_name = "A,B", requires = "by")]
    records: Vec<String>,
    /// The column that names the records, for --original and --records
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
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
        let table = runner.table(self.table.clone())?;
        let seed = velamen_dp::Seed::from_number(0);
        let (read, options) = (self.read.clone().options()?, Options { l: self.l });
        let value = runner.with(&seed, |context| match self.of_release()? {
            true => Ok(serde_json::to_value(measure_release(&self.table, &options, context)?)),
            false => {
                let (qis, sensitive) = (&self.qi, &self.sensitive);
                let measures =
                    measure_table(&table.path.clone().into(), &read, qis, sensitive, &options, context)?;
                let mut measures = serde_json::to_value(measures).unwrap_or_default();
                if let Some((by, against)) = self.against()? {
                    let named = (&qis[..], &sensitive[..]);
                    let found = information(&table.path, &read, named, (by, &against), context)?;
                    measures["information"] = serde_json::to_value(found).unwrap_or_default();
                }
                Ok(Ok(measures))
            }
        })?;
        let mut value = value.unwrap_or_default();
        if self.json {
            line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            let utility = value.as_object_mut().and_then(|value| value.remove("utility"));
            let information = value.as_object_mut().and_then(|value| value.remove("information"));
            print("", "", &value);
            if let Some(utility) = utility.as_ref().and_then(serde_json::Value::as_object) {
                line("utility figures that the released table shows, with each metric's usual options:");
                print_figures(utility);
            }
            if let Some(information) = &information {
                print_information(information);
            }
        }
        Ok(())
    }

    /// What the table's records are compared with, and the column that names them.
    fn against(&self) -> Result<Option<(&str, Against)>, JobError> {
        let against = match (&self.original, &self.records[..]) {
            (Some(original), _) => Against::Original(original.clone()),
            (None, []) if self.by.is_some() => {
                return Err(JobError::Usage(
                    "--by: name what to compare with by --original or --records".into(),
                ));
            }
            (None, []) => return Ok(None),
            (None, records) => Against::Together(records.to_vec()),
        };
        Ok(self.by.as_deref().map(|by| (by, against)))
    }

    /// Whether a release's folder is measured, by its own manifest.
    fn of_release(&self) -> Result<bool, JobError> {
        let folder = self.table.is_dir();
        let named = !self.qi.is_empty() || !self.sensitive.is_empty();
        if folder && self.by.is_some() {
            let message =
                "--by: a release's records have no names; compare it with its original by `velamen compare`";
            return Err(JobError::Usage(message.into()));
        }
        match (folder, named) {
            (true, true) => {
                let message = "a release names its quasi-identifiers itself: leave out --qi and --sensitive";
                Err(JobError::Usage(message.into()))
            }
            (false, _) if self.qi.is_empty() => {
                Err(JobError::Usage("--qi: name the quasi-identifiers of a table".into())
                    .coded(Code::COLUMNS))
            }
            _ => Ok(folder),
        }
    }
}

/// What was lost and what is told, in bits by record.
fn print_information(information: &serde_json::Value) {
    let row = |name: &str, figure: &serde_json::Value, meaning: &str| {
        line(format!("{name:<20} {:<9} {meaning}", plain(figure)).trim_end());
    };
    let each = |of: &serde_json::Value, each: &dyn Fn(&str, &serde_json::Value)| {
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
