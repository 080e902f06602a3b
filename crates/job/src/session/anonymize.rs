//! The main job: recipe in, certified release out, as one function over the steps of a [`Session`].

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tracing::{info, info_span};
use velamen_checker::Finding;
use velamen_core::context::Context;
use velamen_recipe::{JobError, Resolved, Target};
use velamen_report::Manifest;

use super::Session;
use crate::after::After;
use crate::budget::Account;
use crate::database;
use crate::folders::{Folders, Wanted, custodian_of};

/// What the caller decides, beyond the recipe; the same for [`anonymize`] and [`Session::open`].
///
/// ```
/// use velamen_job::RunOptions;
///
/// let options = RunOptions { overwrite: true, ..RunOptions::default() };
/// assert!(!options.show_values);
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Whether an existing release of that name is replaced; a session has no folders before it is given some.
    pub overwrite: bool,
    /// Whether messages may show cell values.
    pub show_values: bool,
    /// Set from outside to end the search with the best release it has found; only searches that have a best
    /// one at any time end by it.
    pub enough: Option<Arc<AtomicBool>>,
    /// An earlier release of the same table, whose counterfeits are kept; left out: [`anonymize`] takes the one that stands
    /// where the release is to be, a session none.
    pub after: Option<After>,
}

/// A finished release.
#[derive(Debug)]
pub struct Outcome {
    /// Its manifest.
    pub manifest: Manifest,
    /// What is shown of each attribute, in words.
    pub shown: Vec<(String, String)>,
    /// What the checker finds for recipients: everything holds, is stated, or needs the population's table.
    pub findings: Vec<Finding>,
    /// The release folder.
    pub release: PathBuf,
    /// The custodian's folder.
    pub custodian: PathBuf,
    /// The database and table that hold the release, too.
    pub table: Option<String>,
    /// What is spent of the budget, for the custodian only.
    pub budget: Option<Account>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Runs a recipe. The context's seed is used as it is.
///
/// # Errors
/// [`JobError`]; then neither folder exists.
pub fn anonymize(
    recipe: &Resolved,
    options: &RunOptions,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let folders = Folders::prepare(&Wanted::of(recipe, options.overwrite))?;
    let opened = RunOptions { after: None, ..options.clone() };
    let mut session = info_span!("open").in_scope(|| Session::open(recipe, &opened, context))?;
    session.warn(folders.warnings());
    let after = options.after.clone().map_or_else(|| After::find(recipe, None), |after| Ok(Some(after)))?;
    if let Some(after) = after {
        session.after(&after, context)?;
    }
    if let Some(target) = &recipe.table {
        database::rehearse(target, session.columns(), context)?;
    }
    let mut loaded = info_span!("read").in_scope(|| session.read(context))?;
    info!(records = loaded.records(), method = recipe.method.name(), "the table was read");
    let searched = info_span!("search").in_scope(|| loaded.search_last(context))?;
    let made = info_span!("apply").in_scope(|| searched.apply(folders, context))?;
    let certified = info_span!("certify").in_scope(|| made.certify(context))?;
    let (budget, warnings) = (certified.budget(), certified.warnings());
    let (manifest, findings) = (certified.manifest().clone(), certified.findings().to_vec());
    let shown = certified.shown();
    info!(records = manifest.records, classes = manifest.classes, checks = findings.len(), "certified");
    info_span!("publish").in_scope(|| certified.publish(context))?;
    Ok(Outcome {
        manifest,
        shown,
        findings,
        release: recipe.output.clone(),
        custodian: custodian_of(&recipe.output),
        table: recipe.table.as_ref().map(Target::label),
        budget,
        warnings,
    })
}
