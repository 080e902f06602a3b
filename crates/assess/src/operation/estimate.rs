//! `estimate`: what a recipe's run needs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_job::estimate::{Estimate as Estimated, estimate};
use velamen_patients::LinkedEstimate;
use velamen_recipe::{JobError, Overrides};

use super::entry::Operation;
use super::recipe::TheRecipe;
use super::table::{Call, Table};

/// What a recipe's run needs.
#[derive(Debug)]
pub struct Estimate;

/// What is asked of [`Estimate`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The recipe, a TOML file.
    pub recipe: TheRecipe,
    /// The table to release, instead of the recipe's.
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-argument" = "table", "x-first" = true, "x-several" = true))]
    pub input: Option<Table>,
    /// The release folder, instead of the recipe's.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "DIR"))]
    pub output: Option<PathBuf>,
    /// Change one entry of the recipe; may be repeated.
    #[serde(default)]
    #[schemars(extend("format" = "set", "x-value" = "KEY=VALUE", "x-absent" = "python"))]
    pub set: Vec<String>,
}

/// What was estimated.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Estimate")]
pub enum EstimateFound {
    /// How much of linked tables is kept.
    Linked(Box<LinkedEstimate>),
    /// What a run over a table needs.
    Table(Box<Estimated>),
}

impl Operation for Estimate {
    const NAME: &'static str = "estimate";
    const SUMMARY: &'static str = "Estimate what a recipe's run needs: memory, disk and time";
    const DETAILS: &'static str =
        "Of linked tables it estimates how much is kept, for one to three known codes.";
    type Request = Request;
    type Answer = EstimateFound;

    fn run(request: Request, call: &Call<'_>) -> Result<EstimateFound, JobError> {
        let Request { recipe, input, output, set } = request;
        let overrides = Overrides { output, set, ..Overrides::default() };
        if recipe.is_linked()? {
            let linked = recipe.linked_over(input.as_ref(), &overrides, call)?;
            let found = velamen_patients::estimate(&linked, recipe.path(), call.context)?;
            return Ok(EstimateFound::Linked(Box::new(found)));
        }
        call.refuse_several(input.as_ref())?;
        let resolved = recipe.over(call.origin_of(input.as_ref())?.as_ref(), &overrides)?;
        Ok(EstimateFound::Table(Box::new(estimate(&resolved, call.context)?)))
    }

    fn conclusion(found: EstimateFound) -> Result<(), JobError> {
        match found {
            EstimateFound::Linked(_) => Ok(()),
            EstimateFound::Table(found) => found.refusal().map_or(Ok(()), Err),
        }
    }
}
