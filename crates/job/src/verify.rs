//! Reads a release back and checks every promise with the independent checker.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod columns;
mod earlier;
pub(crate) mod folder;
mod form;
mod kept;
mod order;
mod padded;
mod page;
mod parameters;
pub mod recorded;
mod stated;

use std::path::{Path, PathBuf};

use serde_json::json;
use velamen_checker::{Finding, State, Uncheckable, certify};
use velamen_contract::{PlacedCounterfeits, PopulationRows, Promises};
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Hierarchy;
use velamen_core::release::CatalogRow;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};
use velamen_recipe::{Class, Code, JobError};
use velamen_report::{Manifest, OfMethod, telling};

use crate::flat::{flat, open_flat, per_row, read_options};
use crate::published::Published;
use crate::recipients::VERSION;
use crate::{after, catalog, estimate, preset, recipients};

pub(crate) use form::types;

/// Checks a release folder; the findings say what is known of each promise. Models that look at the
/// population are checked if its table is given.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if the folder holds no readable release.
pub fn verify(
    folder: &Path,
    population: Option<&Path>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    verify_with(folder, &Beside { population, ..Beside::default() }, context)
}

/// What a release can be checked with beside its own files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// A table of the population, for models that look at it.
    pub population: Option<&'a Path>,
    /// The custodian's folder, whose list of counterfeits shows what holds of the real records.
    pub custodian: Option<&'a Path>,
}

/// The same with all that there is.
///
/// # Errors
/// As [`verify`], and of what is given beside.
pub fn verify_with(
    folder: &Path,
    beside: &Beside<'_>,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let manifest = velamen_report::load(folder)?;
    let population = beside.population.map(|path| read_population(path, &manifest, context)).transpose()?;
    let placed = beside.custodian.map(placed).transpose()?;
    let recorded = beside.custodian.map(|custodian| recorded::finding(folder, custodian)).transpose()?;
    let files = folder::files(folder, &manifest)?;
    let catalog = catalog::read(folder, &manifest)?;
    let input = open(folder, &manifest)?;
    let header = form::FileHeader::of(&input);
    let written = WrittenFile::read(input, catalog, estimate::read, context)?;
    // The page says what recipients can check, who have nothing beside.
    let is_alone = population.is_none() && placed.is_none();
    let without = (!is_alone).then(|| check(&written, &manifest, None)).transpose()?;
    let checked = check_with(&written, &manifest, population, placed)?;
    let (table, has_catalog) = (&written.table, !written.catalog.is_empty());
    let mut findings = velamen_report::in_people::beside_people(&manifest, checked.clone());
    findings.push(stated::manifest(&manifest, has_catalog, &checked)?);
    findings.extend(stated::noise(&manifest)?);
    findings.push(header.finding(folder, &manifest, (&table.rest, &written.catalog), context)?);
    findings.push(files);
    findings.push(parameters::stated(&manifest));
    findings.extend(earlier::finding(&manifest, header.has_types()));
    findings.extend(form::as_written(folder)?);
    let is_recorded = recorded.as_ref().is_some_and(|recorded| recorded.state == State::Held);
    findings.extend(recorded);
    let checked = without.as_deref().unwrap_or(&checked);
    findings.extend(shown(manifest, table, folder, (checked, is_recorded), context)?);
    Ok(findings)
}

/// Why a file that another version may write otherwise is not compared.
fn unlike_other_version(manifest: &Manifest, what: &str) -> String {
    if manifest.velamen == VERSION {
        return format!(
            "{what}: not what velamen {VERSION} writes, and the release is of {}",
            earlier::form(manifest)
        );
    }
    // Whoever changed the file can have changed the version, too: it is called what the release says.
    let by: String = manifest.velamen.chars().filter(char::is_ascii_graphic).take(40).collect();
    format!(
        "{what}: not what velamen {VERSION} writes; the release says that velamen {by} made it, which can check this"
    )
}

