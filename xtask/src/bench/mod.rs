//! `cargo xtask bench`: how time and memory of the whole program grow with the table, as tables and a picture.

mod measure;
mod page;
mod picture;
mod series;
mod table;

use std::path::{Path, PathBuf};

use super::{Outcome, cargo, output, root};

/// What is measured, with what.
pub(crate) struct Plan {
    /// Records of the first series.
    sizes: Vec<u64>,
    /// Records of the other series.
    rows: u64,
    /// The most records that methods with counterfeits are run on.
    most_padded: u64,
    /// The program.
    velamen: PathBuf,
    /// A Python that has DuckDB, to run beside.
    python: Option<PathBuf>,
    /// Where tables and releases go; they are removed.
    work: PathBuf,
    /// The page whose marked part is written anew, and beside which the picture goes.
    page: PathBuf,
    /// The arguments, for the page.
    command: String,
}

const HELP: &str = "\
cargo xtask bench [--sizes N,N,…] [--rows N] [--most-padded N] [--velamen FILE] [--python FILE] [--work DIR] [--into FILE]
  --sizes        records of the series over records (100000,1000000,10000000)
  --rows         records of the series over distinct combinations, quasi-identifiers and k (1000000)
  --most-padded  the most records that h-ceiling is run on (as --rows)
  --velamen      the program (built for release when left out)
  --python       a Python that has the package duckdb, to read, group and write the same files beside
  --work         a folder for tables and releases (target/bench)
  --into         the page whose part between <!-- growth --> and <!-- /growth --> is written (bench/RESULTS.md)";

pub(crate) fn run() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let plan = plan(&arguments)?;
    std::fs::create_dir_all(&plan.work).map_err(|error| format!("{}: {error}", plan.work.display()))?;
    let growth = series::all(&plan);
    let removed = std::fs::remove_dir_all(&plan.work);
    let growth = growth?;
    removed.map_err(|error| format!("{}: {error}", plan.work.display()))?;
    let picture = plan.page.with_file_name("growth.svg");
    write(&picture, &picture::growth(&growth.records)?)?;
    page::replace(&plan.page, &page::text(&plan.command, &growth))
}

fn plan(arguments: &[String]) -> Result<Plan, String> {
    let mut given = std::collections::BTreeMap::new();
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(HELP.into()) };
        given.insert(name.as_str(), value.as_str());
    }
    let mut take = |name: &str| given.remove(name);
    let number =
        |text: &str| text.replace('_', "").parse::<u64>().map_err(|_| format!("{text}: no number\n{HELP}"));
    let sizes = take("--sizes")
        .unwrap_or("100000,1000000,10000000")
        .split(',')
        .map(number)
        .collect::<Result<_, _>>()?;
    let rows = take("--rows").map_or(Ok(1_000_000), number)?;
    let most_padded = take("--most-padded").map_or(Ok(rows), number)?;
    let (velamen, python) = (take("--velamen").map(PathBuf::from), take("--python").map(PathBuf::from));
    let work = take("--work").map_or_else(|| root().join("target/bench"), PathBuf::from);
    let page = take("--into").map_or_else(|| root().join("bench/RESULTS.md"), PathBuf::from);
    if !given.is_empty() {
        return Err(HELP.into());
    }
    let velamen = velamen.map_or_else(built, Ok)?;
    let shown: Vec<&str> =
        arguments.chunks(2).filter(|pair| !pair[1].contains('/')).flatten().map(|a| &**a).collect();
    let command = format!("cargo xtask bench {}", shown.join(" "));
    Ok(Plan {
        sizes,
        rows,
        most_padded,
        velamen: absolute(&velamen)?,
        python,
        work: absolute(&work)?,
        page,
        command,
    })
}

/// The program, built for release.
pub(crate) fn built() -> Result<PathBuf, String> {
    let text = output(cargo().args(["build", "--release", "--bin", "velamen", "--message-format", "json"]))?;
    let text = String::from_utf8_lossy(&text);
    let mut messages =
        text.lines().rev().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let path = messages.find_map(|message| message["executable"].as_str().map(PathBuf::from));
    path.ok_or_else(|| "cargo names no program that it built".into())
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
