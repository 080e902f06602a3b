//! What `[[where]]` states of records: no number of a register, and no value that one person alone has.
//!
//! A release states its conditions with their values. Values that a hierarchy lists are published with it; of others it is
//! counted here how many people have them, in the whole table, before anything is left out.

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::NULL;
use velamen_engine::ColumnRequest;
use velamen_recipe::{JobError, Problem, Resolved, WhereSection};

use crate::identifier_like::{is_listed, of_texts};
use crate::identity;
use crate::table::OpenedTable;

/// Refuses conditions that would publish what single people have.
///
/// Time: one more reading of the table for each condition with values that no hierarchy lists.
pub(crate) fn check(recipe: &Resolved, source: &OpenedTable, context: &Context<'_>) -> Result<(), JobError> {
    let unlisted = |(_, section): &(usize, &WhereSection)| !is_listed(recipe, &section.column);
    for (place, section) in recipe.kept.iter().enumerate().filter(unlisted) {
        refuse_identifier(recipe, section).map_err(|problem| refused(recipe, place, problem))?;
        if !texts(section).is_empty() {
            let requests = requests(recipe, &source.input.columns, &section.column);
            let table = source.read_all(&requests, context)?;
            refuse_lone(section, &people(&table, &section.column))
                .map_err(|problem| refused(recipe, place, problem))?;
        }
    }
    Ok(())
}

fn refused(recipe: &Resolved, place: usize, problem: Problem) -> JobError {
    recipe.places.refuse(&recipe.file, &["where", &place.to_string()], problem)
}

/// The values that a section lists.
fn texts(section: &WhereSection) -> &[String] {
    if section.among.is_empty() { &section.not } else { &section.among }
}

/// Refuses a condition on what names a person by itself.
fn refuse_identifier(recipe: &Resolved, section: &WhereSection) -> Result<(), Problem> {
    let column = &section.column;
    let attribute = recipe.attributes.iter().find(|attribute| attribute.name == *column);
    let is_intended = attribute.is_some_and(|attribute| attribute.intended);
    match of_texts(column, texts(section)).filter(|_| !is_intended) {
        None => Ok(()),
        Some(finding) => {
            let problem = format!(
                "where: column `{column}` looks like {}: {}; the release would state what is asked of it",
                finding.title,
                finding.why.join(", ")
            );
            let mend = "choose the records by another column, or in the table; if it is none, say so by \
                        identifier-like = \"intended\" under [attributes]";
            Err(Problem::of(&["column"], problem).mend(mend).naming(column))
        }
    }
}

/// The column, and the one that numbers the persons.
fn requests(recipe: &Resolved, columns: &[String], column: &str) -> Vec<ColumnRequest> {
    let person = recipe.attributes.iter().find(|attribute| attribute.role == Role::Person);
    let person = person.map(|attribute| attribute.name.clone());
    let person = person.or_else(|| identity::of_people(recipe).into_iter().next());
    let names = [Some(column), person.as_deref()].into_iter().flatten();
    names.filter_map(|name| request(columns, name)).collect()
}

fn request(columns: &[String], name: &str) -> Option<ColumnRequest> {
    let index = columns.iter().position(|column| column == name)?;
    Some(ColumnRequest::as_recorded(index, name))
}

/// How many people have each value of a column; where no other column numbers them, how many records.
fn people<'a>(table: &'a FrequencyTable, column: &str) -> Vec<(&'a str, u64)> {
    let Some(position) = table.rest.position(column) else { return Vec::new() };
    let values = &table.rest.columns[position].values;
    let is_numbered = table.rest.columns.len() > 1;
    let mut people = vec![0; values.len()];
    for (&combination, &records) in table.rest_index.iter().zip(&table.counts) {
        let value = table.rest.codes[position][combination as usize];
        // With the person beside the value, each combination is one person.
        people[value as usize] += if is_numbered { 1 } else { records };
    }
    values.iter().map(String::as_str).zip(people).collect()
}

/// Refuses a listed value that one person alone has; its place is said, and not the value.
fn refuse_lone(section: &WhereSection, people: &[(&str, u64)]) -> Result<(), Problem> {
    let has_one = |value: &&String| people.iter().any(|(text, people)| text == *value && *people == 1);
    let is_lone = |value: &String| *value != NULL && has_one(&value);
    let Some(place) = texts(section).iter().position(is_lone) else { return Ok(()) };
    let key = if section.among.is_empty() { "not" } else { "among" };
    let problem =
        format!("where: one person alone has value {} of `{key}`, and the release would state it", place + 1);
    let mend = "leave the value out, or choose the records in the table; a hierarchy that lists the column's values publishes \
                them all, and allows it";
    Err(Problem::of(&[key], problem).mend(mend).naming(&section.column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_one_person_is_refused_by_its_place() {
        let section = |key: &str| {
            let (among, not) = (vec!["a".to_owned(), "b".to_owned()], Vec::new());
            let (among, not) = if key == "among" { (among, not) } else { (not, among) };
            WhereSection { column: "ward".into(), among, not, ..WhereSection::default() }
        };
        for key in ["among", "not"] {
            let refused = refuse_lone(&section(key), &[("", 1), ("a", 2), ("b", 1)]).unwrap_err();
            assert!(refused.to_string().contains(&format!("value 2 of `{key}`")), "{refused}");
            assert!(refuse_lone(&section(key), &[("a", 2), ("b", 2), ("c", 1)]).is_ok());
        }
    }
}
