//! The commands, one file each.

mod anonymize;
mod attack;
mod audit;
mod check;
mod cluster;
mod compare;
mod completions;
mod demo;
mod diff;
mod estimate;
mod explain;
mod explore;
mod hierarchy;
mod leak;
mod man;
mod measure;
mod profile;
mod query;
mod report;
mod reproduce;
mod risk;
mod schema;
mod sign;
#[cfg(feature = "studio")]
mod studio;
mod summary;
mod synth;
mod truthful;
mod verify;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand};
use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_recipe::{JobError, Resolved};

use crate::log;
use crate::progress::Reporter;
use crate::stream::Table;
use crate::terminal::{self, line, plain};

const EXAMPLES: &str = "\
Examples:
  velamen demo
      Generates 100,000 synthetic patients, releases them and says where to look.
  velamen profile patients.csv --recipe recipe.toml
      Reports what a table holds and what may identify people, and writes a first recipe.
  velamen check recipe.toml
      Lists the mistakes in a recipe, without running it.
  velamen anonymize recipe.toml
      Makes the release that the recipe describes.
  velamen estimate recipe.toml
      Estimates what a run needs: memory, disk and time.
  velamen explore recipe.toml
      Lists the possible releases that no other one beats.
  velamen verify release
      Checks every promise of a release again, from its files.
  velamen measure table.csv --qi age,sex,zip --sensitive diagnosis
      Reports which k, l, t, β and δ a table satisfies.
  velamen compare patients.csv release
      Measures a release against its original, by every metric.
  velamen diff june july
      Shows what changed from one release to another.
  velamen risk patients.csv --qi age,sex,zip
      Estimates the re-identification risk of each record.
  velamen attack release --original patients.csv
      Measures what an adversary gets from a release.
  velamen audit recipe.toml
      Tries to refute the differential privacy that a recipe claims.

Each error has a code, as in error[E0409]; `velamen explain E0409` says what it means and how to mend it.

Exit codes:
  0 done   2 usage   3 the promise cannot be met or does not hold   4 the data
  5 recipe or hierarchy   6 reading or writing   7 too large for memory or disk
  8 no promise is broken, but one was not checked that could be   130 interrupted";

/// Turns person-level health data into a release that you can publish. It keeps as much detail as
/// possible, and checks on the finished file what the release promises.
#[derive(Debug, Parser)]
#[command(name = "velamen", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Anonymize(anonymize::Anonymize),
    Check(check::Check),
    Estimate(estimate::Estimate),
    Explore(explore::Explore),
    Verify(verify::Verify),
    Sign(sign::Sign),
    Measure(measure::Measure),
    Compare(compare::Compare),
    Diff(diff::Diff),
    Attack(attack::Attack),
    Audit(audit::Audit),
    Leak(leak::Leak),
    Hierarchy(hierarchy::Hierarchy),
    Risk(risk::Risk),
    Profile(profile::Profile),
    Truthful(truthful::Truthful),
    Report(report::Report),
    Query(query::Query),
    #[command(subcommand)]
    Cluster(cluster::Cluster),
    Synth(synth::Synth),
    Demo(demo::Demo),
    Reproduce(reproduce::Reproduce),
    Explain(explain::Explain),
    Schema(schema::Schema),
    Completions(completions::Completions),
    Man(man::Man),
    #[cfg(feature = "studio")]
    Studio(studio::Studio),
}

