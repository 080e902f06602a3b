//! `check`: the mistakes of a recipe, without a run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_dp::Seed;
use velamen_job::{Check as Checked, CheckOptions, CheckReport, check};
use velamen_recipe::{JobError, Origin, Overrides};

use super::entry::Operation;
use super::recipe::TheRecipe;
use super::table::{Call, Table};

/// The mistakes of a recipe.
#[derive(Debug)]
pub struct Check;

/// What is asked of [`Check`].
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Request {
    /// The recipe, a TOML file.
    pub recipe: TheRecipe,
    /// Also read the table.
    #[serde(default)]
    pub data: bool,
    /// The table to release, instead of the recipe's.
    #[serde(default)]
    #[schemars(extend("x-value" = "FILE", "x-argument" = "table", "x-several" = true))]
    pub input: Option<Table>,
    /// The release folder, instead of the recipe's.
    #[serde(default)]
    #[schemars(extend("format" = "path", "x-value" = "DIR"))]
    pub output: Option<PathBuf>,
    /// Change one entry of the recipe; may be repeated.
    #[serde(default)]
    #[schemars(extend("format" = "set", "x-value" = "KEY=VALUE", "x-absent" = "python"))]
    pub set: Vec<String>,
    /// Allow a release of that name to exist.
    #[serde(default)]
    pub overwrite: bool,
    /// Let error messages show the offending cell's value.
    #[serde(default)]
    #[schemars(extend("x-needs" = "data", "x-absent" = "python"))]
    pub show_values: bool,
}

/// What a check found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Check")]
pub struct CheckAnswer {
    /// The mistakes, or what the recipe comes to.
    #[serde(flatten)]
    pub report: CheckReport,
    /// The last mistake of the class that a run's first has: with it the command ends, whose exit code is that of a run.
    #[serde(skip)]
    pub last: Option<JobError>,
    /// The others, in the order of the lines.
    #[serde(skip)]
    pub others: Vec<JobError>,
}

impl CheckAnswer {
    fn of(checked: Result<Checked, JobError>, mistakes: impl FnOnce() -> Vec<JobError>) -> Self {
        match checked {
            Ok(check) => Self {
                report: CheckReport { mistakes: Vec::new(), check: Some(check) },
                last: None,
                others: Vec::new(),
            },
            Err(first) => {
                let class = first.class();
                let report = CheckReport::of(&Err(first), mistakes);
                let mut others = report.mistakes.clone();
                let last = others.iter().rposition(|mistake| mistake.class() == class);
                let last = last.map(|last| others.remove(last));
                Self { report, last, others }
            }
        }
    }
}

impl Request {
    fn checked(
        &self,
        table: Option<&Origin>,
        overrides: &Overrides,
        call: &Call<'_>,
    ) -> Result<Checked, JobError> {
        let resolved = self.recipe.resolved(table, overrides)?;
        let options = CheckOptions {
            data: self.data,
            overwrite: self.overwrite,
            show_values: self.show_values && call.shows_cells,
            in_memory: self.output.is_none() && self.recipe.is_without("output"),
        };
        // Nothing is drawn but a random sample of the input: without a seed of the recipe's any will do.
        let seed = resolved.seed.clone().unwrap_or_else(|| Seed::from_number(0));
        check(&resolved, options, &call.drawing(&seed))
    }
}

impl Request {
    /// A recipe of linked tables.
    fn linked(&self, overrides: &Overrides, call: &Call<'_>) -> Result<Checked, JobError> {
        let recipe = self.recipe.linked_over(self.input.as_ref(), overrides, call)?;
        let warnings = velamen_patients::check(&recipe, self.recipe.path(), self.data, call.context)?;
        Ok(Checked { warnings, data: None })
    }
}

impl Operation for Check {
    const NAME: &'static str = "check";
    const SUMMARY: &'static str = "Check a recipe without running it";
    const DETAILS: &'static str = "It lists all mistakes that a run would refuse, and writes nothing.";
    type Request = Request;
    type Answer = CheckAnswer;

    fn run(request: Request, call: &Call<'_>) -> Result<CheckAnswer, JobError> {
        let (output, set) = (request.output.clone(), request.set.clone());
        let overrides = Overrides { output, set, ..Overrides::default() };
        let table = call.origin_of(request.input.as_ref())?;
        if request.recipe.is_linked()? {
            let checked = request.linked(&overrides, call);
            return match checked {
                Err(error) if error.is_interrupted() => Err(error),
                checked => Ok(CheckAnswer::of(checked, Vec::new)),
            };
        }
        call.refuse_several(request.input.as_ref())?;
        if request.data && table.is_none() {
            request.recipe.refuse_no_input()?;
        }
        let checked = request.checked(table.as_ref(), &overrides, call);
        if let Err(error) = &checked
            && error.is_interrupted()
        {
            return Err(error.clone());
        }
        Ok(CheckAnswer::of(checked, || request.recipe.mistakes(table.as_ref(), &overrides)))
    }

    fn conclusion(found: CheckAnswer) -> Result<(), JobError> {
        found.last.map_or(Ok(()), Err)
    }
}
