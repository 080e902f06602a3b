//! The population that the input is a sample of.

use std::path::Path;

use velamen_contract::PopulationRows;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_core::population::{not_in_population, with_population};
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_recipe::{JobError, Resolved, ResolvedPopulation};
use velamen_report::Manifest;

/// The table with its population, if the recipe names a table of it.
pub(super) fn join(
    recipe: &Resolved,
    table: FrequencyTable,
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let Some(ResolvedPopulation::Table(path, options)) = &recipe.population else { return Ok(table) };
    let input = Input::open(path, options)?;
    let requests = table.qis.iter().map(|qi| request(recipe, &input, &qi.name, path));
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    let population = input.read(&requests, context)?;
    let rules: Vec<&Rule> = table.qis.iter().map(|qi| rule(recipe, &qi.name)).collect();
    let joined = with_population(table, population, &rules);
    let missing = not_in_population(&joined);
    if missing > 0 {
        return Err(JobError::data(format!(
            "{}: {missing} records of the input are not in the population's table, which has to contain the input's \
             records, with equal values of all quasi-identifiers",
            path.display()
        )));
    }
    Ok(joined)
}

fn rule<'a>(recipe: &'a Resolved, name: &str) -> &'a Rule {
    recipe.attributes.iter().find(|a| a.name == name).map_or(&Rule::Flat, |attribute| &attribute.rule)
}

fn request(recipe: &Resolved, input: &Input, name: &str, path: &Path) -> Result<ColumnRequest, JobError> {
    let index = input.columns.iter().position(|column| column == name).ok_or_else(|| {
        JobError::data(format!(
            "{}: the population has no column `{name}`, a quasi-identifier",
            path.display()
        ))
    })?;
    let attribute = recipe.attributes.iter().find(|attribute| attribute.name == name);
    let rule = attribute.map_or_else(|| Rule::Flat.into(), |attribute| attribute.rule.clone());
    Ok(ColumnRequest { index, name: name.into(), role: Role::QuasiIdentifier, rule, whole_domain: false })
}

/// The population's table for the checker: values in the order of the manifest's attributes.
pub(super) fn rows(table: &FrequencyTable, manifest: &Manifest) -> Option<PopulationRows> {
    let population = table.population.as_ref()?;
    let position = |name: &String| table.qis.iter().position(|qi| qi.name == *name);
    let order: Vec<usize> = manifest.attributes.keys().filter_map(position).collect();
    let value =
        |entry: usize, q: usize| table.qis[q].hierarchy.label(0, population.codes[q][entry]).to_owned();
    let row = |entry: usize| (order.iter().map(|&q| value(entry, q)).collect(), population.counts[entry]);
    Some((0..population.counts.len()).map(row).collect())
}
