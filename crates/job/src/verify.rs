//! Reads a release back and checks every promise with the independent checker.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod stated;

use std::path::{Path, PathBuf};

use serde_json::json;
use velamen_checker::{Finding, PopulationRows, Promises, State, Uncheckable, certify};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::release::CatalogRow;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};
use velamen_recipe::{Code, JobError};
use velamen_report::Manifest;

use crate::flat::{flat, open_flat, per_row, read_options};
use crate::published::Published;
use crate::{catalog, estimate, preset, recipients};

/// Checks a release folder; the findings say what is known of each promise. Models that look at the
/// population are checked if its table is given.
///
/// # Errors
/// [`JobError::Io`] or [`JobError::Data`] if the folder holds no readable release.
pub fn verify(
    folder: &Path,
    population: Option<&Path>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let manifest = Manifest::load(folder)?;
    let population = population.map(|path| read_population(path, &manifest, context)).transpose()?;
    let catalog = catalog::read(folder, &manifest)?;
    let written = Written::read(open(folder, &manifest)?, catalog, estimate::read, context)?;
    let mut findings = check(&written, &manifest, population)?;
    let (table, has_catalog) = (written.table, !written.catalog.is_empty());
    findings.push(stated::manifest(&manifest, has_catalog, &findings)?);
    findings.extend(stated::noise(&manifest)?);
    findings.extend(utility(manifest, &table, folder)?);
    Ok(findings)
}

/// What the findings come to.
///
/// # Errors
/// [`JobError::Promise`] where one is broken, else [`JobError::NotChecked`] where one was not checked.
pub fn conclusion(findings: &[Finding]) -> Result<(), JobError> {
    let of = |state: State| findings.iter().filter(move |finding| finding.state == state);
    let broken: Vec<&str> = of(State::Broken).map(|finding| finding.promise.as_str()).collect();
    if !broken.is_empty() {
        let refusal = JobError::Promise(format!("the release does not keep: {}", broken.join(", ")));
        return Err(refusal.coded(Code::RELEASE_BROKEN));
    }
    let why = |finding: &Finding| {
        let missing = finding.reached.get("not-checked").and_then(|why| why.as_str());
        format!("{} ({})", finding.promise, missing.unwrap_or("no reason is known"))
    };
    let unchecked: Vec<String> = of(State::NotChecked).map(why).collect();
    match unchecked[..] {
        [] => Ok(()),
        _ => Err(JobError::NotChecked(format!(
            "no promise is broken, but not checked: {}",
            unchecked.join(", ")
        ))),
    }
}

/// The utility figures compared with those of the released table.
fn utility(manifest: Manifest, table: &FrequencyTable, folder: &Path) -> Result<Vec<Finding>, JobError> {
    let stated = manifest.clone();
    let (figures, documents) = match Published::of_table(manifest, table, None, folder) {
        Ok(published) => {
            let figures = [published.figures(), published.figures_as_asked()];
            (figures, recipients::compare(&stated, &published.release, folder)?)
        }
        // What the checker can read and the measures cannot is no promise broken.
        Err(error) if matches!(error.plain(), JobError::Data(_)) => {
            let problem = error.to_string();
            let finding =
                Finding::of("utility", json!({ "misstated": [] }), json!({ "not-checked": problem }), false);
            return Ok(vec![Finding { state: State::NotChecked, ..finding }]);
        }
        Err(error) => return Err(error),
    };
    Ok(stated::utility(&stated, &figures).into_iter().chain(documents).collect())
}

/// What was written, read back.
pub(crate) struct Written {
    /// What messages call the released file.
    path: PathBuf,
    /// The released file, all columns as they stand there.
    table: FrequencyTable,
    catalog: Vec<CatalogRow>,
}

impl Written {
    /// From an opened file and a catalog; `read` says how much of it may be held.
    fn read(
        input: Input,
        catalog: Vec<CatalogRow>,
        read: fn(&mut Input, &[ColumnRequest], &Context<'_>) -> Result<FrequencyTable, JobError>,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let path = input.path().to_owned();
        let (mut input, requests) = flat(input, |_| Some(Role::Insensitive), &[])?;
        Ok(Self { path, table: read(&mut input, &requests, context)?, catalog })
    }

    /// What a run wrote: a limit was kept before, or must not be kept.
    pub(crate) fn of_run(
        input: Input,
        catalog: Vec<CatalogRow>,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        Self::read(input, catalog, |input, requests, context| Ok(input.read(requests, context)?), context)
    }
}

/// A release folder's file.
pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Input, JobError> {
    Ok(Input::open(&manifest.data.path(folder)?, &read_options(manifest)?)?)
}

/// Checks what was written against a manifest.
pub(crate) fn check(
    written: &Written,
    manifest: &Manifest,
    population: Option<PopulationRows>,
) -> Result<Vec<Finding>, JobError> {
    let Written { path, table, catalog } = written;
    let promises = Promises { population, ..manifest.promises(catalog.clone())? };
    let counts = per_row(table);
    let published = velamen_checker::Published { table: &table.rest, counts: &counts };
    let mut findings = certify(&published, &promises).map_err(|error| {
        JobError::Data(format!("{}: {error}", path.display())).coded(of_uncheckable(&error))
    })?;
    findings.extend(manifest.preset.as_ref().map(|preset| {
        let kept = preset::is_kept(preset, manifest);
        Finding::of("preset", json!({ "name": preset.name }), json!({ "kept": kept }), kept)
    }));
    Ok(findings)
}

fn of_uncheckable(error: &Uncheckable) -> Code {
    match error {
        Uncheckable::NoColumn(_) => Code::MANIFEST_COLUMN,
        Uncheckable::UnknownModel(_) => Code::MANIFEST_MODEL,
        Uncheckable::Parameters(_) => Code::MANIFEST_PARAMETERS,
        Uncheckable::Hierarchy(..) => Code::MANIFEST_HIERARCHY,
    }
}

/// The quasi-identifiers of a population's table, in the order of the promises.
fn read_population(
    path: &Path,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<PopulationRows, JobError> {
    let promises = manifest.promises(Vec::new())?;
    let names: Vec<&str> = promises.qis.iter().map(|qi| qi.name.as_str()).collect();
    let role = |name: &str| names.contains(&name).then_some(Role::Insensitive);
    let (mut input, requests) = open_flat(path, &ReadOptions::default(), role, &names)?;
    let table = estimate::read(&mut input, &requests, context)?;
    let columns: Vec<usize> = names
        .iter()
        .filter_map(|name| table.rest.columns.iter().position(|column| column.name == *name))
        .collect();
    let cell = |row: usize, c: usize| {
        let code = *table.rest.codes.get(c)?.get(row)?;
        table.rest.columns.get(c)?.values.get(code as usize).cloned()
    };
    let value = |row: usize, c: usize| cell(row, c).unwrap_or_default();
    let row = |(row, count): (usize, u64)| (columns.iter().map(|&c| value(row, c)).collect(), count);
    Ok(per_row(&table).into_iter().enumerate().map(row).collect())
}
