use std::path::PathBuf;

use clap::{Args, Subcommand};
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_reproduce::synth::{Nps, SampleMethod, write_nps};

use super::entry::{Command, Run};
use super::{Common, Runner};
use crate::stream::Output;
use crate::terminal::{counted, summary as line};

pub(super) const COMMAND: Command = Command::of::<Synth>();

/// Generate synthetic health data
#[derive(Debug, Args)]
pub(crate) struct Synth {
    #[command(subcommand)]
    sample: Sample,
}

#[derive(Debug, Subcommand)]
enum Sample {
    Nps(NpsArgs),
}

/// A national patient sample: age, sex, length of stay, location, surgery, ICD-10 diagnosis
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen synth nps --rows 100000 --seed 1 --output patients.csv --recipe recipe.toml
  velamen synth nps --rows 1375900 --seed 1 --output patients.parquet --hierarchies hierarchies
  velamen synth nps --rows 1375900 --distinct --output hard.csv --recipe recipe.toml")]
struct NpsArgs {
    /// How many records
    #[arg(long)]
    rows: u64,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: Seed,
    /// Make most records distinct: a hard table for benchmarks
    #[arg(long)]
    distinct: bool,
    /// The file to write; its extension sets the format; - is standard output, as CSV
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Write the hierarchies into this folder, in ARX's format
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<PathBuf>,
    /// Write a recipe for the file
    #[arg(long, value_name = "FILE")]
    recipe: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

impl Run for Synth {
    const NAME: &'static str = "synth";

    fn run(self) -> Result<(), JobError> {
        let Sample::Nps(args) = self.sample;
        let runner = Runner::start(&args.common, false)?;
        let output = Output::of(args.output.clone())?;
        let request = Nps {
            rows: args.rows,
            distinct: args.distinct,
            output: output.path.clone(),
            hierarchies: args.hierarchies,
            recipe: args.recipe,
            method: SampleMethod::default(),
        };
        runner.with(&args.seed, |context| write_nps(&request, context))?;
        output.finish()?;
        line(format_args!("{} in {}", counted(args.rows, "record"), args.output.display()));
        Ok(())
    }
}
