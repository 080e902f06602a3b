use std::path::PathBuf;

use clap::Args;
use velamen_checker::{Finding, State};
use velamen_dp::Rational;
use velamen_job::{Account, After, Outcome, RunOptions, anonymize};
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner, seed_of};
use crate::terminal::{line, plain, warning};

/// Make the release that a recipe describes
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen anonymize recipe.toml
  velamen anonymize recipe.toml --input june.csv --output june --set method.h=0.2
  velamen anonymize recipe.toml --set privacy.0.k=10 --json > manifest.json
  velamen anonymize recipe.toml --output second --after first.custodian

Paths in a recipe are relative to the recipe's folder, paths on the command line to the working folder.")]
pub(crate) struct Anonymize {
    /// The recipe, a TOML file
    recipe: PathBuf,
    /// The table to release, instead of the recipe's
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The release folder, instead of the recipe's
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// A seed, instead of the recipe's: a whole number or 64 hexadecimal digits; as secret as the data
    #[arg(long)]
    seed: Option<String>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Replace a release of that name
    #[arg(long)]
    overwrite: bool,
    /// Keep the counterfeits of an earlier release of the same table: its custodian's folder
    #[arg(long, value_name = "DIR")]
    after: Option<PathBuf>,
    /// On Ctrl-C, end the search and release the best that it has found; a second Ctrl-C ends the run
    #[arg(long)]
    keep_best: bool,
    /// Print the manifest, and nothing else, on standard output
    #[arg(long)]
    json: bool,
    /// Let error messages show the offending cell's value
    #[arg(long)]
    show_values: bool,
    #[command(flatten)]
    common: Common,
}

impl Anonymize {
    pub(super) fn run(self) -> Result<(), JobError> {
        let overrides = Overrides { input: self.input, output: self.output, seed: self.seed, set: self.set };
        let recipe = Recipe::load(&self.recipe, &overrides)?.resolve(&self.recipe)?;
        let after = After::find(&recipe, self.after.as_deref())?;
        let seed = match (&after, &recipe.seed) {
            (Some(after), None) => after.seed().clone(),
            _ => seed_of(&recipe)?,
        };
        let runner = Runner::start(&self.common, false)?;
        let enough = self.keep_best.then(|| runner.enough());
        let options = RunOptions { overwrite: self.overwrite, show_values: self.show_values, enough, after };
        let outcome = runner.with(&seed, |context| anonymize(&recipe, &self.recipe, &options, context))?;
        for text in &outcome.warnings {
            warning(text);
        }
        if self.json {
            line(outcome.manifest.to_json().trim_end());
        } else {
            summary(&outcome);
        }
        Ok(())
    }
}

/// How many checks the written file passed; a run with others has no release.
fn checked(findings: &[Finding]) -> String {
    let of = |state: State| findings.iter().filter(|finding| finding.state == state).count();
    let passed = format!("verified from the written file: all {} checks passed", of(State::Held));
    match of(State::Stated) {
        0 => passed,
        stated => format!("{passed}; {stated} promised besides, which no release can show"),
    }
}

/// What was asked, reached and lost, and where to look.
pub(super) fn summary(outcome: &Outcome) {
    let manifest = &outcome.manifest;
    let classes = if manifest.classes == 1 { "class" } else { "classes" };
    line(format_args!("{} records in {} {classes}", manifest.records, manifest.classes));
    line(format_args!("  suppressed    {}", manifest.suppressed));
    let counterfeits = manifest.counterfeits.map_or("not told".to_owned(), |number| number.to_string());
    line(format_args!("  counterfeits  {counterfeits}"));
    let node: Vec<String> = manifest.node.iter().map(|(name, level)| format!("{name} {level}")).collect();
    if !node.is_empty() {
        line(format_args!("  levels        {}", node.join(", ")));
    }
    for promise in &manifest.privacy {
        let (asked, reached) = (plain(&promise.asked), plain(&promise.reached));
        line(format_args!("  {:<13} asked {asked}; reached {reached}", promise.model));
    }
    for metric in ["lm", "loss", "rce"] {
        if let Some(value) = manifest.utility.get(metric).and_then(|m| m["value"].as_f64()) {
            line(format_args!("  {metric:<13} {value:.4}"));
        }
    }
    line(checked(&outcome.findings));
    line(format_args!("publish    {}  (look at report.html)", outcome.release.display()));
    if let Some(table) = &outcome.table {
        line(format_args!("table      {table}"));
    }
    if let Some(Account { spent, total }) = outcome.budget {
        let of = |spent: Rational, total: Rational| format!("{} of {}", spent.to_f64(), total.to_f64());
        let (epsilon, delta) = (of(spent.epsilon, total.epsilon), of(spent.delta, total.delta));
        line(format_args!("spent      epsilon {epsilon}, delta {delta}  (for you alone)"));
    }
    line(format_args!("keep safe  {}", outcome.custodian.display()));
}
