//! The run: from a recipe to a certified release of linked tables in two folders.

mod custodian;
mod losses;
mod warned;

use std::path::{Path, PathBuf};

use velamen_checker::{Finding, State};
use velamen_contract::linked::{DATA, Dates, LABELS, LinkedManifest};
use velamen_contract::manifest::FILE;
use velamen_core::context::Context;
use velamen_engine::Scratch;
use velamen_job::outputs::Read;
use velamen_job::{Folders, SecretKey, write_sums};
use velamen_recipe::{Code, JobError, custodian_of};

use crate::beside::sum_of;
use crate::checked;
use crate::documents;
use crate::identifier_like;
use crate::keep::{Items, Rules, first_items, grow, keep};
use crate::loaded::{Keys, Rows, load};
use crate::persons::{Demographics, Known, attributes, choose, cut};
use crate::plan::Plan;
use crate::recipe::{LinkedRecipe, MONDRIAN};
use crate::release::{Making, Released};
use crate::several;
use crate::shared_days;
use crate::shown::Gaps;
use crate::written::write;
use warned::{hidden, warned, without_codes};

/// A finished release of linked tables.
#[derive(Debug)]
pub struct Outcome {
    /// Its manifest.
    pub manifest: LinkedManifest,
    /// What the checker finds.
    pub findings: Vec<Finding>,
    /// The release folder.
    pub release: PathBuf,
    /// The custodian's folder.
    pub custodian: PathBuf,
    /// How much survived, for the custodian.
    pub survived: Survived,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// How much of the original survived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Survived {
    /// Persons of the original, and of the release.
    pub persons: [u64; 2],
    /// Pairs of person and code.
    pub pairs: [u64; 2],
    /// Rows of the tables that are released.
    pub rows: [u64; 2],
}

/// Runs a recipe. `path` is the recipe's file, for messages.
///
/// # Errors
/// [`JobError`]; then neither folder exists.
pub fn anonymize(
    recipe: &LinkedRecipe,
    path: &Path,
    overwrite: bool,
    context: &Context<'_>,
) -> Result<Outcome, JobError> {
    let folders = Folders::at(&recipe.output.path, overwrite, &reads(recipe, path))?;
    let mut warnings = folders.warnings();
    let mut plan = Plan::of(recipe, path, &|| context.check().is_err())?;
    let key = recipe.key.as_ref().map_or_else(|| Ok(SecretKey::drawn(context.seed)), SecretKey::read)?;
    tracing::info!(tables = plan.tables.len(), "planned");
    let mut tables = load(&mut plan, context)?;
    refuse_shown(recipe, path, (&plan, &tables), context)?;
    warnings.extend(warned(&plan, &tables));
    warnings.extend(shared_days::empty(recipe, path, &plan, &mut tables)?);
    tracing::info!(persons = tables[0].number, "the tables were read");
    let mut items = Items::of(&plan, &tables);
    grow(&mut items, &plan, &tables, context)?;
    let (items, demographics) = settle(recipe, &plan, &tables, items, context)?;
    warnings.extend(hidden(&demographics, &plan));
    let shifts = shifts(&plan, &tables, &key);
    let largest_set = recipe.method.largest_set;
    let rules = Rules { plan: &plan, demographics: &demographics, shifts: &shifts, largest_set };
    context.check()?;
    let before = losses::counts(&items, &tables, &|_, _| true);
    let kept = keep(&rules, &mut tables, items, context)?;
    let making = Making {
        plan: &plan,
        tables: &tables,
        demographics: &demographics,
        kept: &kept,
        shifts: &shifts,
        key: &key,
    };
    tracing::info!("it is known what stays");
    let released = making.tables(context)?;
    context.check()?;
    tracing::info!("the released tables are in memory");
    write(&released, &plan, &folders.release().join(DATA), context)?;
    tracing::info!("the tables were written");
    let manifest = documents::manifest(&making, &released, recipe);
    let findings = certify(folders.release(), &manifest, context)?;
    tracing::info!("the release was checked");
    context.check()?;
    let survived = survived(&making, &released);
    warnings.extend(without_codes(survived.pairs, &plan));
    let gaps = Gaps::of_released(&released);
    write_documents(folders.release(), &manifest, &findings, gaps)?;
    let statement = sum_of(&folders.release().join(FILE));
    custodian::write(
        folders.custodian(),
        &making,
        &released,
        &custodian::Known { findings: &findings, survived, recipe, statement, before: &before },
        context,
    )?;
    kept_keys(&tables)?;
    folders.publish()?;
    let release = recipe.output.path.clone();
    Ok(Outcome { manifest, findings, custodian: custodian_of(&release), release, survived, warnings })
}

/// Whether all keys that were filed away could be read again.
fn kept_keys(tables: &[Rows]) -> Result<(), JobError> {
    let failed = |error| JobError::io(&Scratch::parent(), "read from", &error);
    tables.iter().filter_map(|rows| rows.keys.as_ref()).try_for_each(Keys::check).map_err(failed)
}

/// Checks all of a recipe that a run would refuse, with the tables' cells if `data` says so; what the user should know.
///
/// # Errors
/// What a run would refuse before anything is removed.
pub fn check(
    recipe: &LinkedRecipe,
    path: &Path,
    data: bool,
    context: &Context<'_>,
) -> Result<Vec<String>, JobError> {
    if !recipe.in_memory.release {
        velamen_job::outputs::refuse(&recipe.output.path, &reads(recipe, path))?;
    }
    let mut plan = Plan::of(recipe, path, &|| context.check().is_err())?;
    recipe.key.as_ref().map(SecretKey::read).transpose()?;
    if !data {
        return Ok(Vec::new());
    }
    let mut tables = load(&mut plan, context)?;
    refuse_shown(recipe, path, (&plan, &tables), context)?;
    let mut warnings = warned(&plan, &tables);
    warnings.extend(shared_days::empty(recipe, path, &plan, &mut tables)?);
    let mut items = Items::of(&plan, &tables);
    grow(&mut items, &plan, &tables, context)?;
    let (_, demographics) = settle(recipe, &plan, &tables, items, context)?;
    warnings.extend(hidden(&demographics, &plan));
    Ok(warnings)
}

