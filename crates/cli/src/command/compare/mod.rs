mod text;

use std::path::PathBuf;

use clap::Args;
use velamen_assess::compare::{ClassifierOptions, QueryOptions};
use velamen_assess::{CompareOptions, Section, compare};
use velamen_recipe::JobError;

use super::{Common, ReadArgs, Runner};
use crate::terminal::line;

/// Measure what a release keeps of its original: metrics, distributions, associations, queries, classifiers
#[derive(Debug, Args)]
#[command(after_help = "\
For the custodian: the figures are computed from the original records. A released value counts \
equally for all leaves that it covers, and counterfeits are subtracted as far as the catalog lists \
them. If counterfeits or local recoding hide which record became which, the metrics are those of \
the released table.

Examples:
  velamen compare patients.csv release
  velamen compare patients.csv release --null NA --json
  velamen compare patients.csv release --only queries --workload questions.sql --show-queries
      A line of questions.sql: SELECT COUNT(*) WHERE age >= 60 AND sex = 'F' GROUP BY diagnosis
  velamen compare patients.csv release --target outcome
      Also trains classifiers that predict the outcome.")]
pub(crate) struct Compare {
    /// The table that the release was made of, in any format that can be read
    original: PathBuf,
    /// The release folder
    release: PathBuf,
    /// The sections: metrics, distributions, associations, matches, queries, classifiers; if left out, all
    /// but the last
    #[arg(long, value_delimiter = ',', value_name = "A,B,C")]
    only: Vec<Section>,
    /// How many random range queries to ask
    #[arg(long, value_name = "N", default_value_t = QueryOptions::default().ranges,
          value_parser = clap::value_parser!(u32).range(..=100_000))]
    queries: u32,
    /// A file with further queries, one a line
    #[arg(long, value_name = "FILE")]
    workload: Option<PathBuf>,
    /// Also list every query; their conditions hold values of the original
    #[arg(long)]
    show_queries: bool,
    /// Train classifiers that predict this attribute; with `--only classifiers` the first sensitive one
    /// with few values when left out
    #[arg(long, value_name = "ATTRIBUTE")]
    target: Option<String>,
    /// The most records of each table to train classifiers on
    #[arg(long, value_name = "N", default_value_t = ClassifierOptions::default().records,
          value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    classifier_records: u32,
    /// The number of folds for cross-validation
    #[arg(long, value_name = "N", default_value_t = ClassifierOptions::default().folds,
          value_parser = clap::value_parser!(u32).range(2..=20))]
    folds: u32,
    /// The seed of random queries and folds: a whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: velamen_dp::Seed,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl Compare {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let options = CompareOptions {
            only: self.only,
            queries: QueryOptions { ranges: self.queries, workload: self.workload, show: self.show_queries },
            classifiers: ClassifierOptions {
                target: self.target,
                records: self.classifier_records,
                folds: self.folds,
            },
        };
        let read = self.read.options()?;
        let found = runner.with(&self.seed, |context| {
            compare(&self.original.into(), &read, &self.release, &options, context)
        })?;
        if self.json {
            line(serde_json::to_string_pretty(&found).unwrap_or_default());
        } else {
            text::print(&found);
        }
        Ok(())
    }
}
