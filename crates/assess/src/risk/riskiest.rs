//! The records of a table that are at the highest risk, by their place in the file: for the custodian.

use std::collections::HashMap;

use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_engine::source::Ordered;
use velamen_job::flat::open_table;
use velamen_measure::risk::special_uniques::Scored;
use velamen_recipe::JobError;

use super::RiskRequest;
use super::figures::RecordScores;
use super::subject::Subject;

/// A record at high risk.
#[derive(Debug, Clone, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RiskyRecord {
    /// Its number in the file, from 1; a header does not count.
    pub row: u64,
    /// The records of its class, or its people; of a person's records the one that stands out most is listed.
    pub class_size: u64,
    /// Its minimal sample uniques.
    pub special_uniques: u64,
    /// The attributes of the smallest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<usize>,
    /// Their score.
    pub score: f64,
    /// Its DIS-SUDA, where the sampling fraction is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dis_suda: Option<f64>,
    /// Its values of the quasi-identifiers, where they may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}

/// The riskiest records: by score, then by class size, then as they stand in the file.
///
/// Reads the table a second time, as the first reading forgets the order.
pub(super) fn riskiest(
    request: &RiskRequest,
    subject: &Subject,
    scores: &RecordScores,
    context: &Context<'_>,
) -> Result<Vec<RiskyRecord>, JobError> {
    if request.rows == 0 {
        return Ok(Vec::new());
    }
    let whose = subject.people.as_ref().map(|people| people.column.as_str());
    let names: Vec<&str> = subject.names.iter().map(String::as_str).chain(whose).collect();
    let role = |name: &str| names.contains(&name).then_some(Role::Insensitive);
    let (input, requests) = open_table(&request.table, &request.read, role, &names)?;
    let ordered = input.read_in_order(&requests, context)?;
    let position = |name: &&str| requests.iter().position(|request| request.name == *name);
    let places: Vec<usize> = names.iter().filter_map(position).collect();
    let (places, person) = places.split_at(subject.names.len());
    let classes = entries(subject, &ordered, places)?;
    let people = person.first().map(|&person| people(subject, &ordered, person)).transpose()?;
    let by_entry = places_of_scores(subject, &scores.scored);
    let whose = |row: usize| people.as_ref().map(|people| people[row]);
    let place = |row: usize| by_entry[entry_of(subject, classes[row], whose(row))?];
    let mut rows: Vec<(usize, Option<usize>)> = (0..classes.len()).map(|row| (row, place(row))).collect();
    let score = |place: Option<usize>| place.map_or(0.0, |place| scores.scored[place].score);
    let size = |row: usize| subject.counts[classes[row]];
    rows.sort_by(|(a, place_a), (b, place_b)| {
        let larger = score(*place_b).total_cmp(&score(*place_a));
        larger.then(size(*a).cmp(&size(*b))).then(a.cmp(b))
    });
    let mut seen = FxHashSet::default();
    let first = |row: usize| people.as_ref().is_none_or(|people| seen.insert(people[row]));
    let riskiest = rows.into_iter().filter(with_first(first)).take(request.rows);
    Ok(riskiest
        .map(|(row, place)| RiskyRecord {
            row: row as u64 + 1,
            values: request.show_values.then(|| values(subject, classes[row])),
            ..of_class(subject, scores, classes[row], place)
        })
        .collect())
}

/// The entry whose score a record has: its class, or what its person has there.
fn entry_of(subject: &Subject, class: usize, person: Option<u32>) -> Option<usize> {
    let (Some(split), Some(person)) = (subject.split(), person) else { return Some(class) };
    split.held().binary_search_by_key(&(class as u32, person), |one| (one.class, one.person)).ok()
}

/// Lets each person pass once.
fn with_first(mut first: impl FnMut(usize) -> bool) -> impl FnMut(&(usize, Option<usize>)) -> bool {
    move |(row, _)| first(*row)
}

/// Whose each record of the file is.
fn people(subject: &Subject, ordered: &Ordered, place: usize) -> Result<Vec<u32>, JobError> {
    let values = subject.people.as_ref().map_or(&[][..], |people| &people.values);
    let known: HashMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
    let code = |code: &u32| known.get(ordered.values[place][*code as usize].as_str()).copied();
    ordered.codes[place].iter().map(code).collect::<Option<_>>().ok_or_else(|| changed(subject))
}

fn changed(subject: &Subject) -> JobError {
    JobError::data(format!("{}: the file changed while it was read", subject.label))
}

/// What holds of every record of a class, with the place of the class's score.
fn of_class(subject: &Subject, scores: &RecordScores, entry: usize, place: Option<usize>) -> RiskyRecord {
    let scored = place.map(|place| scores.scored[place]);
    RiskyRecord {
        row: 0,
        class_size: subject.counts[entry],
        special_uniques: scored.map_or(0, |scored| scored.msus),
        smallest: scored.map(|scored| scored.smallest),
        score: scored.map_or(0.0, |scored| scored.score),
        dis_suda: place.and_then(|place| Some(scores.dis_suda.as_ref()?[place])),
        values: None,
    }
}

fn places_of_scores(subject: &Subject, scored: &[Scored]) -> Vec<Option<usize>> {
    let entries = subject.split().map_or(subject.counts.len(), |split| split.held().len());
    let mut places = vec![None; entries];
    scored.iter().enumerate().for_each(|(place, record)| places[record.entry as usize] = Some(place));
    places
}

fn values(subject: &Subject, entry: usize) -> Vec<String> {
    let columns = subject.codes.iter().zip(&subject.values);
    columns.map(|(codes, values)| values[codes[entry] as usize].clone()).collect()
}

/// The class of each record of the file.
fn entries(subject: &Subject, ordered: &Ordered, places: &[usize]) -> Result<Vec<usize>, JobError> {
    let changed = || changed(subject);
    let codes = subject.values.iter().zip(places).map(|(values, &place)| {
        let known: HashMap<&str, u32> = values.iter().map(String::as_str).zip(0..).collect();
        let code = |value: &String| known.get(value.as_str()).copied();
        ordered.values[place].iter().map(code).collect::<Option<Vec<u32>>>()
    });
    let codes = codes.collect::<Option<Vec<_>>>().ok_or_else(changed)?;
    let key = |entry: usize| subject.codes.iter().map(|column| column[entry]).collect();
    let classes: HashMap<Vec<u32>, usize> =
        (0..subject.counts.len()).map(|entry| (key(entry), entry)).collect();
    let records = ordered.codes.first().map_or(0, Vec::len);
    let class = |record: usize| {
        let cell = |(&place, codes): (&usize, &Vec<u32>)| codes[ordered.codes[place][record] as usize];
        let key: Vec<u32> = places.iter().zip(&codes).map(cell).collect();
        classes.get(&key).copied()
    };
    (0..records).map(class).collect::<Option<Vec<usize>>>().ok_or_else(changed)
}
