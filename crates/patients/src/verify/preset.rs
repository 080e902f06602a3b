//! Whether a release of linked tables keeps what its preset asks for, as far as its manifest shows.

use serde_json::json;
use velamen_checker::Finding;
use velamen_contract::linked::{Column, Dates, LinkedManifest, SetPromise};
use velamen_contract::manifest::{Preset, PresetEntry};
use velamen_core::frequency::Role;
use velamen_job::AttributeUnderRule;

/// The finding about a preset. That the promises hold which it asks for, other findings say.
pub(super) fn finding(preset: &PresetEntry, manifest: &LinkedManifest) -> Finding {
    let is_kept = *preset == preset.name.entry()
        && preset.name.least_k().is_none_or(|least| has_least(manifest, least))
        && (preset.name != Preset::HipaaSafeHarbor || is_safe_harbor(manifest));
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

fn is_allowed(name: &str, column: &Column) -> bool {
    let is_shown = matches!(
        column,
        Column::Set { .. } | Column::Code | Column::Value { .. } | Column::Band { .. } | Column::Insensitive
    );
    let under = AttributeUnderRule { name, role: Role::Insensitive, definition: None, top: None };
    !is_shown || under.refusal().is_none()
}
