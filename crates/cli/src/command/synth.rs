use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use velamen_dp::Seed;
use velamen_recipe::JobError;
use velamen_reproduce::synth::{Nps, SampleMethod, write_nps};
use velamen_reproduce::synth_patients::{Patients, PatientsShape, write_patients};

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
    Patients(PatientsArgs),
}

/// Linked tables of made-up patients: visits, conditions, drugs, procedures, measurements
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen synth patients --as omop --persons 1000 --output export
  velamen profile export --as omop --recipe recipe.toml
  velamen synth patients --as fhir --persons 100000 --seed 7 --output large")]
struct PatientsArgs {
    /// The shape of the folder
    #[arg(long = "as", value_enum, default_value_t = Shape::Omop)]
    shape: Shape,
    /// How many persons
    #[arg(long)]
    persons: u64,
    /// A whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: Seed,
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// The shape of a folder of linked tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// The OMOP Common Data Model 5.4
    Omop,
    /// FHIR R4, one resource a line
    Fhir,
    /// The CSV folder of Synthea
    Synthea,
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
        match self.sample {
            Sample::Nps(args) => nps(args),
            Sample::Patients(args) => patients(args),
        }
    }
}

fn patients(args: PatientsArgs) -> Result<(), JobError> {
    let runner = Runner::start(&args.common, false)?;
    let shape = match args.shape {
        Shape::Omop => PatientsShape::Omop,
        Shape::Fhir => PatientsShape::Fhir,
        Shape::Synthea => PatientsShape::Synthea,
    };
    let request = Patients { persons: args.persons, shape, output: args.output.clone() };
    runner.with(&args.seed, |context| write_patients(&request, context))?;
    line(format_args!("{} in {}", counted(args.persons, "person"), args.output.display()));
    Ok(())
}

fn nps(args: NpsArgs) -> Result<(), JobError> {
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