/// Refuses columns that would show who somebody is, and persons who are several rows.
fn refuse_shown(
    recipe: &LinkedRecipe,
    path: &Path,
    (plan, tables): (&Plan, &[Rows]),
    context: &Context<'_>,
) -> Result<(), JobError> {
    identifier_like::check(recipe, path, (plan, tables), context)?;
    several::check(recipe, path, plan, context)
}

/// What the run reads, so that nothing of it is written over.
pub(crate) fn reads(recipe: &LinkedRecipe, path: &Path) -> Vec<Read> {
    let input = recipe.input.folder.as_deref().or(recipe.input.path.as_deref());
    let key = recipe.key.as_ref().and_then(|key| key.file.as_deref());
    let folder = recipe.input.folder.is_some();
    let given = [(Some(path), "the recipe"), (input, "the input"), (key, "the key")];
    let read = |(path, what): (Option<&Path>, &str)| {
        path.map(|path| Read { folder: folder && what == "the input", ..Read::new(what, path) })
    };
    given.into_iter().filter_map(read).collect()
}

/// What person columns show, by the codes that this lets stay.
pub(crate) fn settle(
    recipe: &LinkedRecipe,
    plan: &Plan,
    tables: &[Rows],
    items: Items,
    context: &Context<'_>,
) -> Result<(Items, Demographics), JobError> {
    let sets = first_items(&items, tables);
    context.check()?;
    let items = Items { original: sets.len(), ..items };
    let (attributes, until) = attributes(plan, tables)?;
    let persons = tables[0].number;
    let usual = (persons / 20).max((2 * (plan.k() - 1)).min(persons * 3 / 10));
    let most = recipe.method.suppression_limit.map_or(usual, |limit| (limit * persons as f64) as usize);
    let known = Known { plan, sets: &sets, most, until, by: &recipe.method.demographics };
    let demographics = match known.by == MONDRIAN {
        true => cut(attributes, &known, &tables[0], context)?,
        false => choose(attributes, &known, context)?,
    };
    Ok((items, demographics))
}

/// By how many days the dates of each person move.
fn shifts(plan: &Plan, tables: &[Rows], key: &SecretKey) -> Vec<i32> {
    let Dates::Shift(days) = plan.dates else { return vec![0; tables[0].number] };
    let of = |person: usize| {
        let original = tables[0].keys.as_ref().map_or_else(|| person.to_string(), |keys| keys.text(person));
        key.shift(&format!("velamen shift\0{original}"), days) as i32
    };
    (0..tables[0].number).map(of).collect()
}

fn certify(
    folder: &Path,
    manifest: &LinkedManifest,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    let labels = folder.join(LABELS);
    std::fs::write(&labels, documents::csv(&documents::labels(manifest)))
        .map_err(|error| JobError::io(&labels, "write", &error))?;
    let findings = checked::certify(folder, manifest, context)?;
    let refused = |finding: &&Finding| matches!(finding.state, State::Broken | State::NotChecked);
    let broken: Vec<String> = findings
        .iter()
        .filter(refused)
        .map(|finding| format!("{} (asked {}, reached {})", finding.promise, finding.asked, finding.reached))
        .collect();
    match broken[..] {
        [] => Ok(findings),
        _ => {
            let refusal =
                JobError::promise(format!("the checker refuses the release: {}", broken.join("; ")));
            Err(refusal.coded(Code::CHECKER_REFUSES))
        }
    }
}

fn write_documents(
    folder: &Path,
    manifest: &LinkedManifest,
    findings: &[Finding],
    gaps: Gaps,
) -> Result<(), JobError> {
    for (name, bytes) in files(manifest, findings, gaps) {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| JobError::io(&path, "write", &error))?;
    }
    write_sums(folder)
}

/// The files beside the tables, by name, as they follow from manifest, findings and released days.
pub(crate) fn files(
    manifest: &LinkedManifest,
    findings: &[Finding],
    gaps: Gaps,
) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("README.md", documents::readme(manifest).into_bytes()),
        ("codebook.csv", documents::csv(&documents::codebook(manifest))),
        (LABELS, documents::csv(&documents::labels(manifest))),
        (documents::PAGE, documents::html(manifest, findings, gaps).into_bytes()),
        (FILE, manifest.to_json().into_bytes()),
    ]
}

fn survived(making: &Making<'_>, released: &[Released]) -> Survived {
    let planned = making.plan.tables.iter().zip(making.tables);
    let original: usize = planned.filter(|(table, _)| !table.is_made_anew).map(|(_, rows)| rows.number).sum();
    let is_made = |table: &&Released| {
        !making.plan.tables.iter().any(|planned| planned.name == table.name && planned.is_made_anew)
    };
    let rows: usize = released.iter().filter(is_made).map(|table| table.order.len()).sum();
    let items = &making.kept.items;
    Survived {
        persons: [making.tables[0].number as u64, released[0].order.len() as u64],
        pairs: [items.original as u64, items.released as u64],
        rows: [original as u64, rows as u64],
    }
}
