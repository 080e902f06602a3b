//! Whether a release keeps what its preset sets.

use velamen_contract::Promised;
use velamen_core::frequency::Role;
use velamen_recipe::{Preset, PresetEntry, WhereSection, safe_harbor_level};
use velamen_report::Manifest;
use velamen_report::manifest::AttributeEntry;

use crate::safe_harbor::{AttributeUnderRule, is_of_young_ages};

/// Whether the promises are those that the preset sets.
pub(crate) fn is_kept(preset: &PresetEntry, manifest: &Manifest) -> bool {
    let enough = |promise: &Promised, least: u64| {
        promise.is_of_whole_size() && promise.least_class().is_some_and(|k| k >= least)
    };
    *preset == preset.name.entry()
        && preset
            .name
            .least_k()
            .is_none_or(|least| manifest.privacy.iter().any(|promise| enough(promise, least)))
        && (preset.name.least_k().is_none() || manifest.counterfeits == Some(0))
        && (preset.name != Preset::HipaaSafeHarbor
            || manifest
                .attributes
                .iter()
                .all(|(name, attribute)| is_coarse(attribute) && is_allowed(name, attribute))
                && manifest.kept.iter().all(|section| is_stated(section, manifest)))
}

/// Whether HIPAA's Safe Harbor allows a condition to be stated: on a column that may be released as recorded, or on young ages.
fn is_stated(section: &WhereSection, manifest: &Manifest) -> bool {
    let entry = manifest.attributes.get(&section.column);
    entry.is_some_and(is_shown) || is_of_young_ages(section)
}

/// Whether the rule lets an attribute's values be released as recorded.
fn is_shown(entry: &AttributeEntry) -> bool {
    match entry.role {
        Role::QuasiIdentifier => safe_harbor_level(entry.hierarchy.as_ref()) == 0 && entry.top.is_none(),
        role => matches!(role, Role::Sensitive | Role::Insensitive),
    }
}

/// Whether an attribute of a release is at a level that HIPAA's Safe Harbor allows.
fn is_coarse(attribute: &AttributeEntry) -> bool {
    let least = safe_harbor_level(attribute.hierarchy.as_ref());
    least == 0 || attribute.level.is_some_and(|level| usize::from(level) >= least)
}

/// Whether HIPAA's Safe Harbor allows an attribute of that name, with its top code, in a release.
fn is_allowed(name: &str, entry: &AttributeEntry) -> bool {
    let definition = entry.hierarchy.as_ref();
    entry.pseudonym.is_none()
        && AttributeUnderRule { name, role: entry.role, definition, top: entry.top }.is_allowed()
}
