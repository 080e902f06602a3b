//! Columns that would be released as they are and look like what names a person by itself.
//!
//! The detectors are those of `profile` for contacts, numbers and names. They read the distinct values of
//! the table that was read. Where records are private they read names alone: a refusal must not depend on
//! a record.

use std::path::Path;

use rayon::prelude::*;
use velamen_core::frequency::{Counted, Role};
use velamen_measure::profile::finding::{Column, Finding, direct, direct_by_name};
use velamen_measure::profile::{Cells, kind};
use velamen_recipe::{Code, JobError, Resolved, ResolvedAttribute};

use crate::safe_harbor::counted;

/// Of more distinct values about so many are looked at, evenly spread: enough for a share of them.
const ENOUGH: usize = 10_000;

/// Refuses released columns that look like direct identifiers and are not said to be meant.
pub(crate) fn check(recipe: &Resolved, path: &Path, table: &Counted<'_>) -> Result<(), JobError> {
    let private = recipe.method.is_private();
    let rest = table.rest.columns.iter().filter(|column| column.role != Role::Person);
    let names = table.qis.iter().map(|qi| &qi.name).chain(rest.map(|column| &column.name));
    let judged: Vec<&String> = names.filter(|name| is_judged(recipe, name)).collect();
    let found: Vec<String> = judged
        .into_par_iter()
        .filter_map(|name| {
            let found = if private { direct_by_name(name) } else { suspected(name, &counted(table, name)) };
            found.map(|finding| said(name, &finding))
        })
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    Err(recipe.places.refuse(path, &[], refusal(&found)).coded(Code::IDENTIFIER_LIKE))
}

/// Whether a column can be released with the values it has, and nobody said that this is meant.
fn is_judged(recipe: &Resolved, name: &str) -> bool {
    let as_it_is = |attribute: &ResolvedAttribute| match attribute.role {
        Role::QuasiIdentifier => attribute.levels.0 == 0,
        Role::Sensitive | Role::Insensitive => true,
        Role::Identifier | Role::Person => false,
    };
    match recipe.attributes.iter().find(|attribute| attribute.name == name) {
        Some(attribute) => {
            !attribute.intended && as_it_is(attribute) && recipe.identities.pseudonym(name).is_none()
        }
        None => true,
    }
}

/// The surest suspicion about a column's values.
fn suspected(name: &str, counted: &[(&str, u64)]) -> Option<Finding> {
    let step = counted.len().div_ceil(ENOUGH).max(1);
    let some: Vec<(&str, u64)> = counted.iter().step_by(step).copied().collect();
    let cells = Cells(&some);
    let (kind, _) = kind::of(cells);
    direct(Column { name, kind: &kind, cells }).into_iter().next()
}

fn said(name: &str, finding: &Finding) -> String {
    format!("attribute `{name}` looks like {}: {}", finding.title, finding.why.join(", "))
}

fn refusal(found: &[String]) -> String {
    format!(
        "{}; it would be released as it is. Give it the role \"identifier\", which drops it (with `pseudonym` it gets a \
         code instead). If it is meant to be released, add identifier-like = \"intended\" to the attribute",
        found.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_values_are_looked_at_in_part() {
        let numbers: Vec<String> = (0..200_000).map(|n| format!("(212) 555-{n:04}")).collect();
        let counted: Vec<(&str, u64)> = numbers.iter().map(|number| (number.as_str(), 1)).collect();
        assert!(suspected("contact", &counted[..9_000]).is_some());
        let mixed: Vec<(&str, u64)> = counted
            .iter()
            .enumerate()
            .map(|(n, &(v, c))| if n % 3 == 0 { ("none", c) } else { (v, c) })
            .collect();
        assert!(suspected("contact", &mixed).is_none());
    }
}
