//! Whether a release of linked tables keeps what its preset asks for, as far as its manifest shows.

use std::path::Path;

use serde_json::json;
use velamen_checker::linked::AGES;
use velamen_checker::{Finding, State};
use velamen_contract::linked::{Column, Dates, LinkedManifest, SetPromise, Shape, Table};
use velamen_contract::manifest::{Preset, PresetEntry};
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_job::AttributeUnderRule;
use velamen_recipe::JobError;

use crate::fhir;
use crate::looks::{Looks, is_day, looks, no_standard_codes};
use crate::plan;
use crate::plan::folder::reading;
use crate::shape::Known;

/// The finding about a preset. That the promises hold which it asks for, other findings say.
pub(super) fn finding(
    preset: &PresetEntry,
    (folder, manifest, checked): (&Path, &LinkedManifest, &[Finding]),
    context: &Context<'_>,
) -> Finding {
    let is_kept = *preset == preset.name.entry()
        && preset.name.least_k().is_none_or(|least| has_least(manifest, least))
        && (preset.name != Preset::HipaaSafeHarbor
            || is_safe_harbor(manifest) && shows_no_age(checked) && shows_nobody(folder, manifest, context));
    Finding::of("preset", json!({ "name": preset.name }), json!({ "kept": is_kept }), is_kept)
}

/// Whether no promise asks for fewer persons, and one is about classes.
fn has_least(manifest: &LinkedManifest, least: u64) -> bool {
    let all = manifest.privacy.iter().all(|promise| promise.k() >= least);
    all && manifest.privacy.iter().any(SetPromise::is_about_classes) && manifest.code_floor >= least
}

/// Whether there is no shift, ages have a top, and no name promises an identifier. At which level ZIP codes are, the manifest does
/// not say.
fn is_safe_harbor(manifest: &LinkedManifest) -> bool {
    let is_shifted = matches!(manifest.dates, Dates::Shift(_));
    let is_topped = manifest.ages.as_ref().is_none_or(|ages| ages.top <= 90);
    let mut columns = manifest.tables.values().flat_map(|table| &table.columns);
    !is_shifted && is_topped && columns.all(|(name, column)| is_allowed(name, column))
}

/// Whether no age of the oldest was found.
fn shows_no_age(checked: &[Finding]) -> bool {
    !checked.iter().any(|finding| finding.promise == AGES && finding.state == State::Broken)
}

fn is_allowed(name: &str, column: &Column) -> bool {
    let is_shown = matches!(
        column,
        Column::Set { .. } | Column::Code | Column::Value { .. } | Column::Band { .. } | Column::Insensitive
    );
    let under = AttributeUnderRule { name, role: Role::Insensitive, definition: None, top: None };
    !is_shown || under.refusal().is_none()
}

/// Whether no released cell looks like a contact, a number or a name of people, or like a day that is not that of a year.
/// Of tables that cannot be read, other findings say so.
fn shows_nobody(folder: &Path, manifest: &LinkedManifest, context: &Context<'_>) -> bool {
    if manifest.shape == Shape::Fhir {
        return resources_show_nobody(folder, manifest, context);
    }
    manifest.tables.iter().all(|(name, table)| {
        let known = plan::known(manifest.shape, name).map_or(&[][..], |known| known.columns);
        shows_none(folder, (table, known), context).unwrap_or(true)
    })
}

/// The same of resources: all but their codes is compared with the fields of their standard.
fn resources_show_nobody(folder: &Path, manifest: &LinkedManifest, context: &Context<'_>) -> bool {
    let Ok(Some(mut held)) = fhir::rows_of(folder, manifest, &|| context.check().is_err()) else {
        return true;
    };
    manifest.tables.iter().all(|(name, table)| {
        let Some(rows) = held.get_mut(name) else { return true };
        let mut coded = table.columns.iter().filter(|(_, column)| is_coded(column));
        coded.all(|(column, _)| {
            rows.take_named(column).is_none_or(|(values, _)| are_codes(&values.into_each()))
        })
    })
}

/// Whether texts look like codes of a standard.
fn are_codes(texts: &[String]) -> bool {
    let values: Vec<(&str, u64)> = texts.iter().map(|text| (text.as_str(), 1)).collect();
    no_standard_codes(&values).is_none()
}

/// Whether a column has codes, or what it has as recorded.
fn is_coded(column: &Column) -> bool {
    matches!(column, Column::Set { .. } | Column::Code | Column::Insensitive)
}

/// The same of a table; of what its shape releases of columns, where it is released so, codes are looked at for what is none.
fn shows_none(
    folder: &Path,
    (table, known): (&Table, &[(&str, Known)]),
    context: &Context<'_>,
) -> Result<bool, JobError> {
    let input = Input::open(&folder.join(&table.file), &reading(None))?;
    let listed = input.columns.iter().enumerate();
    let listed = listed.filter_map(|(place, name)| Some((place, name, table.columns.get(name)?)));
    let names: Vec<_> = listed.filter(|(_, _, column)| is_looked_at(column)).collect();
    let requests: Vec<ColumnRequest> =
        names.iter().map(|(place, name, _)| ColumnRequest::as_recorded(*place, name)).collect();
    let read = input.read_in_order(&requests, context)?;
    let mut columns = names.iter().zip(read.values.iter().zip(&read.codes));
    Ok(!columns.any(|((_, name, column), (values, codes))| match is_released_so(name, column, known) {
        true => is_coded(column) && no_standard_codes(&counted(values, codes)).is_some(),
        false => shows(name, values, codes),
    }))
}

/// Whether a shape releases a column, and not as recorded.
fn is_released_so(name: &str, column: &Column, known: &[(&str, Known)]) -> bool {
    let known = known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    known.is_some_and(|(_, known)| known.is_released() && *column != Column::Insensitive)
}

/// Whether a column's cells are released as they are, or as groups of them.
fn is_looked_at(column: &Column) -> bool {
    matches!(column, Column::QuasiIdentifier { .. } | Column::Set { .. } | Column::Code | Column::Insensitive)
}

/// The values that some row has, with their rows.
fn counted<'a>(values: &'a [String], codes: &[u32]) -> Vec<(&'a str, u64)> {
    let mut rows = vec![0_u64; values.len()];
    codes.iter().for_each(|&code| rows[code as usize] += 1);
    let counted = values.iter().map(String::as_str).zip(rows);
    counted.filter(|(value, rows)| !value.is_empty() && *rows > 0).collect()
}

/// Whether cells of a column look like what names a person, or like days within a year.
fn shows(name: &str, values: &[String], codes: &[u32]) -> bool {
    let counted = counted(values, codes);
    matches!(looks(name, &counted), Some(Looks::Direct(_))) || counted.iter().any(|(value, _)| is_day(value))
}
