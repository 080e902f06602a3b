//! Tables that differ by one record: made up from the recipe's public domains, or taken from its input.

use std::path::Path;

use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::{NULL, Rule};
use velamen_dp::below;
use velamen_engine::source::ReadOptions;

use crate::error::JobError;
use crate::recipe::{Resolved, ResolvedAttribute};
use crate::table::{Source, open_flat};
use crate::verify::per_row;

/// A text for every attribute of the recipe, in their order.
pub(super) type Record = Vec<String>;

/// The most values of a domain that are listed to take its ends.
const MOST_VALUES: u64 = 1 << 20;
/// The records beside a target that is taken from the input, so that a run is quick.
const COMPANIONS: usize = 40;
/// The stream of their choice; the runs have the streams from 0 up.
const RECORDS: u64 = u64::MAX;

/// Two neighbouring tables.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// What they are, without a value.
    pub(super) about: String,
    /// The records of both, and how many there are of each.
    pub(super) common: Vec<(Record, u64)>,
    /// The record that one of them has more.
    pub(super) target: Record,
}

impl Pair {
    /// The records of the larger table.
    pub(super) fn records(&self) -> u64 {
        1 + self.common.iter().map(|(_, count)| count).sum::<u64>()
    }

    /// The target and its equals in the larger table.
    pub(super) fn copies(&self) -> u64 {
        1 + self
            .common
            .iter()
            .filter(|(record, _)| *record == self.target)
            .map(|(_, count)| count)
            .sum::<u64>()
    }

    /// The larger table and the smaller one, as the engine reads them from a file.
    pub(super) fn read(
        &self,
        recipe: &Resolved,
        path: &Path,
        context: &Context<'_>,
    ) -> Result<[(Source, FrequencyTable); 2], JobError> {
        let with = [&self.common[..], &[(self.target.clone(), 1)]].concat();
        let (source, table) = read(recipe, path, &with, context)?;
        let without = match &self.common[..] {
            // The reader refuses a table without a record; methods need not.
            [] => (read(recipe, path, &with, context)?.0, table.emptied()),
            records => read(recipe, path, records, context)?,
        };
        Ok([(source, table), without])
    }
}

/// Some records through a file, so that all that follows from them is as in a run on a user's file.
fn read(
    recipe: &Resolved,
    path: &Path,
    records: &[(Record, u64)],
    context: &Context<'_>,
) -> Result<(Source, FrequencyTable), JobError> {
    let unwritten = |error: csv::Error| JobError::Io(format!("cannot write a temporary table: {error}"));
    let file = tempfile::Builder::new().suffix(".csv").tempfile();
    let file = file.map_err(|error| unwritten(error.into()))?;
    let mut writer = csv::Writer::from_writer(&file);
    writer.write_record(recipe.attributes.iter().map(|attribute| &attribute.name)).map_err(unwritten)?;
    let rows = records.iter().flat_map(|(record, count)| (0..*count).map(move |_| record));
    for (number, record) in rows.enumerate() {
        let cells = recipe.attributes.iter().zip(record);
        let cell = |(attribute, cell): (&ResolvedAttribute, &String)| match attribute.role {
            // Every record is of a person of its own.
            Role::Identifier | Role::Person => number.to_string(),
            _ => cell.clone(),
        };
        writer.write_record(cells.map(cell)).map_err(unwritten)?;
    }
    writer.flush().map_err(|error| unwritten(error.into()))?;
    drop(writer);
    let read = ReadOptions { format: "csv".parse().ok(), delimiter: Some(b','), ..ReadOptions::default() };
    let recipe = Resolved { input: file.path().to_owned(), read, engine: None, ..recipe.clone() };
    let source = Source::open(&recipe, path, false)?;
    let table = source.input.read(&source.requests, context)?;
    Ok((source, table))
}

