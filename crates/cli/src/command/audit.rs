use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use velamen_assess::{Audit as Found, AuditOptions, Finding, Kept, audit, empty_folder};
use velamen_dp::Seed;
use velamen_measure::risk::audit::Verdict;
use velamen_recipe::{JobError, Overrides, Recipe};

use super::{Common, Runner, fresh_seed};
use crate::terminal::{grouped, line, note, warning};

/// Try to refute the differential privacy that a recipe's method claims
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  velamen audit recipe.toml
  velamen audit recipe.toml --trials 20000 --from-data 10 --keep pair
  velamen audit recipe.toml --set privacy.0.epsilon=0.5 --json

Exit code 0: not refuted, which is no proof, or nothing claimed; 3: refuted.")]
pub(crate) struct Audit {
    /// The recipe, a TOML file; its input is read for --from-data only
    recipe: PathBuf,
    /// How often to run the recipe on each table
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    trials: u64,
    /// The probability that the stated bound is not above the true epsilon
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    confidence: f64,
    /// Also take this many records of the input, one at a time, out of small tables of others
    #[arg(long, value_name = "N", default_value_t = 0)]
    from_data: u64,
    /// Leave out tables that few users have: equal records, none, and records that should not be there
    #[arg(long)]
    ordinary: bool,
    /// Write the two tables that the result leads with, and a recipe for them, into this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The seed of all runs, a whole number or 64 hexadecimal digits; a fresh one when left out
    #[arg(long)]
    seed: Option<String>,
    /// Change one entry of the recipe; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also print the record that only one of the tables has
    #[arg(long)]
    show_values: bool,
    #[command(flatten)]
    common: Common,
}

impl Audit {
    pub(super) fn run(self) -> Result<(), JobError> {
        let overrides = Overrides { set: self.set, ..Overrides::default() };
        let written = Recipe::load(&self.recipe, &overrides)?;
        let recipe = written.resolve(&self.recipe)?;
        self.keep.as_deref().map(empty_folder).transpose()?;
        // The recipe's own seed would tell nothing of other runs.
        let seed = match &self.seed {
            Some(seed) => {
                Seed::from_str(seed).map_err(|error| JobError::Usage(format!("--seed {seed}: {error}")))?
            }
            None => fresh_seed()?,
        };
        let options = AuditOptions {
            trials: self.trials,
            confidence: self.confidence,
            from_data: self.from_data,
            ordinary: self.ordinary,
        };
        let runner = Runner::start(&self.common, false)?;
        let found = runner
            .with(&seed, |context| audit(&recipe, &self.recipe, &options, self.show_values, context))?;
        if self.json {
            line(serde_json::to_string_pretty(&found).unwrap_or_default());
        } else {
            print(&found);
        }
        for text in &found.warnings {
            warning(text);
        }
        if let Some(folder) = &self.keep {
            told(&found.tables.keep(&written, folder)?);
        }
        match found.verdict {
            Verdict::Refuted => Err(JobError::Promise(format!(
                "epsilon is above {:.4}, more than is claimed",
                found.found.judged.epsilon
            ))),
            _ => Ok(()),
        }
    }
}

/// How the pair's tables are run.
fn told(kept: &Kept) {
    let (recipe, without) = (kept.recipe.display(), kept.without.display());
    note("run the pair with, as often as it takes:");
    note(format_args!("  velamen anonymize {recipe} --overwrite"));
    note(format_args!("  velamen anonymize {recipe} --input {without} --overwrite"));
}

/// What is claimed, what was found, and what that says.
fn print(audit: &Found) {
    let found = &audit.found;
    match audit.claimed {
        Some(claim) => line(format_args!("claimed   epsilon {}, delta {}", claim.epsilon, claim.delta)),
        None => line("claimed   no epsilon"),
    }
    if found.judged.epsilon > 0.0 {
        print_finding(found, audit.confidence * 100.0);
    } else {
        line("found     no event that is much more frequent on one table than on its neighbour");
    }
    if let Some(largest) = &audit.largest {
        line(format_args!(
            "more      epsilon of at least {:.4} on other tables: {}: {}",
            largest.judged.epsilon, largest.tables, largest.event
        ));
    }
    line(format_args!(
        "power     {} pairs of tables, {} runs on each table: no more than epsilon {:.4} can be shown",
        audit.pairs,
        grouped(audit.trials),
        audit.most_shown
    ));
    line(format_args!("verdict   {}", verdict(audit)));
}

fn print_finding(found: &Finding, percent: f64) {
    let judged = &found.judged;
    line(format_args!("found     epsilon of at least {:.4}, with {percent} % confidence", judged.epsilon));
    line(format_args!("tables    {}", found.tables));
    for (name, value) in found.record.iter().flatten() {
        line(format_args!("          {name} = {value}"));
    }
    let way = if judged.searched { "searched on other runs" } else { "chosen before the runs" };
    line(format_args!("event     {} ({way})", found.event));
    let (one, other) = if judged.more_with { ("with", "without") } else { ("without", "with") };
    for (table, tally) in [(one, judged.more), (other, judged.less)] {
        line(format_args!(
            "          in {} of {} runs {table} the record",
            grouped(tally.hits),
            grouped(tally.runs)
        ));
    }
}

fn verdict(audit: &Found) -> String {
    let claimed = audit.claimed.map_or(0.0, |claim| claim.epsilon);
    match audit.verdict {
        Verdict::Refuted => format!("refuted: the claimed epsilon {claimed} does not hold"),
        Verdict::NotRefuted => {
            "not refuted: these runs do not contradict the claim, which is no proof of it".into()
        }
        Verdict::CannotTell { needed } => format!(
            "none: these runs cannot show anything about epsilon {claimed}; at least {needed} on each table are needed"
        ),
        Verdict::NothingClaimed => "none: the method claims no epsilon".into(),
    }
}