/// What the findings come to.
///
/// # Errors
/// [`JobError::promise`] where one is broken, else [`JobError::not_checked`] where one was not checked.
pub fn conclusion(findings: &[Finding]) -> Result<(), JobError> {
    let of = |state: State| findings.iter().filter(move |finding| finding.state == state);
    let broken: Vec<&str> = of(State::Broken).map(|finding| finding.promise.as_str()).collect();
    if !broken.is_empty() {
        let refusal = JobError::promise(format!("the release does not keep: {}", broken.join(", ")));
        return Err(refusal.coded(Code::RELEASE_BROKEN));
    }
    let why = |finding: &Finding| format!("{} ({})", finding.promise, finding.why_not_checked());
    let unchecked: Vec<String> = of(State::NotChecked).map(why).collect();
    match unchecked[..] {
        [] => Ok(()),
        _ => Err(JobError::not_checked(format!(
            "no promise is broken, but not checked: {}",
            unchecked.join(", ")
        ))),
    }
}

/// What is made from the released records, compared: the utility figures, the files for recipients and the page. `is_recorded`:
/// the custodian's folder has this very manifest.
fn shown(
    manifest: Manifest,
    table: &FrequencyTable,
    folder: &Path,
    (checked, is_recorded): (&[Finding], bool),
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let stated = manifest.clone();
    let recognized;
    let (figures, documents, page) = match Published::of_table(manifest, table, None, folder) {
        Ok(published) => {
            let figures = [published.figures(), published.figures_as_asked()];
            let hierarchies: Vec<&Hierarchy> = published.qis.iter().map(|qi| &qi.hierarchy).collect();
            let expected = telling::expected(&stated, &published.release, &hierarchies, context)?;
            recognized = stated::recognized(&stated, expected)
                .map(|finding| if is_recorded { finding } else { finding.shown_in_part() });
            let documents = recipients::compare(&stated, &published.release, folder)?;
            (figures, documents, page::finding(folder, &stated, checked, Some(&published.release))?)
        }
        // What the checker can read and the measures cannot is no promise broken.
        Err(error) if error.class() == Class::Data => {
            let asked = json!({ "misstated": [] });
            let finding = Finding::not_checked("utility", asked, &error.to_string());
            let page = page::finding(folder, &stated, checked, None)?;
            return Ok([finding].into_iter().chain(page).collect());
        }
        Err(error) => return Err(error),
    };
    Ok(stated::utility(&stated, &figures)
        .into_iter()
        .chain(recognized)
        .chain(documents)
        .chain(page)
        .collect())
}

/// What was written, read back.
pub(crate) struct WrittenFile {
    /// What messages call the released file.
    path: PathBuf,
    /// The released file, all columns as they stand there.
    table: FrequencyTable,
    catalog: Vec<CatalogRow>,
}

impl WrittenFile {
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
    Ok(Input::open(&velamen_report::data_path(&manifest.data, folder)?, &read_options(manifest)?)?)
}

/// Checks what was written against a manifest.
pub(crate) fn check(
    written: &WrittenFile,
    manifest: &Manifest,
    population: Option<PopulationRows>,
) -> Result<Vec<Finding>, JobError> {
    check_with(written, manifest, population, None)
}

fn check_with(
    written: &WrittenFile,
    manifest: &Manifest,
    population: Option<PopulationRows>,
    placed: Option<Vec<PlacedCounterfeits>>,
) -> Result<Vec<Finding>, JobError> {
    let WrittenFile { path, table, catalog } = written;
    let promises = Promises { population, placed, ..manifest.promises(catalog.clone())? };
    let counts = per_row(table);
    let published = velamen_checker::Published { table: &table.rest, counts: &counts, people: None };
    let mut findings = certify(&published, &promises).map_err(|error| {
        JobError::data(format!("{}: {error}", path.display())).coded(of_uncheckable(&error))
    })?;
    findings.extend(manifest.preset.as_ref().map(|preset| {
        let kept = preset::is_kept(preset, manifest);
        Finding::of("preset", json!({ "name": preset.name }), json!({ "kept": kept }), kept)
    }));
    Ok(findings)
}

pub(crate) fn of_uncheckable(error: &Uncheckable) -> Code {
    match error {
        Uncheckable::NoColumn(_) => Code::MANIFEST_COLUMN,
        Uncheckable::UnknownModel(_) => Code::MANIFEST_MODEL,
        Uncheckable::Parameters(_) => Code::MANIFEST_PARAMETERS,
        Uncheckable::Hierarchy(..) => Code::MANIFEST_HIERARCHY,
    }
}

/// The counterfeits of a custodian's folder.
fn placed(custodian: &Path) -> Result<Vec<PlacedCounterfeits>, JobError> {
    let of = |(class, value, count)| PlacedCounterfeits { class, value, count };
    Ok(after::counterfeits(custodian)?.into_iter().map(of).collect())
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
