//! Columns that would be released as they are and look like what names a person by itself.
//!
//! The detectors are those of `profile` for contacts, numbers and names. They look once at every distinct value
//! of the table that was read. Where records are private they read names alone: a refusal must not depend on
//! a record.

use std::path::Path;

use rayon::prelude::*;
use velamen_core::frequency::{Counted, Role};
use velamen_core::hierarchy::Rule;
use velamen_measure::profile::births::are_births;
use velamen_measure::profile::finding::{Column, Finding, direct, direct_by_name};
use velamen_measure::profile::header::tells_births;
use velamen_measure::profile::identifier::Identifier;
use velamen_measure::profile::kind::Kind;
use velamen_measure::profile::position::{Axis, fine, named};
use velamen_measure::profile::{Cells, kind};
use velamen_recipe::{Code, JobError, Problem, Resolved, ResolvedAttribute};

use crate::safe_harbor::counted;

/// The type of a column is that of about so many of its values, evenly spread.
const FOR_KIND: usize = 2_000;

/// The share of distinct values from which a column singles out nearly every record.
const NEARLY_UNIQUE: f64 = 0.9;

/// Fewer records say nothing of that.
const ENOUGH: u64 = 50;

/// Refuses released columns that look like direct identifiers and are not said to be meant.
pub(crate) fn check(recipe: &Resolved, path: &Path, table: &Counted<'_>) -> Result<(), JobError> {
    let private = recipe.method.is_private();
    let judged = judged(recipe, table);
    let mut found: Vec<Problem> = judged
        .par_iter()
        .filter_map(|name| {
            let found = if private { direct_by_name(name) } else { suspected(name, &counted(table, name)) };
            let found =
                found.filter(|found| found.identifier != Identifier::Other || !is_listed(recipe, name));
            found.map(|finding| said(name, &finding))
        })
        .collect();
    if !private {
        found.extend(places(&judged, table));
        let unnamed = judged.iter().filter(|name| is_unnamed(recipe, name));
        found.extend(unnamed.filter_map(|name| of_one_person(name, &counted(table, name))));
    }
    if found.is_empty() {
        return Ok(());
    }
    Err(recipe.places.refuse(path, &[], refusal(found)).coded(Code::IDENTIFIER_LIKE))
}

/// The columns that can be released as they are, and of which nobody said that this is meant.
fn judged<'a>(recipe: &Resolved, table: &Counted<'a>) -> Vec<&'a String> {
    let (qis, rest) = (&table.table().qis, &table.table().rest.columns);
    let rest = rest.iter().filter(|column| column.role != Role::Person);
    let names = qis.iter().map(|qi| &qi.name).chain(rest.map(|column| &column.name));
    names.filter(|name| is_judged(recipe, name)).collect()
}

/// The surest suspicion about some values that are stated, whoever has them.
pub(crate) fn of_texts(name: &str, texts: &[String]) -> Option<Finding> {
    let counted: Vec<(&str, u64)> = texts.iter().map(|text| (text.as_str(), ENOUGH)).collect();
    direct_by_name(name).or_else(|| suspected(name, &counted).filter(|_| !texts.is_empty()))
}

/// Whether somebody listed the values of a column: that each record has its own code then is no number of a register.
pub(crate) fn is_listed(recipe: &Resolved, name: &str) -> bool {
    let rule =
        recipe.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &*attribute.rule);
    matches!(rule, Some(Rule::Table(_) | Rule::Standard(_)))
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

/// Whether nobody named a column.
fn is_unnamed(recipe: &Resolved, name: &str) -> bool {
    recipe.attributes.iter().all(|attribute| attribute.name != name)
}