/// Pairs made up from the public domains. `sizes` are class sizes at which the method changes its mind.
pub(super) fn made_up(recipe: &Resolved, path: &Path, sizes: &[u64]) -> Result<Vec<Pair>, JobError> {
    let ends = recipe.attributes.iter().map(|attribute| ends(attribute, path));
    let ends = ends.collect::<Result<Vec<_>, _>>()?;
    let record = |takes_last: &dyn Fn(Role) -> bool| -> Record {
        let cell = |(attribute, [first, last]): (&ResolvedAttribute, &[String; 2])| {
            if takes_last(attribute.role) { last.clone() } else { first.clone() }
        };
        recipe.attributes.iter().zip(&ends).map(cell).collect()
    };
    let target = record(&|_| false);
    let pair = |about: &str, common: &[(&Record, u64)], target: &Record| Pair {
        about: about.to_owned(),
        common: common.iter().map(|&(record, count)| (record.clone(), count)).collect(),
        target: target.clone(),
    };
    let other_value = record(&|role| role == Role::Sensitive);
    let elsewhere = record(&|role| role == Role::QuasiIdentifier);
    let far = record(&|_| true);
    let many = sizes.iter().max().copied().unwrap_or(1).max(10) * 2;
    let has_sensitive = recipe.attributes.iter().any(|attribute| attribute.role == Role::Sensitive);
    let mut pairs = vec![pair("no record, and one", &[], &target)];
    for &size in sizes {
        pairs.push(pair(&format!("{size} equal records, and one more"), &[(&target, size)], &target));
        let about = format!("{size} equal records beside {many} others, and one more");
        pairs.push(pair(&about, &[(&target, size), (&far, many)], &target));
    }
    for size in [1, many] {
        if has_sensitive {
            let about = format!("{size} equal records, and one of another sensitive value");
            pairs.push(pair(&about, &[(&other_value, size)], &target));
        }
        let about = format!("{size} equal records, and one of other quasi-identifiers");
        pairs.push(pair(&about, &[(&elsewhere, size)], &target));
    }
    if takes_missing(recipe) {
        let missing = recipe.attributes.iter().zip(&target).map(|(attribute, cell)| match attribute.role {
            Role::QuasiIdentifier => NULL.to_owned(),
            _ => cell.clone(),
        });
        let about = format!("{many} equal records, and one whose quasi-identifiers are missing");
        pairs.push(pair(&about, &[(&target, many)], &missing.collect()));
    }
    Ok(pairs)
}

/// Whether a missing quasi-identifier is in the domain; noisy counts have those only that are declared.
fn takes_missing(recipe: &Resolved) -> bool {
    !recipe.method.is_noisy()
}

/// Two values of an attribute that differ as much as its order tells.
fn ends(attribute: &ResolvedAttribute, path: &Path) -> Result<[String; 2], JobError> {
    let known = |value: &String| *value != NULL && attribute.rule.contains(value);
    let listed = attribute.rule.whole_domain(MOST_VALUES).unwrap_or_default();
    let mut listed = listed.into_iter().filter(known);
    if let Some(first) = listed.next() {
        let last = listed.next_back().unwrap_or_else(|| first.clone());
        return Ok([first, last]);
    }
    let made_up = |digit: &str| (1..=64).map(|length| digit.repeat(length)).find(known);
    let two = made_up("0").zip(made_up("1")).map(|(first, last)| [first, last]);
    let wanted = matches!(attribute.role, Role::QuasiIdentifier | Role::Sensitive);
    match (two, &*attribute.rule) {
        (Some(two), _) => Ok(two),
        (None, Rule::Flat) => Ok(["0".into(), "1".into()]),
        (None, _) if !wanted => Ok(["0".into(), "1".into()]),
        (None, _) => Err(JobError::recipe(
            path,
            format!(
                "attribute `{}`: no value of its domain can be made up for an audit; list it with `rows`",
                attribute.name
            ),
        )),
    }
}

/// Pairs of some records of the input: each is taken away from a table of some others, drawn at random.
pub(super) fn from_data(
    recipe: &Resolved,
    number: u64,
    context: &Context<'_>,
) -> Result<Vec<Pair>, JobError> {
    if number == 0 {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = recipe.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    let role = |name: &str| names.contains(&name).then_some(Role::Insensitive);
    let (input, requests) = open_flat(&recipe.input, &recipe.read, role, &names)?;
    let table = input.read(&requests, context)?;
    let counts = per_row(&table);
    let ends: Vec<u64> = counts
        .iter()
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect();
    let columns: Vec<usize> = names
        .iter()
        .filter_map(|name| table.rest.columns.iter().position(|column| column.name == *name))
        .collect();
    let cell = |row: usize, c: usize| table.rest.columns[c].values[table.rest.codes[c][row] as usize].clone();
    let mut stream = context.seed.stream(RECORDS);
    let mut drawn = || {
        let place = below(&mut stream, table.records());
        let row = ends.partition_point(|end| *end <= place);
        columns.iter().map(|&c| cell(row, c)).collect::<Record>()
    };
    let pair = |number| Pair {
        about: format!("records of the input at random, the {}. pair", number + 1),
        common: (0..COMPANIONS).map(|_| (drawn(), 1)).collect(),
        target: drawn(),
    };
    Ok((0..number).map(pair).collect())
}
