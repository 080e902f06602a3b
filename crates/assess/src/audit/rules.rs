//! `[[impossible]]` on the tables of an audit, which have few values of each domain, or made-up ones.

use std::collections::BTreeSet;

use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;
use velamen_core::impossible::Impossible;
use velamen_recipe::Resolved;
use velamen_recipe::impossible::{refuse_foreign_sensitive, refuse_foreign_values};

use super::neighbours::Pair;

/// The rules that can matter on a pair of tables. A run refuses a value that the table does not have, for it may be a typing
/// error; on tables that were made up it is none, and no record or counterfeit could have it.
pub(super) fn rules(recipe: &Resolved, pair: &Pair) -> Vec<Impossible> {
    if recipe.impossible.is_empty() {
        return Vec::new();
    }
    let sensitive = recipe.attributes.iter().find(|attribute| attribute.role == Role::Sensitive);
    let known = sensitive.map(|attribute| column(recipe, pair, &attribute.name)).unwrap_or_default();
    recipe.impossible.iter().filter_map(|entry| narrowed(entry, recipe, pair, &known)).collect()
}

/// The values of an attribute, and its rule.
type Column<'a> = (Vec<String>, Option<&'a Rule>);

fn column<'a>(recipe: &'a Resolved, pair: &Pair, name: &str) -> Column<'a> {
    let Some(at) = recipe.attributes.iter().position(|attribute| attribute.name == name) else {
        return Column::default();
    };
    let records = pair.common.iter().map(|(record, _)| record).chain([&pair.target]);
    let values: BTreeSet<&String> = records.map(|record| &record[at]).collect();
    (values.into_iter().cloned().collect(), Some(&recipe.attributes[at].rule))
}

/// A rule about the values that the tables have; `None` where it has none left.
fn narrowed(
    entry: &Impossible,
    recipe: &Resolved,
    pair: &Pair,
    (found, rule): &Column<'_>,
) -> Option<Impossible> {
    if entry.of.is_some() {
        // Of declared domains, which a run refuses nothing of.
        return Some(entry.clone());
    }
    let (leaves, own) = column(recipe, pair, &entry.attribute);
    let has_value = |value: &&String| {
        let one = Impossible { values: vec![(*value).clone()], ..entry.clone() };
        !matches!(own, Some(Rule::Flat)) || refuse_foreign_values(&one, &Rule::Flat, &leaves).is_ok()
    };
    let is_known = |value: &&String| {
        let one = Impossible { sensitive: vec![(*value).clone()], ..entry.clone() };
        refuse_foreign_sensitive(&one, rule.unwrap_or(&Rule::Flat), found).is_ok()
    };
    let values: Vec<String> = entry.values.iter().filter(has_value).cloned().collect();
    let sensitive: Vec<String> = entry.sensitive.iter().filter(is_known).cloned().collect();
    let names_numbers = entry.from.is_some() || entry.to.is_some();
    let names_some = (!values.is_empty() || names_numbers) && !sensitive.is_empty();
    names_some.then(|| Impossible { values, sensitive, ..entry.clone() })
}
