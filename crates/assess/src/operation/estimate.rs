//! `estimate`: what a recipe's run needs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_job::estimate::{Estimate as Estimated, estimate};
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

impl Operation for Estimate {
    const NAME: &'static str = "estimate";
    const SUMMARY: &'static str = "Estimate what a recipe's run needs: memory, disk and time";
    type Request = Request;
    type Answer = Estimated;

    fn run(request: Request, call: &Call<'_>) -> Result<Estimated, JobError> {
        let Request { recipe, input, output, set } = request;
        let overrides = Overrides { output, set, ..Overrides::default() };
        let resolved = recipe.over(call.origin_of(input.as_ref())?.as_ref(), &overrides)?;
        estimate(&resolved, recipe.path(), call.context)
    }

    fn conclusion(found: Estimated) -> Result<(), JobError> {
        found.refusal().map_or(Ok(()), Err)
    }
}
