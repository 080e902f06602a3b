//! What a contributor runs that is not plain cargo: `cargo xtask COMMAND`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

mod advisories;
mod bench;
mod counterfeits;
mod dependencies;
mod invented;
mod nightly;
mod pycanon;
mod recipients;
mod resources;
mod sbom;
mod site;
mod web;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// What a command comes to: what is wrong, line by line.
type Outcome = Result<(), String>;

/// A name, what it runs, and what that is for.
type Entry = (&'static str, fn() -> Outcome, &'static str);

const COMMANDS: [Entry; 13] = [
    ("pycanon", pycanon::run, "compare `velamen measure` with pycanon, where Python has it"),
    (
        "recipients",
        recipients::run,
        "run the code in a release's README, where Python has pandas, polars and DuckDB",
    ),
    ("resources", resources::run, "read released resources of FHIR with fhir.resources, where Python has it"),
    ("bench", bench::run, "measure how time and memory grow with the table, for bench/RESULTS.md"),
    (
        "counterfeits",
        counterfeits::run,
        "measure how well h-ceiling's counterfeits are recognized, for docs/counterfeits.md",
    ),
    (
        "invented",
        invented::run,
        "compare invented records with those of mbi and dpmm, where VELAMEN_ADULT_14 names the table and Python has them",
    ),
    ("licenses", dependencies::licenses, "check the licences of all dependencies against a list"),
    ("duplicates", dependencies::duplicates, "check that no crate is built in two versions without a reason"),
    (
        "nightly",
        nightly::run,
        "run all tests with all of their cases and 10,000 forgeries, too many for every change",
    ),
    ("sbom", sbom::run, "write what the program is built from, as CycloneDX"),
    ("site", site::run, "build the documentation with mdBook and check its links"),
    ("web", web::run, "compile the program for the browser and make its page in target/page"),
    ("advisories", advisories::run, "check the lock file against a local copy of the RustSec advisories"),
];

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, run, _)) = COMMANDS.iter().find(|(known, ..)| *known == name) else {
        eprintln!("cargo xtask COMMAND");
        for (name, _, summary) in COMMANDS {
            eprintln!("  {name:<12} {summary}");
        }
        return ExitCode::from(2);
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problems) => {
            eprintln!("{problems}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder: of the `cargo run` that started us, since two clones can share a build folder.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(package).join("..")
}

/// The cargo that runs us, in the workspace's folder.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Standard output of a command that must succeed.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let run = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if run.status.success() {
        return Ok(run.stdout);
    }
    Err(format!("{command:?} failed\n{}", String::from_utf8_lossy(&run.stderr)))
}
