//! What commands share: their common options, how tables are read, threads, progress and Ctrl-C.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use clap::Args;
use clap::builder::FalseyValueParser;
use velamen_assess::operation::Reading;
use velamen_core::context::Context;
use velamen_dp::Seed;
use velamen_engine::source::ReadOptions;
use velamen_recipe::{JobError, Resolved};

use super::values::of_format;
use crate::log;
use crate::progress::Reporter;
use crate::stream::TableInput;
use crate::terminal;

/// What every command that works for long takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// How many threads to use; all cores if left out
    #[arg(long, value_name = "N", env = "VELAMEN_THREADS", hide_env_values = true,
          value_parser = super::values::number::<u16>(1, 1024))]
    pub(crate) threads: Option<u16>,
    /// Hide progress and summaries; warnings and errors are still shown
    #[arg(long, short, env = "VELAMEN_QUIET", hide_env_values = true, value_parser = FalseyValueParser::new())]
    pub(crate) quiet: bool,
    /// Log steps, times and counts to a file; - is standard error
    #[arg(long, value_name = "FILE", env = "VELAMEN_LOG", hide_env_values = true)]
    pub(crate) log: Option<PathBuf>,
}

/// How a table is to be read that no recipe describes.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReadArgs {
    /// The file's format; detected if left out
    #[arg(long, value_parser = of_format("file-format"))]
    format: Option<String>,
    /// The delimiter of delimited text; detected from the header if left out
    #[arg(long, value_name = "CHARACTER", value_parser = of_format("character"))]
    delimiter: Option<String>,
    /// Cells that mean a missing value, in addition to empty cells
    #[arg(long, value_delimiter = ',', value_name = "MARKERS")]
    null: Vec<String>,
    /// The sheet of a workbook, by name or number from 1; needed if there are several
    #[arg(long, value_name = "SHEET")]
    sheet: Option<String>,
    /// How many lines of text, or rows of a sheet, stand above the line that names the columns
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip_lines: u64,
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
    pub(crate) fn options(self) -> Result<ReadOptions, JobError> {
        let Self { format, delimiter, null, sheet, skip_lines, encoding, no_header, header, decimal_comma } =
            self;
        Reading { format, delimiter, null, sheet, skip_lines, encoding, no_header, header, decimal_comma }
            .options()
    }
}

/// What the first Ctrl-C of `--keep-best` is answered with.
const ENOUGH: &str = "the search ends as soon as it can, and the best that it has found is released; Ctrl-C once more ends the run";

/// Threads, progress and Ctrl-C of one run.
pub(crate) struct Runner {
    reporter: Reporter,
    pub(crate) cancel: Arc<AtomicBool>,
    /// What the first Ctrl-C sets instead, where that was asked for.
    enough: Arc<OnceLock<Arc<AtomicBool>>>,
}

impl Runner {
    pub(crate) fn start(common: &Common, silent: bool) -> Result<Self, JobError> {
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
            .map_err(|error| JobError::unusable(format!("cannot start threads: {error}")))?;
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
            .map_err(|error| JobError::unusable(format!("cannot listen for Ctrl-C: {error}")))?;
        Ok(Self { reporter: Reporter::new(silent || common.quiet), cancel, enough })
    }

    /// A flag that the first Ctrl-C sets; only the second one then ends the run.
    pub(crate) fn enough(&self) -> Arc<AtomicBool> {
        Arc::clone(self.enough.get_or_init(Arc::default))
    }

    /// The file of a table; for `-` what comes from standard input.
    pub(crate) fn table(&self, named: PathBuf) -> Result<TableInput, JobError> {
        TableInput::of(named, &self.cancel)
    }

    /// Runs a job with a context and takes the progress bar away afterwards.
    pub(crate) fn with<T>(
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
pub(crate) fn seed_of(recipe: &Resolved) -> Result<Seed, JobError> {
    recipe.seed.clone().map_or_else(fresh_seed, Ok)
}

pub(crate) fn fresh_seed() -> Result<Seed, JobError> {
    Seed::fresh().map_err(|error| JobError::unusable(error.to_string()))
}
