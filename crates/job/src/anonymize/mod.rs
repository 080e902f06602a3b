//! The main job: recipe in, certified release out.

mod columns;
mod custodian;
mod describe;
mod headers;
mod persons;
pub(crate) mod pictures;
mod population;
mod utility;
mod within;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::method::{Counterfeits, Decision, MethodError, Outcome as Decided, Task};
use velamen_core::release::Release;
use velamen_core::release::certify::{Finding, State};
use velamen_engine::{FileFormat, Format};

use crate::budget::{self, Account};
use crate::error::JobError;
use crate::estimate::Allowance;
use crate::folders::{Folders, Wanted, custodian_of};
use crate::manifest::{self, DataFile, Manifest};
use crate::matching::told_apart;
use crate::nearly_unique::nearly_unique;
use crate::recipe::{Formulas, Preset, Resolved, Target};
use crate::table::Source;
use crate::{catalog, database, identifier_like, identity, safe_harbor, verify};

/// What the caller decides, beyond the recipe.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Whether an existing release of that name is replaced.
    pub overwrite: bool,
    /// Whether messages may show cell values.
    pub show_values: bool,
}

/// A finished release.
#[derive(Debug)]
pub struct Outcome {
    /// Its manifest.
    pub manifest: Manifest,
    /// What the checker found: everything holds, or is stated.
    pub findings: Vec<Finding>,
    /// The release folder.
    pub release: PathBuf,
    /// The custodian's folder.
    pub custodian: PathBuf,
    /// The database and table that hold the release, too.
    pub table: Option<String>,
    /// What is spent of the budget, for the custodian alone.
    pub budget: Option<Account>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Runs a recipe. `path` is the recipe's file, for messages. The context's seed is used as it is.
///
/// # Errors
/// [`JobError`]; then neither folder exists.
pub fn anonymize(
    recipe: &Resolved,
    path: &Path,
    options: &RunOptions,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let folders = Folders::prepare(&Wanted::of(recipe, options.overwrite))?;
    let reserve = |budget| budget::reserve(budget, &recipe.output, recipe.method.name().to_owned(), context);
    let reserved = recipe.budget.as_ref().map(reserve).transpose()?;
    let mut source = Source::open(recipe, path, options.show_values)?;
    if let Some(target) = &recipe.table {
        database::rehearse(target, &source.requests, context)?;
    }
    let safe_harbor = recipe.preset == Some(Preset::HipaaSafeHarbor);
    let wrong = |problem| recipe.places.refuse(path, &["preset"], problem);
    if recipe.method.is_private() {
        // What is refused here is refused of every table. No later refusal looks at records:
        // docs/methods/private-refusals.md.
        source.forget_form();
        source.refuse_wide()?;
        if safe_harbor {
            safe_harbor::check_declared(recipe).map_err(wrong)?;
        }
    }
    let table = prepared(recipe, path, read(recipe, &mut source, context)?, context)?;
    if safe_harbor && !recipe.method.is_private() {
        safe_harbor::check(recipe, &table).map_err(wrong)?;
    }
    identifier_like::check(recipe, path, &table)?;
    source.warnings.extend(folders.warnings());
    source.warnings.extend(identity::linkable(&table, &recipe.identities));
    source.warnings.extend(headers::warnings(recipe, &table));
    let budget = reserved.map(budget::Reserved::spend).transpose()?;
    let Made { decision, table, release, ids } = made(recipe, Cow::Owned(table), context)?;
    source.requests.retain(|request| request.role != Role::Person);
    let shown = shown(&decision.outcome, &table);
    let mut data = data_file(recipe, &source);
    let again = write_data(recipe, &release, &source, folders.release(), &mut data, context)?;
    source.warnings.extend(again);
    let mut manifest = describe::manifest(recipe, &source, &shown, &release, &decision, data);
    if let Some(sensitive) = release
        .rest
        .sensitive()
        .next()
        .filter(|_| recipe.method.facts.counterfeits == Counterfeits::Catalogued)
    {
        let name = &release.rest.columns[sensitive].name;
        catalog::write(&folders.release().join(catalog::FILE), &release.catalog, name, context)?;
    }
    let findings = verify::check(folders.release(), &manifest, population::rows(&table, &manifest), context)?;
    refuse_broken(&findings)?;
    manifest.set_reached(&findings);
    write_text(&folders.release().join(manifest::FILE), &manifest.to_json())?;
    write_text(&folders.release().join("report.html"), &pictures::public(&manifest, &findings, &release))?;
    custodian::write(
        folders.custodian(),
        recipe,
        &manifest,
        &findings,
        &table,
        &release,
        &decision,
        &ids,
        context,
    )?;
    context.check()?;
    publish(recipe, folders, &manifest, context)?;
    let mut warnings = source.warnings;
    warnings.extend(method_warnings(recipe));
    warnings.extend(decision.warnings);
    warnings.extend(mostly_counterfeits(&manifest));
    warnings.extend(told_apart(&release));
    warnings.extend(singled_out(&release));
    Ok(Outcome {
        manifest,
        findings,
        release: recipe.output.clone(),
        custodian: custodian_of(&recipe.output),
        table: recipe.table.as_ref().map(Target::label),
        budget,
        warnings,
    })
}

/// Brings the folders to their names; a table that holds the release is seen by others right after.
fn publish(
    recipe: &Resolved,
    folders: Folders,
    manifest: &Manifest,
    context: &Context<'_>,
) -> Result<(), JobError> {
    let Some(target) = &recipe.table else { return folders.publish() };
    let table = database::fill(target, folders.release(), manifest, context)?;
    folders.publish_with(|| table.commit())
}

fn mostly_counterfeits(manifest: &Manifest) -> Option<String> {
    let counterfeits = manifest.counterfeits.filter(|number| *number > manifest.records / 2)?;
    Some(format!(
        "{counterfeits} of the {} released records are counterfeits; raise h or lower k for a release of more use",
        manifest.records
    ))
}

/// Reads the table, or refuses one that the run has no room for.
fn read(recipe: &Resolved, source: &mut Source, context: &Context<'_>) -> Result<FrequencyTable, JobError> {
    if recipe.method.is_private() {
        // A limit would tell of the records.
        return source.read(context);
    }
    let allowance = Allowance::of(recipe);
    let columns = source.read_requests().len();
    source.input.hold_at_most(allowance.most(recipe.method.method.cost(), columns));
    let table = match source.read(context) {
        Err(JobError::TooLarge(_)) => return Err(allowance.refusal(recipe, source, context)),
        read => read?,
    };
    allowance.check(recipe, source, &table, context)?;
    Ok(table)
}

/// The table as methods get it.
pub(crate) fn prepared(
    recipe: &Resolved,
    path: &Path,
    table: FrequencyTable,
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let table = population::join(recipe, table, context)?;
    let task = recipe.task(recipe.population_of(&table));
    recipe.method.method.prepared(table, &task).map_err(|error| match error {
        MethodError::Recipe(problem) => JobError::recipe(path, problem),
        other => other.into(),
    })
}

/// What a run makes of a table, before anything is written.
pub(crate) struct Made<'a> {
    pub(crate) decision: Decision,
    /// Without the person attribute.
    pub(crate) table: Cow<'a, FrequencyTable>,
    pub(crate) release: Release,
    /// Per class of a full-domain plan the id it got.
    pub(crate) ids: Vec<u64>,
}

