//! The tables that are measured: the program's own synthetic sample, and columns added to it.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Plan;

pub(super) const QIS: [&str; 5] = ["age", "sex", "length_of_stay", "location", "surgery"];

/// A made table with the recipe for it.
pub(super) struct BenchTable {
    pub(super) recipe: PathBuf,
    pub(super) file: PathBuf,
}

impl BenchTable {
    /// The sample with so many records, in a format.
    pub(super) fn sample(plan: &Plan, rows: u64, format: &str) -> Result<Self, String> {
        let (file, recipe) = (plan.work.join(format!("sample.{format}")), plan.work.join("recipe.toml"));
        let mut command = Command::new(&plan.velamen);
        command.args(["synth", "nps", "--quiet", "--seed", "1", "--rows", &rows.to_string(), "--output"]);
        command
            .arg(&file)
            .arg("--hierarchies")
            .arg(plan.work.join("hierarchies"))
            .arg("--recipe")
            .arg(&recipe);
        super::measure::run(&mut command)?;
        Ok(Self { recipe, file })
    }

    /// The same table with an insensitive column of so many values more.
    pub(super) fn with_values(&self, plan: &Plan, values: u64) -> Result<PathBuf, String> {
        let wider = plan.work.join("wider.csv");
        let failed = |error: std::io::Error| format!("{}: {error}", wider.display());
        widen(&self.file, &wider, values).map_err(failed)?;
        Ok(wider)
    }
}

fn widen(from: &Path, to: &Path, values: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(to)?);
    for (number, line) in BufReader::new(File::open(from)?).lines().enumerate() {
        match number {
            0 => writeln!(out, "{},cost", line?)?,
            _ => writeln!(out, "{},{}", line?, scattered(number as u64) % values)?,
        }
    }
    out.flush()
}

/// Numbers without order: the finalizer of splitmix64.
fn scattered(number: u64) -> u64 {
    let bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
