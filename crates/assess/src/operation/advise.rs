//! `advise`: what single changes of a recipe would keep or cost.

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_recipe::{JobError, Overrides};

use super::entry::Operation;
use super::recipe::{TheRecipe, seed_of};
use super::table::{Call, Table};
use crate::advise::{Advice, AdviceRequest, advise};
use crate::compare::{AnalysisOptions, RangeReading};

/// What single changes of a recipe would keep or cost.
#[derive(Debug)]
pub struct Advise;

/// What is asked of [`Advise`].
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
    /// Also measure how far the confidence intervals of these analyses overlap, with ranges read as `fitted` unless a file
    /// says otherwise: a file, or a formula; may be repeated.
    #[serde(default)]
    #[schemars(extend("format" = "analysis", "x-value" = "FILE|FORMULA"))]
    pub analysis: Vec<String>,
    /// Try changes for at most this many seconds.
    #[serde(default = "within")]
    #[schemars(extend("x-value" = "S"))]
    pub within: f64,
}

fn within() -> f64 {
    20.0
}

impl Operation for Advise {
    const NAME: &'static str = "advise";
    const SUMMARY: &'static str = "Measure what single changes of a recipe would keep or cost";
    const DETAILS: &'static str = "Nothing is released. The exact figures are for the custodian only.";
    type Request = Request;
    type Answer = Advice;

    fn run(request: Request, call: &Call<'_>) -> Result<Advice, JobError> {
        let Request { recipe, input, set, analysis, within } = request;
        if !(within > 0.0 && within.is_finite()) {
            return Err(
                JobError::usage(format!("--within {within}: a wrong value")).expected("a number above 0")
            );
        }
        let origin = call.origin_of(input.as_ref())?;
        if origin.is_none() {
            recipe.refuse_no_input()?;
        }
        let changed = |overrides: &Overrides| recipe.written_over(origin.as_ref(), overrides);
        let overrides = Overrides { set: set.clone(), ..Overrides::default() };
        let seed = seed_of(&recipe.over(origin.as_ref(), &overrides)?)?;
        let analyses = AnalysisOptions { analysis, by: Vec::new(), reading: RangeReading::Fitted };
        let asked = AdviceRequest { recipe: &changed, set, analyses, within };
        advise(&asked, &call.drawing(&seed))
    }
}
