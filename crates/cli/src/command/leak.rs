use std::path::PathBuf;

use clap::Args;
use velamen_assess::leak::{LeakFigures, LeakRequest, Leaks, leak};
use velamen_recipe::JobError;

use super::{Common, ReadArgs, Runner};
use crate::terminal::{self, grouped, line};

/// Estimate how much the values of attributes help to find a person in a table
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen leak patients.csv
  velamen leak patients.csv --attributes age,sex,zip --up-to 3
  velamen leak patients.csv --up-to 4 --top 10
      The ten sets of at most four attributes that leak most.
  velamen leak patients.csv --after release
      Each attribute before and after anonymization.")]
pub(crate) struct Leak {
    /// The table, in any format that can be read; - is standard input
    table: PathBuf,
    /// The attributes; all columns, with --after those of both tables, when left out
    #[arg(long, value_delimiter = ',', value_name = "A,B,C")]
    attributes: Vec<String>,
    /// Also sets of attributes, up to this size
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    up_to: u16,
    /// Only the sets that leak most, largest first
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// A release folder, or another table, to show beside it
    #[arg(long, value_name = "RELEASE_OR_TABLE")]
    after: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl Leak {
    pub(super) fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        let table = runner.table(self.table)?;
        let seed = velamen_dp::Seed::from_number(0);
        let request = LeakRequest {
            table: table.path.clone().into(),
            read: self.read.options()?,
            attributes: self.attributes,
            up_to: usize::from(self.up_to),
            top: self.top.map(|most| most as usize),
            after: self.after.map(Into::into),
        };
        let leaks = runner.with(&seed, |context| leak(&request, context))?;
        match self.json {
            true => line(serde_json::to_string_pretty(&leaks).unwrap_or_default()),
            false => print(&leaks),
        }
        Ok(())
    }
}

/// One line per set; what is known of nobody comes first.
fn print(leaks: &Leaks) {
    let start = |records: u64, initial: f64| format!("{} records, {initial:.3} bits", grouped(records));
    let after = leaks.after.as_ref().map(|after| start(after.records, after.initial));
    let shown = |text: &String| format!(" before; {text} after");
    line(format!("{}{}", start(leaks.records, leaks.initial), after.as_ref().map(shown).unwrap_or_default()));
    let name = |names: &[String]| names.join(", ");
    let width =
        leaks.sets.iter().map(|set| terminal::width(&name(&set.attributes))).max().unwrap_or(0).max(10);
    let heading = format!("{:>10}  {:>7}  {:>5}", "partitions", "bits", "share");
    let second = if leaks.after.is_some() { format!("  |  {heading}") } else { String::new() };
    line(format!("{:<width$}  {heading}{second}", "attributes"));
    for set in &leaks.sets {
        let second = set.after.as_ref().map(|after| format!("  |  {}", row(after))).unwrap_or_default();
        let names = terminal::padded(&name(&set.attributes), width);
        line(format!("{names}  {}{second}", row(&set.before)));
    }
}

fn row(figures: &LeakFigures) -> String {
    format!("{:>10}  {:>7.3}  {:>5.3}", grouped(figures.partitions as u64), figures.loss, figures.normalised)
}
