//! Tables with several records of a person, of which the recipe does not say so.
//!
//! Columns that number persons are refused without an answer: dropped, they let k count records where it should count
//! persons; released, they name the persons. Where records are private, nothing here looks at them.

mod births;

use std::collections::BTreeSet;
use std::path::Path;

use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::NULL;
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, Ordered};
use velamen_measure::profile::Cells;
use velamen_measure::profile::births::are_births;
use velamen_measure::profile::person_numbers::{
    Candidate, Codes, Column, agreeing, candidates, is_named, split, together, trait_of,
};
use velamen_measure::profile::runs::{self, InOrder, Runs};
use velamen_recipe::{Code, JobError, Problem, Resolved, key};

use crate::identity;
use crate::table::OpenedTable;

/// So many records at most are read a second time, in their order, to see whether neighbours are one person.
const MOST_IN_ORDER: usize = 200_000;

/// Columns of an input that number persons, of those at `suspects`; `traits` are columns that may tell sex, birth or age.
///
/// # Errors
/// What reading can give.
pub fn of_input(
    input: &Input,
    suspects: &[usize],
    traits: &[usize],
    context: &Context<'_>,
) -> Result<Vec<Candidate>, JobError> {
    let mut columns: Vec<usize> = suspects.iter().chain(traits).copied().collect();
    columns.sort_unstable();
    columns.dedup();
    if suspects.is_empty() {
        return Ok(Vec::new());
    }
    let requests = requests(input, &columns);
    let Ordered { values, codes } = input.read_in_order(&requests, context)?;
    let records = codes.first().map_or(0, Vec::len);
    let mut read = Vec::with_capacity(requests.len());
    for ((request, values), codes) in requests.iter().zip(&values).zip(codes) {
        let values = values.iter().map(String::as_str).collect();
        read.push(Column { name: &request.name, values, codes: Codes::of(codes) });
    }
    let is_suspect = |name: &str| suspects.iter().any(|&place| input.columns[place] == name);
    Ok(candidates(&read, &vec![1; records], is_suspect, true))
}

/// The columns of an input that by their names tell what does not change of a person.
#[must_use]
pub fn traits(input: &Input) -> Vec<usize> {
    (0..input.columns.len()).filter(|&place| trait_of(&input.columns[place], None).is_some()).collect()
}

fn requests(input: &Input, columns: &[usize]) -> Vec<ColumnRequest> {
    let request = |&index: &usize| ColumnRequest::as_recorded(index, &input.columns[index]);
    columns.iter().map(request).collect()
}

