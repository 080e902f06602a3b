//! Makes releases, and checks them.

use std::path::PathBuf;

use pyo3::prelude::*;
use velamen_core::context::Context;
use velamen_engine::format::IN_MEMORY;
use velamen_engine::source::Batches;
use velamen_job::{After, Job, RunOptions, Session};
use velamen_recipe::{JobError, Overrides, Resolved};

use crate::arrow::Records;
use crate::error::raised;
use crate::folder::Folder;
use crate::options::{Anonymizing, Common};
use crate::recipe::Recipe;
use crate::released::{Release, listed};
use crate::run::{run, unseeded};
use crate::table::GivenTable;

/// Makes a release: in folders where an output is named, else in memory.
#[pyfunction]
pub(crate) fn anonymize(
    py: Python<'_>,
    table: Option<GivenTable>,
    recipe: &Recipe,
    options: Anonymizing,
    common: Common,
) -> PyResult<Release> {
    let at = |error: JobError| raised(py, &error);
    let Anonymizing { output, seed, overwrite, after, redraw } = options;
    let in_memory = output.is_none();
    let overrides = Overrides { output, seed, ..Overrides::default() };
    let resolved = recipe.over(table.as_ref(), &overrides).map_err(at)?;
    let after = match &after {
        None if in_memory => None,
        named => After::find(&resolved, named.as_deref()).map_err(at)?.map(|after| after.redrawing(redraw)),
    };
    let job = job(&resolved, after.as_ref()).map_err(at)?;
    let options = RunOptions { overwrite, after, ..RunOptions::default() };
    if in_memory {
        return run(py, job, &common, |context| {
            let session = Session::open(&resolved, &options, context)?;
            session.read(context)?.search(context)?.in_memory(context)?.certify(context)?.keep(context)
        })
        .map(Release::of_kept);
    }
    run(py, job, &common, |context| velamen_job::anonymize(&resolved, &options, context))
        .map(Release::of_outcome)
}

/// With the seed of the recipe, of an earlier release, or a fresh one.
fn job(resolved: &Resolved, after: Option<&After>) -> Result<Job, JobError> {
    match (after, &resolved.seed) {
        (Some(after), None) => Ok(Job::seeded(after.seed().clone())),
        _ => Job::of(resolved),
    }
}

/// Makes the page of a release again; the findings as JSON.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    release: Folder,
    output: PathBuf,
    population: Option<PathBuf>,
    common: Common,
) -> PyResult<String> {
    let write = |context: &Context<'_>| {
        velamen_job::write_report(release.path(), &output, population.as_deref(), context)
    };
    run(py, unseeded(), &common, write).map(|findings| listed(&findings))
}

/// The version of a release without counterfeits.
#[pyfunction]
pub(crate) fn truthful(py: Python<'_>, release: Folder, common: Common) -> PyResult<Records> {
    let made = run(py, unseeded(), &common, |context| {
        let version = velamen_job::truthful::version(release.path(), context)?;
        Ok(Batches::of_arrow(version.table.to_bytes(IN_MEMORY, b',', context)?)?)
    });
    made.map(Records)
}

/// Writes that version to a file; how many records it has.
#[pyfunction]
pub(crate) fn truthful_file(
    py: Python<'_>,
    release: Folder,
    output: PathBuf,
    common: Common,
) -> PyResult<u64> {
    let write = |context: &Context<'_>| velamen_job::write_truthful(release.path(), &output, context);
    run(py, unseeded(), &common, write).map(|summary| summary.records)
}

/// The records of a release that is in a folder.
#[pyfunction]
pub(crate) fn records(py: Python<'_>, release: Folder, common: Common) -> PyResult<Records> {
    let read = |context: &Context<'_>| velamen_job::records(release.path(), context);
    run(py, unseeded(), &common, read).map(Records)
}
