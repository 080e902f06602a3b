//! What a private answer takes out of the recipe, because it may follow from records, and what remains to be declared.

use std::collections::BTreeMap;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::Definition;
use velamen_measure::profile::kind::Kind;
use velamen_recipe::{AttributeSection, DomainSection, HierarchySection, NumberDomain, Recipe, key};

use super::answers::is_private;
use super::setting::{Roles, Setting};
use crate::profile::{ColumnProfile, DomainForm, domain_of};

/// The keys of an attribute that cells or exact figures may have decided, and what rests on them.
pub const FROM_RECORDS: [&str; 7] = ["hierarchy", "top", "bottom", "level", "min-level", "max-level", "step"];

/// What a private release needs that no record may decide.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Declarations {
    /// The columns that have no declared values yet.
    pub undeclared: Vec<String>,
    /// Lines of TOML for them, to paste and correct. They follow from the names and types of columns alone.
    pub lines: String,
    /// Hierarchies that stay, with their file where they have one: the recipe does not say where their values come from.
    pub kept: BTreeMap<String, Option<String>>,
}

/// Whether a hierarchy stays under a private answer: one in a file that somebody named does, and so does what came after the recipe
/// was private.
fn stays(hierarchy: &HierarchySection, was_private: bool) -> bool {
    was_private || matches!(hierarchy, HierarchySection::File(_))
}

/// The edits that take out what `profile` may have read off the table: ends of ranges, groups of high values, levels.
pub(super) fn without_records(name: &str, section: &AttributeSection, was_private: bool) -> Vec<Setting> {
    let stays = section.hierarchy.as_ref().is_some_and(|hierarchy| stays(hierarchy, was_private));
    if was_private || stays {
        return Vec::new();
    }
    let written = serde_json::to_value(section).unwrap_or_default();
    let given =
        FROM_RECORDS.into_iter().filter(|key| written.get(*key).is_some_and(|value| !value.is_null()));
    given.map(|key| Setting::of_attribute(name, key, None)).collect()
}

/// The edits that take out what only invented records have, once they are no longer asked for.
pub(super) fn without_domain(name: &str, role: Role, section: &AttributeSection) -> Vec<Setting> {
    let in_bins = matches!(&section.domain, Some(DomainSection::Numbers(NumberDomain { bins: Some(_), .. })));
    let domain = section.domain.is_some() && (role != Role::Sensitive || in_bins);
    let keys = [("domain", domain), ("missing", section.missing.is_some())];
    let gone = keys.into_iter().filter(|(_, is_given)| *is_given);
    gone.map(|(key, _)| Setting::of_attribute(name, key, None)).collect()
}

/// What remains to be declared, and what stays though nobody knows where it comes from. Linear in the columns.
pub(super) fn declarations(roles: &Roles, recipe: &Recipe, columns: &[ColumnProfile]) -> Declarations {
    let was_private = is_private(recipe);
    let mut all = Declarations::default();
    for name in roles.iter().filter(|(_, role)| **role == Role::QuasiIdentifier).map(|(name, _)| name) {
        let section = recipe.attributes.get(name);
        let hierarchy = section.and_then(|section| section.hierarchy.as_ref());
        match hierarchy.filter(|hierarchy| stays(hierarchy, was_private)) {
            Some(hierarchy) => drop(all.kept.insert(name.clone(), file_of(hierarchy))),
            None if section.is_none_or(|section| section.domain.is_none()) => {
                let kind = columns.iter().find(|column| column.name == *name).and_then(form_of);
                let domain = domain_of(name, kind);
                all.lines += &format!("[attributes.{}]\nrole = \"quasi-identifier\"\n{domain}", key(name));
                all.undeclared.push(name.clone());
            }
            None => {}
        }
    }
    all
}

/// What a column's values are, of which no list can be made. Codes of digits are listed.
fn form_of(column: &ColumnProfile) -> Option<DomainForm> {
    let is_counted = matches!(column.suggestion.hierarchy, None | Some(Definition::Interval { .. }));
    match column.kind {
        Kind::WholeNumber if is_counted => Some(DomainForm::Whole),
        Kind::Decimal { .. } if is_counted => Some(DomainForm::Decimal),
        Kind::Date { .. } => Some(DomainForm::Date),
        _ => None,
    }
}

fn file_of(hierarchy: &HierarchySection) -> Option<String> {
    match hierarchy {
        HierarchySection::File(file) => Some(file.file_name()?.to_string_lossy().into_owned()),
        HierarchySection::Made(_) | HierarchySection::Inline(_) => None,
    }
}
