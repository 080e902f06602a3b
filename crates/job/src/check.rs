//! What can be refused of a recipe before it runs: without its data, or with what reading shows. Nothing is written,
//! nothing is drawn, and nothing is spent of a budget.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_recipe::{Code, JobError, Mistake, Resolved};

use crate::after::After;
use crate::folders::{self, Wanted};
use crate::session::{CheckedData, Session, of_recipe};
use crate::{budget, identity};

/// How a recipe is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Whether the table is read, too.
    pub data: bool,
    /// Whether a release of that name may stand there, since it will be replaced.
    pub overwrite: bool,
    /// Whether messages may show cell values.
    pub show_values: bool,
    /// Whether the release will stay in memory: no place of an output is then looked at.
    pub in_memory: bool,
}

/// What a check found: mistakes, or what the recipe comes to.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct CheckReport {
    /// All mistakes that were found, in the order of the recipe's lines; those without a line come last.
    pub mistakes: Vec<Mistake>,
    /// Absent where there is a mistake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
}

impl CheckReport {
    /// From a check; `recipe` lists the recipe's mistakes, the one that a run would name first.
    pub fn of(checked: &Result<Check, JobError>, recipe: impl FnOnce() -> Vec<JobError>) -> Self {
        match checked {
            Ok(check) => Self { mistakes: Vec::new(), check: Some(check.clone()) },
            Err(first) => {
                let others = recipe();
                let all = std::iter::once(first).chain(others.iter().skip(1));
                let mut mistakes: Vec<Mistake> = all.cloned().collect();
                mistakes.sort_by_key(|mistake| (mistake.place().line.is_none(), mistake.place().line));
                Self { mistakes, check: None }
            }
        }
    }
}

/// What a recipe without a mistake comes to.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Check {
    /// What the user should know.
    pub warnings: Vec<String>,
    /// What reading showed; absent where the table was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<CheckedData>,
}

/// Checks all of a recipe that a run would refuse before its method begins.
///
/// # Errors
/// What a run would refuse.
pub fn check(recipe: &Resolved, options: CheckOptions, context: &Context<'_>) -> Result<Check, JobError> {
    let stands = if options.in_memory { None } else { standing(recipe, options.overwrite)? };
    recipe.budget.as_ref().map_or(Ok(()), budget::check)?;
    if !recipe.identities.is_empty() {
        identity::key(&recipe.identities)?;
    }
    let mut warnings: Vec<String> = of_recipe(recipe);
    let data = match options.data {
        false => {
            warnings.extend(recipe.notes.iter().cloned());
            None
        }
        true => {
            let session = Session::unreserved(recipe, options.show_values)?;
            let (data, shown) = session.read(context)?.check()?;
            warnings.extend(shown);
            Some(data)
        }
    };
    warnings.extend(stands);
    Ok(Check { warnings, data })
}

/// What is said of a release that stands where one would be made: a run refuses it, and the recipe is none the worse.
fn standing(recipe: &Resolved, overwrite: bool) -> Result<Option<String>, JobError> {
    let stands = match folders::refuse(&Wanted::of(recipe, overwrite)) {
        Err(error) if error.code() == Code::OUTPUT_EXISTS => Some(error.to_string()),
        other => other.map(|()| None)?,
    };
    After::find(recipe, None)?;
    Ok(stands)
}
