use std::path::PathBuf;

use clap::Args;
use velamen_assess::{Attack as Tried, AttackOptions, AttackRequest, Attacks, Repeated, attack};
use velamen_measure::risk::attack::Figure;
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, ReadArgs, Runner};
use crate::terminal::{self, grouped, line};

/// Measure what an adversary gets from a release, against its original
#[derive(Debug, Args)]
#[command(after_help = "\
For the custodian: it looks for people of the original in the release.

Examples:
  velamen attack release --original patients.csv
  velamen attack release --original patients.csv --attacks linkage,inference --targets 10000
  velamen attack release --original patients.csv --with release-2025 --second-original patients-2025.csv
      What two releases of some of the same people reveal together.
  velamen attack release --original patients.csv --control others.csv --attacks control
      Separates what the release leaks about its people from what it teaches about anyone.
  velamen attack release --original patients.csv --recipe recipe.toml --attacks membership
      Runs the method many times with and without a record.

Attacks: linkage, inference, background, presence, minimality, counterfeits, composition,
control, membership.")]
pub(crate) struct Attack {
    /// The release folder
    release: PathBuf,
    /// The table that the release was made of, in any format that can be read
    #[arg(long, value_name = "TABLE")]
    original: PathBuf,
    /// Only these attacks
    #[arg(long, value_delimiter = ',', value_name = "A,B,C")]
    attacks: Vec<String>,
    /// How many people to look for, drawn at random
    #[arg(long, value_name = "N", default_value_t = 1000)]
    targets: u64,
    /// The probability that an interval contains the true rate
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    confidence: f64,
    /// The most values, or other people, that the adversary of `background` knows
    #[arg(long, value_name = "J", default_value_t = 2)]
    background: u64,
    /// A second release of some of the same people
    #[arg(long, value_name = "RELEASE", requires = "second_original")]
    with: Option<PathBuf>,
    /// The table that the second release was made of
    #[arg(long, value_name = "TABLE", requires = "with")]
    second_original: Option<PathBuf>,
    /// Records of people of the same population who are not in the release, for `control`
    #[arg(long, value_name = "TABLE")]
    control: Option<PathBuf>,
    /// The release's recipe, for `membership`
    #[arg(long)]
    recipe: Option<PathBuf>,
    /// How often `membership` runs the method on each table
    #[arg(long, value_name = "N", default_value_t = 500)]
    trials: u64,
    /// How many records of the recipe's input `membership` takes away, one at a time
    #[arg(long, value_name = "N", default_value_t = 5)]
    from_data: u64,
    /// The seed of all draws, a whole number or 64 hexadecimal digits
    #[arg(long, default_value = "1")]
    seed: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also print the values of the person about whom the most is learned
    #[arg(long)]
    show_values: bool,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    common: Common,
}

impl Attack {
    pub(super) fn run(self) -> Result<(), JobError> {
        let seed: velamen_dp::Seed =
            self.seed.parse().map_err(|error| JobError::Usage(format!("--seed: {error}")))?;
        let recipe = self.recipe.as_ref();
        let recipe =
            recipe.map(|path| Recipe::load(path, &Overrides::default())?.resolve(path)).transpose()?;
        let repeated = recipe.as_ref().zip(self.recipe.as_deref()).map(|(recipe, path)| Repeated {
            recipe,
            path,
            trials: self.trials,
            from_data: self.from_data,
        });
        let request = AttackRequest {
            release: self.release,
            original: self.original.into(),
            read: self.read.options()?,
            control: self.control.map(Into::into),
            second: self.with.zip(self.second_original.map(Into::into)),
            attacks: self.attacks,
            options: AttackOptions {
                targets: self.targets,
                confidence: self.confidence,
                background: self.background,
            },
            show_values: self.show_values,
        };
        let runner = Runner::start(&self.common, false)?;
        let found = runner.with(&seed, |context| attack(&request, repeated.as_ref(), context))?;
        if self.json {
            line(serde_json::to_string_pretty(&found).unwrap_or_default());
        } else {
            print(&found);
        }
        Ok(())
    }
}

fn print(found: &Attacks) {
    line(format_args!(
        "{} released records; the original has {}",
        grouped(found.records),
        grouped(found.original_records)
    ));
    line(format_args!(
        "rate: how often the attack succeeds; interval: holds the true rate with {} % confidence;",
        found.confidence * 100.0
    ));
    line("baseline: the same adversary without the release");
    for note in &found.notes {
        line(format_args!("note: {note}"));
    }
    found.attacks.iter().for_each(print_attack);
}

fn print_attack(tried: &Tried) {
    let outcome = &tried.outcome;
    line("");
    let targets = outcome.targets.map_or(String::new(), |number| format!(" ({} people)", grouped(number)));
    line(format_args!("{}: {}?{targets}", outcome.attack, outcome.summary));
    if let Some(reason) = &outcome.left_out {
        line(format_args!("  not tried: {reason}"));
        return;
    }
    let width = outcome.figures.iter().map(|figure| terminal::width(&figure.what)).max().unwrap_or(0);
    line(format!("  {:<width$}  {:>8}  {:>19}  {:>8}", "", "rate", "interval", "baseline"));
    outcome.figures.iter().for_each(|figure| print_figure(figure, width));
    for note in &outcome.notes {
        line(format_args!("  note: {note}"));
    }
    if let Some(person) = &tried.person {
        let values: Vec<String> = person.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        line(format_args!("  most is learned about: {}", values.join(", ")));
    }
}

fn print_figure(figure: &Figure, width: usize) {
    let interval =
        figure.interval.map_or(String::new(), |[low, high]| format!("{} … {}", number(low), number(high)));
    let baseline = figure.baseline.map_or(String::new(), number);
    let (what, rate) = (&figure.what, number(figure.rate));
    let text = format!("  {}  {rate:>8}  {interval:>19}  {baseline:>8}", terminal::padded(what, width));
    let bounds = figure.at_least.map_or(String::new(), |least| format!("  (at least {})", number(least)));
    line(format!("{}{bounds}", text.trim_end()));
}

/// Four decimals, six of small numbers.
fn number(number: f64) -> String {
    if number != 0.0 && number.abs() < 0.01 { format!("{number:.6}") } else { format!("{number:.4}") }
}