/// Refuses a table in which a column numbers persons that the recipe says nothing of; what could not be judged.
pub(crate) fn check(
    recipe: &Resolved,
    path: &Path,
    source: &OpenedTable,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Vec<String>, JobError> {
    if recipe.method.is_private() {
        return Ok(by_name(recipe));
    }
    // A pseudonym that several records share counts people, too.
    if let Some(person) = table.rest.person() {
        return Ok(births::several_numbers(source, table, person, context)?.into_iter().collect());
    }
    if recipe.one_record_each {
        return Ok(Vec::new());
    }
    let mut found = in_table(recipe, table);
    let dropped = match dropped(recipe, source, table, context) {
        Err(error) if error.is_interrupted() => return Err(error),
        // A cell that cannot be read is nobody's business where its column is dropped.
        Err(_) => {
            return refused(recipe, path, found).map(|()| {
                vec!["dropped columns could not be read, so that it is not known whether one of them numbers persons \
                      of several records"
                    .to_owned()]
            });
        }
        Ok(dropped) => dropped,
    };
    found.extend(dropped);
    refused(recipe, path, found)?;
    if !recipe.independent.is_empty() {
        return Ok(Vec::new());
    }
    if source.engine.is_cluster() {
        return Ok(vec![not_looked_at("on a cluster,")]);
    }
    match seen(recipe, source, table, context) {
        Err(error) if error.is_interrupted() => Err(error),
        Err(_) => Ok(vec![not_looked_at("of an input that cannot be read a second time,")]),
        Ok(None) => Ok(Vec::new()),
        Ok(Some(shown)) => Err(unanswered(recipe, path, &shown)),
    }
}

/// What a run that could not look at the order of the records owes its reader.
fn not_looked_at(why: &str) -> String {
    format!(
        "{why} neither the order of the records nor days of birth were compared: it is not known whether several records are of \
         one person. If they are, give the column that tells the people apart the role \"person\"; if not, rows = \
         \"independent\" under [input] says so"
    )
}

/// How many records are of nobody, where the table says whose the records are: without a number they can be anybody's.
#[must_use]
pub fn of_nobody(table: &FrequencyTable) -> u64 {
    let Some(column) = table.rest.person() else { return 0 };
    let Some(nobody) = table.rest.columns[column].values.iter().position(|value| value == NULL) else {
        return 0;
    };
    let counted = table.rest_index.iter().zip(&table.counts);
    let whose = |rest: u32| table.rest.codes[column][rest as usize] as usize;
    counted.filter(|(rest, _)| whose(**rest) == nobody).map(|(_, count)| count).sum()
}

/// What is wrong with records of nobody in a column, and how to mend it.
#[must_use]
pub fn nobodys(column: &str, records: u64) -> Problem {
    let (records, are) =
        if records == 1 { ("1 record".to_owned(), "is") } else { (format!("{records} records"), "are") };
    Problem::new(format!(
        "{records} have no value in `{column}`, which says whose the records are: nobody knows whether they {are} another \
         person's"
    ))
    .mend(
        "fill it in, or leave these records out; those that are surely of different people can get numbers that occur only once",
    )
}

/// Refuses records of nobody where people are counted: taken for a person, they would be one more in each class.
pub(crate) fn refuse_nobody(recipe: &Resolved, path: &Path, table: &FrequencyTable) -> Result<(), JobError> {
    let (records, Some(column)) = (of_nobody(table), table.rest.person()) else { return Ok(()) };
    if records == 0 {
        return Ok(());
    }
    let name = &table.rest.columns[column].name;
    let name = name.strip_prefix(identity::PEOPLE_OF).unwrap_or(name);
    Err(recipe.places.refuse(path, &["attributes", name], nobodys(name, records)))
}

/// The refusal where no column numbers the people, and the records look like several of one.
fn unanswered(recipe: &Resolved, path: &Path, shown: &str) -> JobError {
    let problem = Problem::new(format!(
        "the table seems to have several records of a person: {shown}, and no column is said to number the people. \
         k-anonymity would count records, so that a class could be one person. {}\n",
        how_to_say()
    ));
    recipe.places.refuse(path, &["input"], problem).coded(Code::PERSON_NUMBER)
}

/// What shows that several records of a run's table are of one person.
fn seen(
    recipe: &Resolved,
    source: &OpenedTable,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    let input = &source.input;
    if numbers_each(input, context)? {
        return Ok(None);
    }
    let place = |name: &str| input.columns.iter().position(|column| column == name);
    let read = source.requests.iter().filter_map(|request| {
        place(&request.name).map(|place| (place, request.role == Role::QuasiIdentifier))
    });
    let mut columns: Vec<(usize, bool)> = read.collect();
    let traits =
        all_traits(input, table).into_iter().filter(|place| columns.iter().all(|(one, _)| one != place));
    let traits: Vec<(usize, bool)> = traits.map(|place| (place, false)).collect();
    columns.extend(traits);
    let suspects: Vec<usize> = (0..input.columns.len())
        .filter(|&place| can_number(&input.columns[place]) && !is_answered(recipe, &input.columns[place]))
        .collect();
    rows_of_one(input, &columns, &suspects, context)
}

/// Whether a column that by its name numbers people has a value of its own in every record.
///
/// # Errors
/// What reading can give.
pub fn numbers_each(input: &Input, context: &Context<'_>) -> Result<bool, JobError> {
    let named: Vec<usize> = (0..input.columns.len()).filter(|&at| is_named(&input.columns[at])).collect();
    if named.is_empty() {
        return Ok(false);
    }
    let survey = input.survey(&requests(input, &named), context)?;
    Ok(survey.columns.iter().any(|column| column.values as u64 == survey.records))
}

/// What shows that several records are of one person, by their order, by days of birth, or by a number that stands in a part of one or in
/// two of the columns at `suspects`; `columns` are places, and whether they are quasi-identifiers.
///
/// # Errors
/// What reading can give.
pub fn rows_of_one(
    input: &Input,
    columns: &[(usize, bool)],
    suspects: &[usize],
    context: &Context<'_>,
) -> Result<Option<String>, JobError> {
    let kinds = input.kinds().unwrap_or_default();
    let is_plain = |place: usize| !kinds.get(place).is_some_and(|kind| kind.is_nested());
    let judged: Vec<usize> = columns.iter().map(|column| column.0).collect();
    let others = suspects.iter().copied().filter(|place| !judged.contains(place) && is_plain(*place));
    let places: Vec<usize> = judged.iter().copied().chain(others).collect();
    let read = input.read_first(MOST_IN_ORDER, &requests(input, &places), context)?;
    let records = read.codes.first().map_or(0, Vec::len);
    let all = named(input, &places, &read);
    let named = &all[..judged.len()];
    let qis: Vec<bool> = columns.iter().map(|column| column.1).collect();
    let (neighbours, others) = rayon::join(
        || neighbours(&read, named, &qis),
        || {
            let is_suspect = |name: &str| suspects.iter().any(|&place| input.columns[place] == name);
            let births = named.iter().find_map(|column| column.births_are_shared(records));
            births
                .or_else(|| together(&all, is_suspect))
                .or_else(|| agreeing(named, records))
                .or_else(|| split(named, records))
        },
    );
    Ok(neighbours.or(others))
}

/// Columns that were read, with their names.
fn named<'a>(input: &'a Input, places: &[usize], read: &'a Ordered) -> Vec<Column<'a>> {
    let texts = |at: usize| read.values[at].iter().map(String::as_str).collect();
    let columns = places.iter().zip(&read.codes).enumerate();
    columns
        .map(|(at, (&place, codes))| Column {
            name: &input.columns[place],
            values: texts(at),
            codes: Codes::of(&codes[..]),
        })
        .collect()
}

/// What to say where more neighbours agree in these columns than chance allows.
fn neighbours(read: &Ordered, columns: &[Column<'_>], qis: &[bool]) -> Option<String> {
    let records = read.codes.first().map_or(0, Vec::len);
    let read = read.values.iter().zip(&read.codes).take(columns.len());
    let in_order: Vec<runs::Column<'_>> =
        read.map(|(values, codes)| runs::Column { values, codes }).collect();
    let order = InOrder::of(&in_order)?;
    let traits: Vec<bool> = columns.iter().map(|column| column.is_trait(records)).collect();
    in_all_or_some(&order, qis, "all quasi-identifiers")
        .or_else(|| in_all_or_some(&order, &traits, "sex, birth and age"))
}

fn in_all_or_some(order: &InOrder<'_>, judged: &[bool], what: &str) -> Option<String> {
    let found = |runs: Runs, what: &str| {
        format!(
            "{} neighbouring pairs of records agree in {what}, where an order that says nothing of persons has about {:.0}",
            runs.pairs, runs.expected
        )
    };
    let some = || order.runs_of_some(judged).map(|(runs, number)| found(runs, &format!("{number} columns")));
    order.runs(judged).map(|runs| found(runs, what)).or_else(some)
}

/// What shows that several records of a table are of one person, of which nobody says whose its records are. `qis` are the names of its
/// quasi-identifiers.
///
/// # Errors
/// What reading can give.
pub fn shown_of(input: &Input, qis: &[String], context: &Context<'_>) -> Result<Option<String>, JobError> {
    if numbers_each(input, context)? {
        return Ok(None);
    }
    // As many as in their order: a large table is not held for a remark.
    let places: Vec<usize> = (0..input.columns.len()).collect();
    let read = input.read_first(MOST_IN_ORDER, &requests(input, &places), context)?;
    let columns = named(input, &places, &read);
    let records = read.codes.first().map_or(0, Vec::len);
    if let Some(found) = first(&candidates(&columns, &vec![1; records], can_number, true)) {
        return Ok(Some(format!(
            "column `{}` tells {} people apart in {} records that were looked at",
            found.name, found.persons, found.records
        )));
    }
    let suspects: Vec<usize> =
        places.iter().copied().filter(|&place| can_number(&input.columns[place])).collect();
    let judged: Vec<(usize, bool)> = places
        .into_iter()
        .filter(|&place| qis.contains(&input.columns[place]))
        .map(|place| (place, true))
        .collect();
    rows_of_one(input, &judged, &suspects, context)
}

/// What one record of each person, or a word of the recipe, would mend.
pub fn how_to_say() -> String {
    "Keep one record of each person, or give a column that tells the people apart the role \"person\"; where it takes two columns or a part \
     of one, make one of them first. Or, if each record is of another person, write into the section [input]:\n\nrows = \"independent\""
        .to_owned()
}

/// What the recipe alone shows, where nothing may depend on a record.
fn by_name(recipe: &Resolved) -> Vec<String> {
    // The custodian's word for the whole table answers for each column.
    let unanswered = |name: &str| is_named(name) && !recipe.one_record_each && !is_answered(recipe, name);
    let dropped = recipe.attributes.iter().filter(|attribute| attribute.role == Role::Identifier);
    let said = dropped.filter(|attribute| unanswered(&attribute.name)).map(|attribute| {
        format!(
            "the guarantee is about one record: if several records can have one value of `{}`, a person's records together \
             are protected less; rows = \"independent\" at the attribute says that they are of different people",
            attribute.name
        )
    });
    said.collect()
}

/// The columns that are released, and that of the person.
fn columns_of(table: &FrequencyTable) -> Vec<Column<'_>> {
    let qis = table.qis.iter().zip(&table.codes).map(|(qi, codes)| Column {
        name: &qi.name,
        values: qi.hierarchy.labels(0).iter().map(String::as_str).collect(),
        codes: Codes::of(&codes[..]),
    });
    let rest = table.rest.columns.iter().zip(&table.rest.codes).map(|(column, codes)| Column {
        name: &column.name,
        values: column.values.iter().map(String::as_str).collect(),
        codes: Codes::through(codes, &table.rest_index),
    });
    qis.chain(rest).collect()
}

/// Among the columns that are released.
fn in_table(recipe: &Resolved, table: &FrequencyTable) -> Vec<Candidate> {
    candidates(&columns_of(table), &table.counts, |name| !is_answered(recipe, name), false)
}

/// Among the columns that are dropped: those that repeat are read beside sex and birth.
fn dropped(
    recipe: &Resolved,
    source: &OpenedTable,
    table: &FrequencyTable,
    context: &Context<'_>,
) -> Result<Vec<Candidate>, JobError> {
    let input = &source.input;
    let is_read = |name: &str| source.requests.iter().any(|request| *request.name == *name);
    let suspects: Vec<usize> = (0..input.columns.len())
        .filter(|&place| {
            let name = &input.columns[place];
            !is_read(name) && !is_answered(recipe, name) && can_number(name)
        })
        .collect();
    if suspects.is_empty() || source.engine.is_cluster() {
        return Ok(Vec::new());
    }
    let survey = input.survey(&requests(input, &suspects), context)?;
    let repeats =
        survey.columns.iter().map(|column| 1 < column.values && (column.values as u64) < survey.records);
    let suspects: Vec<usize> =
        suspects.into_iter().zip(repeats).filter_map(|(place, repeats)| repeats.then_some(place)).collect();
    of_input(input, &suspects, &all_traits(input, table), context)
}

/// The columns that tell what does not change of a person: by their names, or by the values that were read of them. Without
/// a header names tell nothing.
fn all_traits(input: &Input, table: &FrequencyTable) -> Vec<usize> {
    let qis = table.qis.iter().map(|qi| (&qi.name, qi.hierarchy.labels(0)));
    let rest = table.rest.columns.iter().map(|column| (&column.name, &column.values[..]));
    let by_values = qis.chain(rest).filter(|(_, values)| is_trait(values));
    let places = by_values.filter_map(|(name, _)| input.columns.iter().position(|column| column == name));
    let all: BTreeSet<usize> = traits(input).into_iter().chain(places).collect();
    all.into_iter().collect()
}

/// Whether values alone are those of what does not change of a person.
fn is_trait(values: &[String]) -> bool {
    let shown = values.iter().map(String::as_str).filter(|value| !value.is_empty() && *value != NULL);
    let cells: Vec<(&str, u64)> = shown.map(|value| (value, 1)).collect();
    trait_of("", Some(Cells(&cells))).is_some() || are_births(Cells(&cells))
}

/// Whether a name does not say that a column holds what people have in common.
#[must_use]
pub fn can_number(name: &str) -> bool {
    name != CLASS_ID && trait_of(name, None).is_none()
}

/// Whether the recipe says whose the records of one number are, or that the column is meant to be released. The classes
/// of a release are nobody's records.
fn is_answered(recipe: &Resolved, name: &str) -> bool {
    if name == CLASS_ID {
        return true;
    }
    let intended =
        |attribute: &velamen_recipe::ResolvedAttribute| attribute.name == name && attribute.intended;
    recipe.independent.iter().any(|said| said == name) || recipe.attributes.iter().any(intended)
}

fn refused(recipe: &Resolved, path: &Path, found: Vec<Candidate>) -> Result<(), JobError> {
    let Some(first) = first(&found) else { return Ok(()) };
    let refusal = recipe.places.refuse(
        path,
        &["attributes", &first.name],
        Problem::of(&["role", "rows"], said(&found)),
    );
    Err(refusal.coded(Code::PERSON_NUMBER))
}

/// Of numbers within numbers, as of stays and patients, the one that tells the fewest apart; of what people share, the one that agrees best.
fn first(found: &[Candidate]) -> Option<&Candidate> {
    let fewest = || found.iter().min_by_key(|one| one.persons);
    found.first().filter(|one| one.shared).or_else(fewest)
}

/// What is found, with both answers to paste.
fn said(found: &[Candidate]) -> String {
    let Some(first) = first(found) else { return String::new() };
    let column = |one: &Candidate| {
        let same: String = one.same.iter().map(|name| format!(", as does `{name}`")).collect();
        let shared = if one.shared { ", though some seem to share a value" } else { "" };
        format!(
            "column `{}` tells {} people apart in {} records{shared}{same}",
            one.name, one.persons, one.records
        )
    };
    let all: Vec<String> = found.iter().map(column).collect();
    let which = if found.len() > 1 { "the column that numbers the people" } else { "it" };
    let names = found.iter().flat_map(|one| std::iter::once(&one.name).chain(&one.same));
    let independent: String = names
        .map(|name| format!("\n[attributes.{}]\nrole = \"identifier\"\nrows = \"independent\"\n", key(name)))
        .collect();
    format!(
        "attribute `{}`: the table seems to have several records of a person: {}. k-anonymity would count records, so \
         that a class could be one person. Give {which} the role \"person\", which lets all models count people and releases no \
         number:\n\n[attributes.{}]\nrole = \"person\"\n\nThis needs a method that counts people, such as name = \
         \"optimal\" under [method]. Or, if each record is of another person, write\n{independent}\n\
         A section that the recipe has already takes these lines in place of its role.",
        first.name,
        all.join("; "),
        key(&first.name),
    )
}
