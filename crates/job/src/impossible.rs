//! `[[impossible]]` against the table that was read.

use std::path::Path;

use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_core::impossible::{Impossible, Pairs};
use velamen_recipe::impossible::{refuse_foreign_sensitive, refuse_foreign_values};
use velamen_recipe::{JobError, Problem, Resolved, ResolvedAttribute};

/// Refuses values that do not occur, where the domain is what occurs.
pub(crate) fn check(recipe: &Resolved, path: &Path, table: &FrequencyTable) -> Result<(), JobError> {
    recipe.impossible.iter().try_for_each(|entry| {
        checked(entry, &recipe.attributes, table).map_err(|problem| {
            let place = entry.place.to_string();
            recipe.places.refuse(path, &["impossible", &place], problem.after("impossible: "))
        })
    })
}

fn checked(
    entry: &Impossible,
    attributes: &[ResolvedAttribute],
    table: &FrequencyTable,
) -> Result<(), Problem> {
    let rule =
        |name: &str| attributes.iter().find(|attribute| attribute.name == name).map(|named| &*named.rule);
    if let Some(qi) = table.qis.iter().find(|qi| qi.name == entry.attribute)
        && let Some(Rule::Flat) = rule(&qi.name)
    {
        refuse_foreign_values(entry, &Rule::Flat, qi.hierarchy.labels(0))?;
    }
    let Some(sensitive) = table.rest.sensitive().next() else { return Ok(()) };
    let column = &table.rest.columns[sensitive];
    refuse_foreign_sensitive(entry, rule(&column.name).unwrap_or(&Rule::Flat), &column.values)
}

/// What is said of original records that have an impossible pair.
pub(crate) fn warning(recipe: &Resolved, table: &FrequencyTable) -> Option<String> {
    let sensitive = table.rest.sensitive().next()?;
    let pairs = Pairs::new(&recipe.impossible, &recipe.attributes, table, sensitive)?;
    let records = pairs.records(table, sensitive);
    (records > 0).then(|| {
        format!(
            "{records} record{} a pair of values that [[impossible]] says nobody has; released as any other, each shows \
             that it is no counterfeit: correct the table, or the recipe",
            if records == 1 { " has" } else { "s have" }
        )
    })
}
