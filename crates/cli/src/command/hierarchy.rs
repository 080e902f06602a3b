use std::path::PathBuf;

use clap::{Args, Subcommand};
use velamen_job::hierarchy::{Checked, Codes, Shown, ValuesFrom, check, of_attribute, of_form};
use velamen_recipe::JobError;

use super::entry::{Command, Run};
use super::{Common, ReadArgs, Runner};
use crate::stream::{self, Output};
use crate::terminal::{counted, grouped, line, summary};

pub(super) const COMMAND: Command = Command::of::<Hierarchy>();

/// Make, check, show and export hierarchies
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen hierarchy build '{ icd-10 = \"who\" }' --table stays.csv --column diagnosis --output icd.csv
  velamen hierarchy build '{ date = [\"month\", \"year\"], min = \"2020-01-01\", max = \"2024-12-31\" }' --output date.csv
  velamen hierarchy check icd.csv --table stays.csv --column diagnosis
  velamen hierarchy show '{ atc = \"full\" }'
  velamen hierarchy export release --attribute age --output age.csv

A form is what a recipe has after `hierarchy =`. Files are as in ARX: values separated by `;`, and
no header.")]
pub(crate) struct Hierarchy {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write the hierarchy of a form as a file
    Build(Build),
    /// List all faults of a file, and the values of a table that it lacks
    Check(Check),
    /// List the levels of a form or file
    Show(Show),
    /// Write the hierarchy of an attribute of a recipe or release as a file
    Export(Export),
}

impl Run for Hierarchy {
    const NAME: &'static str = "hierarchy";

    fn run(self) -> Result<(), JobError> {
        match self.action {
            Action::Build(build) => build.run(),
            Action::Check(check) => check.run(),
            Action::Show(show) => show.run(),
            Action::Export(export) => export.run(),
        }
    }
}

/// The values a hierarchy is written out for.
#[derive(Debug, Args)]
struct ValueArgs {
    /// A file of values, one a line
    #[arg(long, value_name = "FILE", conflicts_with = "table")]
    codes: Option<PathBuf>,
    /// A table; - is standard input
    #[arg(long, value_name = "FILE", requires = "column")]
    table: Option<PathBuf>,
    /// The table's column
    #[arg(long, value_name = "NAME", requires = "table")]
    column: Option<String>,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl ValueArgs {
    fn start(self, show_values: bool) -> Result<Started, JobError> {
        let mut read = self.read.options()?;
        read.show_values = show_values;
        let runner = Runner::start(&self.common, false)?;
        let table = self.table.map(|named| runner.table(named)).transpose()?;
        let origin = table.as_ref().map(|table| table.path.clone().into());
        let values = ValuesFrom { codes: self.codes.map(Codes::File), table: origin.zip(self.column), read };
        Ok(Started { values, runner, _table: table })
    }
}

/// A run, and what it looks at.
struct Started {
    values: ValuesFrom,
    runner: Runner,
    /// What came from standard input is kept as long as this.
    _table: Option<stream::TableInput>,
}

#[derive(Debug, Args)]
struct Build {
    /// What a recipe writes after `hierarchy =`, or a file
    form: String,
    /// Where the file goes; - is standard output
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    values: ValueArgs,
}

#[derive(Debug, Args)]
struct Check {
    /// The hierarchy
    file: PathBuf,
    /// Print values of the table that the file lacks
    #[arg(long)]
    show_values: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    values: ValueArgs,
}

#[derive(Debug, Args)]
struct Show {
    /// What a recipe writes after `hierarchy =`, or a file
    form: String,
    /// Print some labels of each level
    #[arg(long)]
    show_values: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    values: ValueArgs,
}

#[derive(Debug, Args)]
struct Export {
    /// A recipe or a release folder
    place: PathBuf,
    /// The attribute
    #[arg(long, value_name = "NAME")]
    attribute: String,
    /// Where the file goes; - is standard output
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    values: ValueArgs,
}

impl Build {
    fn run(self) -> Result<(), JobError> {
        let Started { values, runner, .. } = &self.values.start(false)?;
        let output = Output::of(self.output)?;
        let seed = velamen_dp::Seed::from_number(0);
        let rows = runner
            .with(&seed, |context| of_form(&self.form, values)?.write(values, &output.path, context))?;
        written(&rows, &output.path);
        output.finish()
    }
}

impl Export {
    fn run(self) -> Result<(), JobError> {
        let Started { values, runner, .. } = &self.values.start(false)?;
        let output = Output::of(self.output)?;
        let seed = velamen_dp::Seed::from_number(0);
        let rows = runner.with(&seed, |context| {
            of_attribute(&self.place, &self.attribute)?.write(values, &output.path, context)
        })?;
        written(&rows, &output.path);
        output.finish()
    }
}

fn written(rows: &[Vec<String>], output: &std::path::Path) {
    let levels = rows.first().map_or(0, Vec::len);
    let (values, levels) = (counted(rows.len() as u64, "value"), counted(levels as u64, "level"));
    summary(format_args!("{values} in {levels}: {}", output.display()));
}

impl Check {
    fn run(self) -> Result<(), JobError> {
        let Started { values, runner, .. } = &self.values.start(self.show_values)?;
        let seed = velamen_dp::Seed::from_number(0);
        let checked = runner.with(&seed, |context| check(&self.file, values, self.show_values, context))?;
        match self.json {
            true => line(serde_json::to_string_pretty(&checked).unwrap_or_default()),
            false => print_checked(&checked),
        }
        checked.conclusion(&self.file)
    }
}

fn print_checked(checked: &Checked) {
    for fault in &checked.faults {
        line(fault);
    }
    if checked.missing_values > 0 {
        line(format_args!(
            "{} of the table, of {}, {} not in the hierarchy",
            counted(checked.missing_values as u64, "value"),
            counted(checked.missing_records, "record"),
            if checked.missing_values == 1 { "is" } else { "are" }
        ));
    }
    for value in &checked.examples {
        line(format_args!("  {value}"));
    }
    if checked.is_sound() {
        line(format_args!("{}, no fault", counted(checked.rows as u64, "row")));
    }
}

impl Show {
    fn run(self) -> Result<(), JobError> {
        let Started { values, runner, .. } = &self.values.start(self.show_values)?;
        let seed = velamen_dp::Seed::from_number(0);
        let shown = runner
            .with(&seed, |context| of_form(&self.form, values)?.show(values, self.show_values, context))?;
        match self.json {
            true => line(serde_json::to_string_pretty(&shown).unwrap_or_default()),
            false => print_shown(&shown),
        }
        Ok(())
    }
}

fn print_shown(shown: &Shown) {
    let leaves = if shown.leaves == 1 { "leaf" } else { "leaves" };
    let (levels, over) = (counted(shown.levels.into(), "level"), grouped(shown.leaves));
    line(format_args!("{levels} over {over} {leaves}; a value is {}", shown.values));
    if shown.from_data {
        line("read off the data: a release says so, and differentially private methods refuse it");
    }
    if shown.by_level.is_empty() {
        line(
            "the values that occur are not listed by the form; give some with --codes, or --table and --column",
        );
        return;
    }
    line(format_args!("{:>5}  {:>10}  {:>20}  {:>20}", "level", "labels", "fewest leaves", "most leaves"));
    for level in &shown.by_level {
        let examples = level.examples.join("  ");
        let figures = format!(
            "{:>5}  {:>10}  {:>20}  {:>20}  {examples}",
            level.level, level.labels, level.least_leaves, level.most_leaves
        );
        line(figures.trim_end());
    }
}
