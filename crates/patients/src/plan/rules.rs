//! The hierarchy of each column.

use std::path::Path;

use serde_json::json;
use velamen_core::error::Problem;
use velamen_core::hierarchy::{CodedRule, Definition, HierarchyError, Rule};
use velamen_recipe::JobError;
use velamen_recipe::hierarchy::settle;

use super::column::{Header, PlannedColumn, Use};
use super::folder::Found;
use super::preset;
use crate::recipe::{CodeHierarchy, LinkedRecipe};
use crate::shape::Known;

/// The years that births of a known shape can have, and their bands.
fn births() -> Definition {
    Definition::Interval { interval: vec![5.0, 10.0, 20.0], min: 1900.0, max: 2039.0, decimals: 0 }
}

/// The days that births of a known shape can have, their years and tens of years.
fn birth_dates() -> Result<Definition, serde_json::Error> {
    let dates = json!({ "date": ["year", "10-years"], "min": "1900-01-01", "max": "2039-12-31" });
    serde_json::from_value(dates)
}

/// The hierarchy of a column that the recipe gives none: a birth is never released as recorded for want of one.
fn without(table: &Header<'_>, column: &PlannedColumn) -> Result<Option<Rule>, JobError> {
    if column.used != (Use::QuasiIdentifier { birth: true }) {
        return Ok(None);
    }
    if table.known(&column.name) == Some(Known::BirthYear) {
        return Rule::try_from(&births())
            .map(Some)
            .map_err(|error| table.refuse(&column.name, error.problem()));
    }
    if table.known(&column.name) == Some(Known::BirthDate)
        && let Ok(dates) = birth_dates()
    {
        return Rule::try_from(&dates).map(Some).map_err(|error| table.refuse(&column.name, error.problem()));
    }
    let expected = "hierarchy = { interval = [5, 10], min = 1900, max = 2039 } of years, or { date = [\"year\", \"10-years\"], … }";
    Err(table.refuse(&column.name, Problem::new("a birth without a hierarchy").expected(expected)))
}

/// The hierarchy of each column that has one. Of what a preset allows, the finest level is noted in the columns.
pub(super) fn rules(
    recipe: &LinkedRecipe,
    path: &Path,
    found: &Found<'_>,
    columns: &mut [PlannedColumn],
) -> Result<Vec<Option<Rule>>, JobError> {
    let table = Header { recipe, path, found, names: &[], tables: &[], lists: &[] };
    columns.iter_mut().map(|column| rule(&table, column)).collect()
}

/// The hierarchy of a column.
fn rule(table: &Header<'_>, column: &mut PlannedColumn) -> Result<Option<Rule>, JobError> {
    let hierarchy = table.section(&column.name).and_then(|section| section.hierarchy.as_ref());
    let Some(CodeHierarchy::Of(section)) = hierarchy else {
        preset::least(table.recipe, column, None).map_err(|problem| table.refuse(&column.name, problem))?;
        return without(table, column);
    };
    let name = column.name.clone();
    let located = |problem: Problem| table.refuse(&name, problem.after("hierarchy: "));
    let settled = settle(table.path, section, None, &located)?;
    let least = preset::least(table.recipe, column, Some(&settled));
    column.least = least.map_err(|problem| table.refuse(&name, problem))?;
    let rule = settled.definition.as_ref().map(Rule::try_from).transpose();
    let rule = rule.map_err(|error| located(error.problem()))?;
    topped(rule, settled.top).map_err(|error| located(error.problem()))
}

/// A hierarchy of ages, whose oldest are one value.
fn topped(rule: Option<Rule>, top: Option<f64>) -> Result<Option<Rule>, HierarchyError> {
    match (rule, top) {
        (Some(Rule::Interval(inner)), top @ Some(_)) => {
            CodedRule::new(Some(inner), None, top).map(|rule| Some(Rule::Coded(rule)))
        }
        (rule, _) => Ok(rule),
    }
}
