//! Makes releases of linked tables.

use std::path::PathBuf;

use pyo3::prelude::*;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_job::Job;
use velamen_patients::Outcome;
use velamen_recipe::{JobError, Overrides};

use crate::error::{raised, usage};
use crate::linked_release::LinkedRelease;
use crate::options::{Anonymizing, Common};
use crate::recipe::Recipe;
use crate::run::run_in;
use crate::tables::GivenTables;
use crate::temporary::Temporary;

/// Makes a release of linked tables: in folders where an output is named, else in memory.
#[pyfunction]
pub(crate) fn anonymize_linked(
    py: Python<'_>,
    tables: Option<&Bound<'_, PyAny>>,
    recipe: &Recipe,
    options: Anonymizing,
    common: Common,
) -> PyResult<LinkedRelease> {
    let Anonymizing { output, seed, overwrite, after, redraw } = options;
    if after.is_some() || redraw {
        let problem = Problem::new("after: not for linked tables").mend("leave it out");
        return Err(usage(py, problem));
    }
    let path = tables.and_then(|tables| tables.extract::<PathBuf>().ok());
    let given = tables.filter(|_| path.is_none()).map(GivenTables::of).transpose()?;
    let temporary = match &given {
        Some(given) => given.folder(py)?,
        None => Temporary::new(py, Vec::new())?,
    };
    let hidden = |text: &str| temporary.hidden(text);
    let in_memory = output.is_none();
    let place = output.unwrap_or_else(|| temporary.release());
    let overrides = Overrides { input: path, output: Some(place.clone()), seed, ..Overrides::default() };
    let drawn = Seed::fresh().map_err(|error| raised(py, &JobError::unusable(error.to_string())))?;
    let (outcome, files) = run_in(py, Job::seeded(drawn), (&common, &hidden), |context| {
        let outcome = made(recipe, given.as_ref(), &temporary, (&overrides, overwrite), context)?;
        let files = in_memory.then(|| LinkedRelease::files_of(&outcome.release)).transpose()?;
        Ok((outcome, files))
    })?;
    let warnings = outcome.warnings.iter().map(|warning| hidden(warning)).collect();
    Ok(LinkedRelease::of_outcome(Outcome { warnings, ..outcome }, files))
}

/// The run, over the tables that are given or the recipe's own.
fn made(
    recipe: &Recipe,
    given: Option<&GivenTables>,
    temporary: &Temporary,
    (overrides, overwrite): (&Overrides, bool),
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let named = recipe.named();
    if given.is_none() && overrides.input.is_none() {
        named.refuse_no_input()?;
    }
    let mut linked = named.linked_with(overrides)?;
    if let Some(given) = given {
        given.write(temporary, context)?;
        linked.take_given(&temporary.tables())?;
    }
    velamen_patients::anonymize(&linked, recipe.path(), overwrite, context)
}
