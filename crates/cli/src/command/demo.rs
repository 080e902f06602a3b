use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
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
    /// The method to show: what keeps the most of the sample, or counterfeit records
    #[arg(long, value_name = "NAME", value_parser = shown(), default_value = usual())]
    method: SampleMethod,
    #[command(flatten)]
    common: Common,
}

/// The methods that the demonstration can show, by name.
fn shown() -> impl TypedValueParser<Value = SampleMethod> {
    PossibleValuesParser::new(SampleMethod::SHOWN.map(|(name, _)| name)).map(|chosen| {
        let of_name = SampleMethod::SHOWN.into_iter().find(|(name, _)| *name == chosen);
        of_name.map(|(_, method)| method).unwrap_or_default()
    })
}

/// The name of the one that is shown where none is named.
fn usual() -> &'static str {
    let is_usual = |(_, method): &(&str, SampleMethod)| *method == SampleMethod::default();
    SampleMethod::SHOWN.into_iter().find(is_usual).map_or("", |(name, _)| name)
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
        let method = self.method;
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
