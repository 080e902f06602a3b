//! People who have several of the numbers that are said to number people, by days of birth.

use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_measure::profile::person_numbers::births_of_people;
use velamen_recipe::JobError;

use super::{MOST_IN_ORDER, all_traits, columns_of, named, requests};
use crate::identity;
use crate::table::OpenedTable;

/// What to say where people whom a column numbers seem to have several numbers, by days of birth.
pub(super) fn several_numbers(
    source: &OpenedTable,
    table: &FrequencyTable,
    person: usize,
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    let name = &table.rest.columns[person].name;
    let name = name.strip_prefix(identity::PEOPLE_OF).unwrap_or(name);
    let columns = columns_of(table);
    let births = match births_of_people(&columns[table.qis.len() + person], &columns) {
        None => dropped_births(source, table, name, context)?,
        some => some,
    };
    Ok(births.map(|births| {
        format!("by `{name}`, which is said to number the people, {births}: if it numbers stays or cases, k counts them and not people")
    }))
}

/// What columns that are dropped show of that; nothing where they cannot be read a second time.
fn dropped_births(
    source: &OpenedTable,
    table: &FrequencyTable,
    person: &str,
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    let input = &source.input;
    let is_read = |name: &str| source.requests.iter().any(|request| *request.name == *name);
    let mut places: Vec<usize> = all_traits(input, table);
    places.retain(|&place| !is_read(&input.columns[place]));
    let Some(of_person) = input.columns.iter().position(|column| column == person) else { return Ok(None) };
    if places.is_empty() || source.engine.is_cluster() {
        return Ok(None);
    }
    places.insert(0, of_person);
    match input.read_first(MOST_IN_ORDER, &requests(input, &places), context).map_err(JobError::from) {
        Err(error) if error.is_interrupted() => Err(error),
        Err(_) => Ok(None),
        Ok(read) => {
            let columns = named(input, &places, &read);
            Ok(births_of_people(&columns[0], &columns[1..]))
        }
    }
}