/// The recipe's method on a prepared table: all that is random and all that looks at records.
pub(crate) fn made<'a>(
    recipe: &Resolved,
    table: Cow<'a, FrequencyTable>,
    context: &Context<'_>,
) -> Result<Made<'a>, JobError> {
    check_size(recipe, &table)?;
    let decision = decide(recipe, &table, context)?;
    let table = persons::checked_and_removed(recipe, table, decision.outcome.full_domain())?;
    let (release, ids) = decision.outcome.apply(&table, context.seed);
    Ok(Made { decision, table, release, ids })
}

/// Refuses what no method can do, before any search.
fn check_size(recipe: &Resolved, table: &FrequencyTable) -> Result<(), JobError> {
    if recipe.method.is_private() {
        return Ok(());
    }
    let records = table.records();
    let least = recipe.models.iter().map(|asked| asked.model.least_size()).max().unwrap_or(0);
    if records < least {
        return Err(JobError::Promise(format!(
            "the table has {records} record{}, fewer than k = {least}: no class can have k records",
            if records == 1 { "" } else { "s" }
        )));
    }
    Ok(())
}

pub(crate) fn decide(
    recipe: &Resolved,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Decision, JobError> {
    let task = recipe.task(recipe.population_of(table));
    within::seconds(recipe.method.particulars().seconds, |expired| {
        Ok(recipe.method.method.run(table, &Task { expired: Some(expired), ..task }, context)?)
    })
}

/// The table as far as a recipient may know of it: where nothing of it is released, its domains alone.
fn shown<'a>(outcome: &Decided, table: &'a FrequencyTable) -> Cow<'a, FrequencyTable> {
    match outcome {
        Decided::Records(_) => Cow::Owned(table.emptied()),
        _ => Cow::Borrowed(table),
    }
}

