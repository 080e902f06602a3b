use std::path::PathBuf;

use clap::{Args, ValueEnum};
use velamen_recipe::JobError;
use velamen_reproduce::demo::{DEMO_ROWS, demo};
use velamen_reproduce::synth::SampleMethod;

use super::entry::{Command, Run};
use super::summary::summary;
use super::{Common, Runner, fresh_seed};
use crate::terminal::{grouped, summary as line};

pub(super) const COMMAND: Command = Command::of::<Demo>();

/// Generate 100,000 synthetic patients, release them, and say where to look
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  velamen demo --output /tmp/velamen-demo\n  velamen demo --method h-ceiling --output with-counterfeits"
)]
pub(crate) struct Demo {
    /// The folder to work in; made if missing
    #[arg(long, value_name = "DIR", default_value = "velamen-demo")]
    output: PathBuf,
    /// How many records
    #[arg(long, default_value_t = DEMO_ROWS)]
    rows: u64,
    /// The method to show
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Shown::Optimal)]
    method: Shown,
    #[command(flatten)]
    common: Common,
}

/// The methods that the demonstration can show.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shown {
    /// The levels of least loss, and local recoding of what they leave
    Optimal,
    /// Counterfeit records, counted in a catalog
    HCeiling,
}

impl Run for Demo {
    const NAME: &'static str = "demo";
    const RELEASES: bool = true;

    fn run(self) -> Result<(), JobError> {
        let runner = Runner::start(&self.common, false)?;
        line(format_args!(
            "Generating {} synthetic patients in {}/",
            grouped(self.rows),
            self.output.display()
        ));
        let seed = fresh_seed()?;
        let method = match self.method {
            Shown::Optimal => SampleMethod::LocalRecoding,
            Shown::HCeiling => SampleMethod::Counterfeits,
        };
        let outcome = runner.with(&seed, |context| demo(&self.output, self.rows, method, context))?;
        line(format_args!("Recipe: {}", self.output.join("recipe.toml").display()));
        summary(&outcome);
        line("Try next:");
        line(format_args!("  velamen verify {}", outcome.release.display()));
        if method == SampleMethod::Counterfeits {
            line(format_args!(
                "  velamen truthful {} --output {}",
                outcome.release.display(),
                self.output.join("truthful.csv").display()
            ));
        }
        line(format_args!(
            "  velamen measure {} --qi age,sex,length_of_stay,location,surgery --sensitive diagnosis",
            outcome.release.join("data.csv").display()
        ));
        Ok(())
    }
}
