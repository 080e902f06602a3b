//! `audit`: whether the differential privacy that a recipe claims can be refuted.

use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_dp::Seed;
use velamen_measure::risk::audit::Verdict;
use velamen_recipe::{JobError, Overrides, Resolved};

use super::entry::Operation;
use super::recipe::{TheRecipe, fresh_seed};
use super::table::{Call, Table};
use crate::audit::{AuditOptions, audit, empty_folder};

/// Whether the differential privacy that a recipe claims can be refuted.
#[derive(Debug)]
pub struct Audit;

/// What is asked of [`Audit`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The recipe, a TOML file; its input is read for --from-data only.
    pub recipe: TheRecipe,
    /// The table to take records from, instead of the recipe's.
    #[serde(default)]
    #[schemars(extend("x-argument" = "table", "x-absent" = "command line"))]
    pub input: Option<Table>,
    /// How often to run the recipe on each table.
    #[serde(default = "trials")]
    #[schemars(extend("x-value" = "N"))]
    pub trials: u64,
    /// The probability that the stated bound is not above the true epsilon.
    #[serde(default = "confidence")]
    #[schemars(extend("x-value" = "P"))]
    pub confidence: f64,
    /// Also take this many records of the input, one at a time, out of small tables of others.
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub from_data: u64,
    /// Leave out tables that few users have: equal records, none, and records that should not be there.
    #[serde(default)]
    pub ordinary: bool,
    /// Replay: give the answers that a run on one table drew to a run on its neighbour, instead of many runs. All that both
    /// leave must be the same then.
    #[serde(default)]
    pub inside: bool,
    /// Write the two tables that the result leads with, and a recipe for them, into this folder.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "DIR"))]
    pub keep: Option<PathBuf>,
    /// The seed of all runs, a whole number or 64 hexadecimal digits; a fresh one when left out.
    #[serde(default)]
    #[schemars(extend("format" = "seed"))]
    pub seed: Option<String>,
    /// Change one entry of the recipe; may be repeated.
    #[serde(default)]
    #[schemars(extend("format" = "set", "x-value" = "KEY=VALUE", "x-absent" = "python"))]
    pub set: Vec<String>,
    /// Also print the record that only one of the tables has.
    #[serde(default)]
    pub show_values: bool,
}

fn trials() -> u64 {
    2_000
}

fn confidence() -> f64 {
    0.95
}

impl Request {
    fn overrides(&self) -> Overrides {
        Overrides { set: self.set.clone(), ..Overrides::default() }
    }

    /// Without a table an audit makes all of its records up.
    fn resolved(&self, call: &Call<'_>) -> Result<Resolved, JobError> {
        match call.origin_of(self.input.as_ref())? {
            None if self.from_data == 0 => self.recipe.written(&self.overrides())?.resolve(),
            table => self.recipe.over(table.as_ref(), &self.overrides()),
        }
    }

    /// The recipe's own seed would tell nothing of other runs.
    fn drawn(&self) -> Result<Seed, JobError> {
        match &self.seed {
            Some(seed) => {
                Seed::from_str(seed).map_err(|error| JobError::usage(format!("--seed {seed}: {error}")))
            }
            None => fresh_seed(),
        }
    }
}

/// Why a claim does not hold.
fn refutation(found: &crate::audit::Audit) -> String {
    let unlike = found.inside.iter().flat_map(|inside| &inside.differences).next();
    match (unlike, &found.found) {
        (Some(unlike), _) => format!("neighbouring tables differ by more than is paid for: {}", unlike.what),
        (None, Some(finding)) => {
            format!("epsilon is above {:.4}, more than is claimed", finding.judged.epsilon)
        }
        (None, None) => "epsilon is above what is claimed".to_owned(),
    }
}

impl Operation for Audit {
    const NAME: &'static str = "audit";
    const SUMMARY: &'static str = "Try to refute the differential privacy that a recipe's method claims";
    const DETAILS: &'static str = "Not refuted is no proof.";
    type Request = Request;
    type Answer = crate::audit::Audit;

    fn run(request: Request, call: &Call<'_>) -> Result<Self::Answer, JobError> {
        let resolved = request.resolved(call)?;
        request.keep.as_deref().map(empty_folder).transpose()?;
        let seed = request.drawn()?;
        let options = AuditOptions {
            trials: request.trials,
            confidence: request.confidence,
            from_data: request.from_data,
            ordinary: request.ordinary,
            inside: request.inside,
        };
        let context = call.drawing(&seed);
        let mut found = audit(&resolved, &options, request.show_values, &context)?;
        if let Some(folder) = &request.keep {
            let written = request.recipe.written(&request.overrides())?;
            found.kept = Some(found.tables.keep(&written, folder)?);
        }
        Ok(found)
    }

    fn conclusion(found: Self::Answer) -> Result<(), JobError> {
        match found.verdict {
            Verdict::Refuted => Err(JobError::promise(refutation(&found))),
            _ => Ok(()),
        }
    }
}