fn refuse_broken(findings: &[Finding]) -> Result<(), JobError> {
    // What a run could check and did not is no better than what is broken.
    let refused = |finding: &&Finding| match finding.state {
        State::Held | State::Stated => false,
        State::Broken | State::NotChecked => true,
    };
    let broken: Vec<String> = findings
        .iter()
        .filter(refused)
        .map(|finding| format!("{} (asked {}, reached {})", finding.promise, finding.asked, finding.reached))
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(JobError::Promise(format!("the checker refuses the release: {}", broken.join("; "))))
}

fn data_file(recipe: &Resolved, source: &Source) -> DataFile {
    let format = recipe.format.unwrap_or(source.input.format);
    let delimiter = match (format.format, source.input.format.format) {
        (Format::Csv, Format::Csv) => Some(char::from(source.input.delimiter).to_string()),
        (Format::Csv, _) => Some(",".to_owned()),
        _ => None,
    };
    DataFile {
        file: format!("data.{}", format.extension()),
        format: format.extension(),
        delimiter,
        escaped: false,
    }
}

/// Writes the released file and notes whether cells had to be escaped; returns what the user should know.
fn write_data(
    recipe: &Resolved,
    release: &Release,
    source: &Source,
    folder: &Path,
    data: &mut DataFile,
    context: &Context<'_>,
) -> Result<Vec<String>, JobError> {
    let format: FileFormat = data.format.parse().map_err(JobError::Data)?;
    let delimiter = data.delimiter.as_ref().and_then(|text| text.bytes().next()).unwrap_or(b',');
    let mut table = columns::of(release, source);
    let delimited = matches!(format.format, Format::Csv | Format::Tsv);
    data.escaped = delimited && recipe.formulas == Formulas::Escape && table.escape_formulas();
    source.engine.write(&table, &folder.join(&data.file), (format, delimiter), context)
}

fn write_text(path: &Path, text: &str) -> Result<(), JobError> {
    std::fs::write(path, text).map_err(|error| JobError::io(path, "write", &error))
}

/// Insensitive columns in which nearly every record has a value of its own.
fn singled_out(release: &Release) -> Option<String> {
    let columns = nearly_unique(release);
    let named: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
    (!named.is_empty()).then(|| {
        format!(
            "nearly every record has a value of its own in {}: who knows it finds the person; drop what is not needed \
             (role = \"identifier\") or make it a quasi-identifier",
            named.join(", ")
        )
    })
}

fn method_warnings(recipe: &Resolved) -> Vec<String> {
    let mut warnings = Vec::new();
    if recipe.seed.is_some() {
        warnings.push(
            "the seed is fixed in the recipe or on the command line: keep it as secret as the data, or leave it out"
                .into(),
        );
    }
    if recipe.method.is_private() && recipe.budget.is_none() {
        warnings.push(
            "nobody counts what this release spends: two releases of one table cost the sum of both budgets; keep it \
             with [budget] ledger = \"budget.jsonl\", total = { epsilon = … }"
                .into(),
        );
    }
    warnings
}