/// What of a column that nobody named shows single people, although it is no direct identifier: who names the column may release it.
fn of_one_person(name: &str, counted: &[(&str, u64)]) -> Option<Problem> {
    let cells = Cells(counted);
    let dates = || matches!(kind::of(cells).0, Kind::Date { .. });
    let what = if are_births(cells) || tells_births(name) && dates() {
        "dates of birth: no [attributes] section names it"
    } else if cells.records() >= ENOUGH
        && cells.distinction() >= NEARLY_UNIQUE
        && matches!(kind::of(cells).0, Kind::Text { .. })
    {
        "texts that single people out: nearly every record has its own, and no [attributes] section names it"
    } else {
        return None;
    };
    Some(Problem::new(format!("attribute `{name}` looks like {what}")).blaming(name))
}

/// The surest suspicion about a column's values.
fn suspected(name: &str, counted: &[(&str, u64)]) -> Option<Finding> {
    let step = counted.len().div_ceil(FOR_KIND).max(1);
    let some: Vec<(&str, u64)> = counted.iter().step_by(step).copied().collect();
    let (kind, _) = kind::of(Cells(&some));
    direct(Column { name, kind: &kind, cells: Cells(counted) }).into_iter().next()
}

/// A latitude and a longitude that tell houses, if both are there.
fn places(judged: &[&String], table: &Counted<'_>) -> Option<Problem> {
    let on = |wanted: Axis| {
        judged.iter().find_map(|name| {
            let axis = named(name).filter(|axis| *axis == wanted)?;
            let fine = fine(axis, Cells(&counted(table, name)));
            (fine > 0).then_some((name, fine))
        })
    };
    let (latitude, longitude) = (on(Axis::Latitude)?, on(Axis::Longitude)?);
    let problem = format!(
        "attributes `{}` and `{}` look like coordinates of places as small as a house: {} and {} different values have four \
         decimals or more",
        latitude.0, longitude.0, latitude.1, longitude.1
    );
    Some(Problem::of(&["attributes", latitude.0, longitude.0], problem))
}

/// Warns of released columns that tell nearly every record apart, sensitive ones first of all: who knows the value
/// of a person finds the record.
pub(crate) fn warnings(recipe: &Resolved, table: &Counted<'_>) -> Vec<String> {
    if recipe.method.is_private() {
        return Vec::new();
    }
    let rest = table.table().rest.columns.iter();
    let released = rest.filter(|column| column.role == Role::Sensitive).map(|column| &column.name);
    let unique = released.filter(|name| {
        let counted = counted(table, name);
        let cells = Cells(&counted);
        cells.records() >= ENOUGH && cells.distinction() >= NEARLY_UNIQUE
    });
    let named: Vec<String> = unique.map(|name| format!("`{name}`")).collect();
    match named.len() {
        0 => Vec::new(),
        _ => vec![format!(
            "nearly every record has a value of its own in {}, which is released as it is: anyone who knows a person's value \
             finds the record",
            named.join(", ")
        )],
    }
}

fn said(name: &str, finding: &Finding) -> Problem {
    Problem::new(format!("attribute `{name}` looks like {}: {}", finding.title, finding.why.join(", ")))
        .blaming(name)
}

/// One refusal of all that was found, at the place of the first.
fn refusal(found: Vec<Problem>) -> Problem {
    let texts: Vec<String> = found.iter().map(Problem::to_string).collect();
    let problem = Problem::new(format!("{}; it would be released as it is", texts.join("; "))).mend(
        "give it the role \"identifier\", which drops it (with `pseudonym` it gets a code instead). If it \
            is meant to be released, add identifier-like = \"intended\" to the attribute",
    );
    let first = found.into_iter().next().unwrap_or_default();
    first.with(&["role", "identifier-like"]).saying(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_looked_at() {
        let texts: Vec<String> = (0..200_000).map(|n| format!("seen {n} times")).collect();
        let mut counted: Vec<(&str, u64)> = texts.iter().map(|text| (text.as_str(), 1)).collect();
        assert!(suspected("remark", &counted).is_none());
        counted[150_001].0 = "daughter: jane@example.org";
        let found = suspected("remark", &counted).unwrap();
        assert_eq!(found.why, ["1 of 200,000 different values is or contains e-mail addresses"]);
    }
}