impl Cli {
    /// What it means that Ctrl-C ended the command, where it would have made a release.
    pub(crate) fn interrupted(&self) -> &'static str {
        let releases = matches!(self.command, Command::Anonymize(_) | Command::Demo(_));
        if releases { "; nothing was released" } else { "" }
    }

    pub(crate) fn run(self) -> Result<(), JobError> {
        match self.command {
            Command::Anonymize(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Estimate(command) => command.run(),
            Command::Explore(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Sign(command) => command.run(),
            Command::Measure(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Attack(command) => command.run(),
            Command::Audit(command) => command.run(),
            Command::Leak(command) => command.run(),
            Command::Hierarchy(command) => command.run(),
            Command::Risk(command) => command.run(),
            Command::Profile(command) => command.run(),
            Command::Truthful(command) => command.run(),
            Command::Report(command) => command.run(),
            Command::Query(command) => command.run(),
            Command::Cluster(command) => command.run(),
            Command::Synth(command) => command.run(),
            Command::Demo(command) => command.run(),
            Command::Reproduce(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Schema(command) => command.run(),
            Command::Completions(command) => command.run(),
            Command::Man(command) => command.run(),
            #[cfg(feature = "studio")]
            Command::Studio(command) => command.run(),
        }
    }
}

/// What every command that works for long takes.
#[derive(Debug, Clone, Args)]
struct Common {
    /// How many threads to use; all cores if left out
    #[arg(long, value_name = "N", env = "VELAMEN_THREADS", hide_env_values = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Hide progress and summaries; warnings and errors are still shown
    #[arg(long, short, env = "VELAMEN_QUIET", hide_env_values = true, value_parser = FalseyValueParser::new())]
    quiet: bool,
    /// Log steps, times and counts to a file; - is standard error
    #[arg(long, value_name = "FILE", env = "VELAMEN_LOG", hide_env_values = true)]
    log: Option<PathBuf>,
}

/// How a table is to be read that no recipe describes.
#[derive(Debug, Clone, Args)]
struct ReadArgs {
    /// The file's format; detected if left out
    #[arg(long)]
    format: Option<velamen_engine::FileFormat>,
    /// The delimiter of delimited text; detected from the header if left out
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<char>,
    /// Cells that mean a missing value, in addition to empty cells
    #[arg(long, value_delimiter = ',', value_name = "MARKERS")]
    null: Vec<String>,
    /// The sheet of a workbook, by name or number from 1; needed if there are several
    #[arg(long, value_name = "SHEET")]
    sheet: Option<velamen_engine::source::Sheet>,
    /// How text is encoded, such as windows-1252; UTF-8 when left out
    #[arg(long, value_name = "LABEL")]
    encoding: Option<String>,
    /// The first line is a record; the columns are called 1, 2, …
    #[arg(long)]
    no_header: bool,
    /// The first line names the columns, even if it looks like a record
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// Numbers have a comma before their decimals: 70,5
    #[arg(long)]
    decimal_comma: bool,
}

impl ReadArgs {
    fn options(self) -> Result<velamen_engine::source::ReadOptions, JobError> {
        let byte = |character: char| {
            u8::try_from(character)
                .map_err(|_| JobError::Usage("--delimiter: expected one ASCII character".into()))
        };
        let encoding = self.encoding.as_deref().map(velamen_engine::source::encoding).transpose();
        Ok(velamen_engine::source::ReadOptions {
            format: self.format,
            delimiter: self.delimiter.map(byte).transpose()?,
            null: self.null,
            sheet: self.sheet,
            encoding: encoding.map_err(|error| JobError::Usage(format!("--encoding: {error}")))?,
            headerless: self.no_header,
            trusts_header: self.header,
            decimal_comma: self.decimal_comma,
            ..Default::default()
        })
    }
}

/// What the first Ctrl-C of `--keep-best` is answered with.
const ENOUGH: &str = "the search ends as soon as it can, and the best that it has found is released; Ctrl-C once more ends the run";

/// Threads, progress and Ctrl-C of one run.
struct Runner {
    reporter: Reporter,
    cancel: Arc<AtomicBool>,
    /// What the first Ctrl-C sets instead, where that was asked for.
    enough: Arc<OnceLock<Arc<AtomicBool>>>,
}

impl Runner {
    fn start(common: &Common, silent: bool) -> Result<Self, JobError> {
        if let Some(file) = &common.log {
            log::start(file)?;
        }
        if common.quiet {
            terminal::hush();
        }
        let threads = usize::from(common.threads.unwrap_or(0));
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| JobError::Io(format!("cannot start threads: {error}")))?;
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            threads = rayon::current_num_threads(),
            "started"
        );
        let cancel = Arc::new(AtomicBool::new(false));
        let enough: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
        let (flag, first) = (Arc::clone(&cancel), Arc::clone(&enough));
        let quiet = silent || common.quiet;
        let stop = move || {
            let was_set = first.get().is_none_or(|enough| enough.swap(true, Ordering::Relaxed));
            if was_set {
                flag.store(true, Ordering::Relaxed);
            } else if !quiet {
                terminal::note(ENOUGH);
            }
        };
        ctrlc::set_handler(stop)
            .map_err(|error| JobError::Io(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(Self { reporter: Reporter::new(silent || common.quiet), cancel, enough })
    }

    /// A flag that the first Ctrl-C sets; only the second one then ends the run.
    fn enough(&self) -> Arc<AtomicBool> {
        Arc::clone(self.enough.get_or_init(Arc::default))
    }

    /// The file of a table; for `-` what comes from standard input.
    fn table(&self, named: PathBuf) -> Result<Table, JobError> {
        Table::of(named, &self.cancel)
    }

    /// Runs a job with a context and takes the progress bar away afterwards.
    fn with<T>(
        &self,
        seed: &Seed,
        job: impl FnOnce(&Context<'_>) -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        let result = job(&Context { seed, progress: &self.reporter, cancel: &self.cancel });
        self.reporter.finish();
        result
    }
}

/// The recipe's seed, or a fresh one.
fn seed_of(recipe: &Resolved) -> Result<Seed, JobError> {
    recipe.seed.clone().map_or_else(fresh_seed, Ok)
}

fn fresh_seed() -> Result<Seed, JobError> {
    Seed::fresh().map_err(|error| JobError::Io(error.to_string()))
}

/// One line per metric: its figure, then each attribute's where it has them.
fn print_figures(figures: &serde_json::Map<String, serde_json::Value>) {
    let attributes: Vec<&String> = figures
        .values()
        .find_map(|figure| figure["by-attribute"].as_object())
        .map_or_else(Vec::new, |by| by.keys().collect());
    let names = attributes.iter().map(|name| format!("  {}", terminal::right(name, 10))).collect::<String>();
    line(format!("{:<20}{:>14}{names}", "metric", "figure").trim_end());
    for (metric, figure) in figures {
        let value = if figure.is_object() { &figure["value"] } else { figure };
        let shown = |name: &&String| {
            let width = terminal::width(name).max(10);
            let figure = figure["by-attribute"].get(name.as_str()).map_or(String::new(), plain);
            format!("  {figure:>width$}")
        };
        let cells = attributes.iter().map(shown).collect::<String>();
        line(format!("{metric:<20}{:>14}{cells}", plain(value)).trim_end());
    }
}
