//! `explore`: the releases that a recipe could make and that no other beats.

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_job::{Front, RunOptions, Session};
use velamen_recipe::{JobError, Overrides};

use super::entry::Operation;
use super::recipe::{TheRecipe, seed_of};
use super::table::{Call, Table};

/// The releases that a recipe could make and that no other beats.
#[derive(Debug)]
pub struct Explore;

/// What is asked of [`Explore`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The recipe, a TOML file.
    pub recipe: TheRecipe,
    /// The table, instead of the recipe's.
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-argument" = "table", "x-first" = true))]
    pub input: Option<Table>,
    /// Change one entry of the recipe; may be repeated.
    #[serde(default)]
    #[schemars(extend("format" = "set", "x-value" = "KEY=VALUE", "x-absent" = "python"))]
    pub set: Vec<String>,
    /// Show at most this many, the best figure first.
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-value" = "N"))]
    pub top: Option<u16>,
    /// Search for at most this many seconds.
    #[serde(default)]
    #[schemars(extend("x-value" = "S"))]
    pub seconds: Option<f64>,
}

impl Operation for Explore {
    const NAME: &'static str = "explore";
    const SUMMARY: &'static str = "List the possible releases of a recipe that no other one beats";
    const DETAILS: &'static str = "Nothing is released. The exact figures are for the custodian only.";
    type Request = Request;
    type Answer = Front;

    fn run(request: Request, call: &Call<'_>) -> Result<Front, JobError> {
        let Request { recipe, input, set, top, seconds } = request;
        if let Some(seconds) = seconds.filter(|seconds| !(*seconds > 0.0 && seconds.is_finite())) {
            return Err(
                JobError::usage(format!("--seconds {seconds}: a wrong value")).expected("a number above 0")
            );
        }
        let overrides = Overrides { set, ..Overrides::default() };
        let resolved = recipe.over(call.origin_of(input.as_ref())?.as_ref(), &overrides)?;
        let seed = seed_of(&resolved)?;
        let context = &call.drawing(&seed);
        let mut front = match Front::without_figures(&resolved) {
            Some(front) => front,
            None => {
                let loaded = Session::open(&resolved, &RunOptions::default(), context)?.read(context)?;
                loaded.front(seconds, &mut |_| (), context)?
            }
        };
        front.solutions.truncate(top.map_or(usize::MAX, usize::from));
        Ok(front)
    }
}
