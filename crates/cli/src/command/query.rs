use std::path::PathBuf;

use clap::Args;
use velamen_recipe::JobError;

use super::Common;
use super::entry::{Command, Run};

pub(super) const COMMAND: Command = Command::of::<Query>();

/// Answer a SELECT from a release alone, with bounds on the answer of the original
#[derive(Debug, Args)]
#[command(after_help = "\
Answers COUNT(*), COUNT(column), SUM, AVG and share(condition), with FILTER, WHERE and GROUP BY. \
Columns have their original meaning; level(column, n) is a level of a column's hierarchy. The tables \
are `release` and `truthful`, the version without counterfeits. Needs a build with --features sql.

Examples:
  velamen query release 'SELECT sex, COUNT(*) FROM release WHERE age >= 65 GROUP BY sex'
  velamen query release \"SELECT AVG(age), share(sex = 'F') FROM release WHERE diagnosis LIKE 'I6%'\" --json
  velamen query release 'SELECT * FROM release LIMIT 5' --as-released")]
#[cfg_attr(not(feature = "sql"), allow(dead_code, reason = "read by builds with the feature"))]
pub(crate) struct Query {
    /// The release folder
    release: PathBuf,
    /// One SELECT
    #[arg(value_name = "SELECT")]
    text: String,
    /// Run any SELECT on the released records as they are, without bounds
    #[arg(long)]
    as_released: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV
    #[arg(long)]
    csv: bool,
    /// The most groups of an answer
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    groups: u32,
    /// The most memory that a query with --as-released may use, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    memory: u32,
    /// How long a query with --as-released may run, in seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    seconds: u32,
    #[command(flatten)]
    common: Common,
}

impl Run for Query {
    const NAME: &'static str = "query";

    #[cfg(not(feature = "sql"))]
    fn run(self) -> Result<(), JobError> {
        let message = "this build cannot answer queries";
        Err(JobError::usage(message).coded(velamen_recipe::Code::NOT_BUILT))
    }

    #[cfg(feature = "sql")]
    fn run(self) -> Result<(), JobError> {
        let runner = super::Runner::start(&self.common, false)?;
        let options = velamen_assess::QueryOptions {
            as_released: self.as_released,
            groups: self.groups as usize,
            memory: (self.memory as usize) << 20,
            seconds: f64::from(self.seconds),
            ..velamen_assess::QueryOptions::default()
        };
        let seed = velamen_dp::Seed::from_number(0);
        let answer = runner
            .with(&seed, |context| velamen_assess::query(&self.release, &self.text, &options, context))?;
        if self.json {
            crate::terminal::line(serde_json::to_string_pretty(&answer.to_json()?).unwrap_or_default());
        } else if self.csv {
            crate::terminal::line(answer.to_csv()?.trim_end());
        } else {
            shown::text(&answer);
        }
        Ok(())
    }
}

#[cfg(feature = "sql")]
mod shown {
    use velamen_assess::QueryAnswer;

    use crate::terminal::{self, line};

    /// What stands for NULL in the text of an answer.
    const NULL: &str = "NULL";

    /// Columns side by side, numbers to the right.
    pub(super) fn text(answer: &QueryAnswer) {
        let (names, rows) = answer.table(&short);
        let shown = |cell: &Option<String>| cell.clone().unwrap_or_else(|| NULL.into());
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(shown).collect()).collect();
        let is_number = |text: &str| text == NULL || text.parse::<f64>().is_ok();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| &row[column]).chain([&names[column]]);
            cells.map(|cell| terminal::width(cell)).max().unwrap_or(0)
        };
        let columns: Vec<(usize, bool)> = (0..names.len())
            .map(|column| (width(column), rows.iter().all(|row| is_number(&row[column]))))
            .collect();
        for row in std::iter::once(&names).chain(&rows) {
            let cell = |(cell, &(width, right)): (&String, &(usize, bool))| match right {
                true => terminal::right(cell, width),
                false => terminal::padded(cell, width),
            };
            let cells: Vec<String> = row.iter().zip(&columns).map(cell).collect();
            line(cells.join("  ").trim_end());
        }
        for sentence in answer.sentences() {
            line(sentence);
        }
    }

    /// Whole numbers as they are, others with two decimals, or four where they are small.
    fn short(number: f64) -> String {
        match number {
            number if number.is_infinite() => if number > 0.0 { "unbounded" } else { "-unbounded" }.into(),
            number if number.fract() == 0.0 => format!("{number:.0}"),
            number if number.abs() < 10.0 => format!("{number:.4}"),
            number => format!("{number:.2}"),
        }
    }
}
