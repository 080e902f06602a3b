mod print;

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use velamen_assess::risk::{AskedPopulation, RiskRequest, risk};
use velamen_recipe::JobError;

use super::{Common, ReadArgs, Runner};
use crate::terminal::line;

/// Estimate the re-identification risk of each record of a table or release
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("of").args(["population", "population_size"])), after_help = "\
Examples:
  velamen risk patients.csv --qi age,sex,zip
      Class sizes, the risk against three adversaries, and the records that stand out.
  velamen risk patients.csv --qi age,sex,zip --population-size 250000
      Also how many records are unique among 250,000, of which the table is a random sample.
  velamen risk release --before patients.csv
      A release beside its original.
  velamen risk patients.csv --qi age,sex,zip --rows 20
      For the custodian: which records are at the highest risk.")]
pub(crate) struct Risk {
    /// The table, in any format that can be read, or a release folder; - is standard input
    table: PathBuf,
    /// The quasi-identifiers; required for a table
    #[arg(long, value_delimiter = ',', value_name = "A,B,C")]
    qi: Vec<String>,
    /// The population's table, which contains every record of the table
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// How many records the population has, of which the table is a random sample
    #[arg(long, value_name = "N")]
    population_size: Option<u64>,
    /// A table, such as a release's original, to show before it
    #[arg(long, value_name = "TABLE", alias = "original")]
    before: Option<PathBuf>,
    /// A threshold, in addition to the usual ones
    #[arg(long, value_name = "R")]
    threshold: Option<f64>,
    /// The most attributes to combine when looking for special uniques; 0 looks for none
    #[arg(long, value_name = "N", default_value_t = 3)]
    special_uniques: usize,
    /// Also list the row numbers of the N riskiest records of a table
    #[arg(long, value_name = "N", default_value_t = 0)]
    rows: usize,
    /// Show the quasi-identifier values of the riskiest records
    #[arg(long, requires = "rows")]
    show_values: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl Risk {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let named = runner.table(self.table)?;
        let seed = velamen_dp::Seed::from_number(0);
        let mut read = self.read.options()?;
        read.show_values = self.show_values;
        let table = self.population.map(|path| AskedPopulation::Table(path.into()));
        let request = RiskRequest {
            table: named.path.clone().into(),
            read,
            qis: self.qi,
            population: table.or_else(|| self.population_size.map(AskedPopulation::Size)),
            before: self.before.map(Into::into),
            threshold: self.threshold,
            special_uniques: self.special_uniques,
            rows: self.rows,
            show_values: self.show_values,
        };
        let report = runner.with(&seed, |context| risk(&request, context))?;
        match self.json {
            true => line(serde_json::to_string_pretty(&report).unwrap_or_default()),
            false => print::report(&report),
        }
        Ok(())
    }
}
