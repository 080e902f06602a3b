//! The privacy parameters that any table satisfies.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use velamen_contract::Promised;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, RestColumn, Role};
use velamen_core::hierarchy::sort_values;
use velamen_core::release::{Release, SUPPRESSED};
use velamen_engine::source::ReadOptions;
use velamen_job::estimate;
use velamen_job::flat::open_table;
use velamen_job::person_numbers;
use velamen_job::published::Published;
use velamen_measure::measure::{Grouped, Measures, Options, Pairs, Sensitive, measure};
use velamen_measure::risk::class_sizes::sizes_of;
use velamen_measure::risk::people::Holdings;
use velamen_recipe::{JobError, Origin};
use velamen_report::certain::Certain;
use velamen_report::matching::least_persons;
use velamen_report::{people, similar};

/// Measures a table.
///
/// # Errors
/// [`JobError::usage`] if a column is missing or named twice, and what reading can give.
pub fn measure_table(
    table: &Origin,
    read: &ReadOptions,
    qis: &[String],
    sensitive: &[String],
    person: Option<&String>,
    options: &Options,
    context: &Context<'_>,
) -> Result<Measures, JobError> {
    if let Some(both) = qis.iter().find(|name| sensitive.contains(name)) {
        return Err(JobError::usage(format!("`{both}` cannot be both a quasi-identifier and sensitive")));
    }
    for names in [qis, sensitive] {
        if let Some(again) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(JobError::usage(format!("`{}` is named twice", names[again])));
        }
    }
    if let Some(both) = person.filter(|person| qis.contains(person) || sensitive.contains(person)) {
        return Err(JobError::usage(format!("--person: `{both}` is named by --qi or --sensitive, too")));
    }
    let role = |name: &str| {
        if person.is_some_and(|person| person == name) {
            return Some(Role::Person);
        }
        if qis.iter().any(|qi| qi == name) {
            Some(Role::QuasiIdentifier)
        } else {
            sensitive.iter().any(|s| s == name).then_some(Role::Sensitive)
        }
    };
    let needed: Vec<&str> = qis.iter().chain(sensitive).chain(person).map(String::as_str).collect();
    let (mut input, requests) = open_table(table, read, role, &needed)?;
    let table = estimate::read(&mut input, &requests, context)?;
    if let (Some(person), records @ 1..) = (person, person_numbers::of_nobody(&table)) {
        return Err(JobError::data(person_numbers::nobodys(person, records).after("--person: ")));
    }
    context.check()?;
    context.progress.step("measuring", 0, 0);
    let grouped = grouped(&table, sensitive);
    context.check()?;
    grouped.check().map_err(|error| JobError::data(error.to_string()))?;
    Ok(measure(&grouped, options))
}

/// What a release shows by itself.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReleaseMeasures {
    /// The privacy parameters that its classes satisfy; suppressed records belong to none.
    #[serde(flatten)]
    pub privacy: Measures,
    /// The least people of a class that are promised, where people can have several records and the release does not tell whose
    /// they are: all figures then count records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promised_people: Option<u64>,
    /// Per shield that the release promises k-anonymity of, the least records, or people, that share its values.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub shields: Map<String, Value>,
    /// By sensitive attribute, how many are in groups that tell more than the attribute's l says.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub similar: BTreeMap<String, Similar>,
    /// The utility figures that the released table shows, by metric.
    pub utility: Map<String, Value>,
}

/// Records, or people where pseudonyms tell them apart, in groups that tell a sensitive value or nearly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Similar {
    /// All of the group have one value.
    pub value: u64,
    /// All have values with one parent in the attribute's hierarchy, though not one value.
    pub parent: u64,
    /// All have numbers within a twentieth of the attribute's range.
    pub near: u64,
}

/// Measures a release folder: its quasi-identifiers and sensitive attributes are those of its manifest.
///
/// # Errors
/// [`JobError::io`] or [`JobError::data`] if the folder holds no readable release.
pub fn measure_release(
    folder: &Path,
    options: &Options,
    context: &Context<'_>,
) -> Result<ReleaseMeasures, JobError> {
    let published = Published::load(folder, None, context)?;
    context.progress.step("measuring", 0, 0);
    let people = people::column(&published.manifest, &published.release);
    let grouped = released_classes(&published.release, people);
    grouped.check().map_err(|error| JobError::data(error.to_string()))?;
    let (shields, utility) = (shields(&published, people), published.figures());
    let promised_people = least_persons(&published.manifest);
    let of = |(name, Certain { value, parent, near })| (name, Similar { value, parent, near });
    let similar = similar(&published.manifest, &published.release).into_iter().map(of).collect();
    Ok(ReleaseMeasures { privacy: measure(&grouped, options), promised_people, shields, similar, utility })
}

/// By the names of a shield's attributes, its k.
fn shields(published: &Published, people: Option<usize>) -> Map<String, Value> {
    let named = published.manifest.privacy.iter().filter_map(Promised::shielded);
    let names = named.map(|names| names.iter().filter_map(Value::as_str).collect::<Vec<&str>>());
    names.map(|names| (names.join(", "), least_sharing(&published.release, people, &names).into())).collect()
}

fn least_sharing(release: &Release, people: Option<usize>, names: &[&str]) -> Option<u64> {
    let shield: Vec<usize> =
        (0..release.qis.len()).filter(|&q| names.contains(&release.qis[q].name.as_str())).collect();
    let (mut places, mut parts) = (BTreeMap::<Vec<u32>, u32>::new(), Vec::new());
    for class in 0..release.sizes.len() {
        let next = places.len() as u32;
        let codes = shield.iter().map(|&q| release.class(class)[q]).collect();
        parts.push(*places.entry(codes).or_insert(next));
    }
    match people {
        Some(column) => people::holdings(release, column).merged(&parts).sizes().into_iter().min(),
        None => sizes_of(&parts, &release.sizes).first().map(|(size, _)| *size),
    }
}

fn released_classes(release: &Release, people: Option<usize>) -> Grouped {
    let rows = || release.rows.iter().filter(|row| row.class != SUPPRESSED);
    let code = |column: usize, rest: u32| release.rest.codes[column][rest as usize];
    let of_column = |column: usize| {
        let mut classes = vec![Vec::new(); release.sizes.len()];
        rows().for_each(|row| classes[row.class as usize].push((code(column, row.rest), row.count)));
        let counted = sensitive_counts(&release.rest.columns[column], classes.into_iter());
        let Some(person) = people else { return counted };
        let mut people = vec![Vec::new(); release.sizes.len()];
        for row in rows() {
            people[row.class as usize].push((code(person, row.rest), code(column, row.rest)));
        }
        Sensitive { people: people.into_iter().map(distinct).collect(), ..counted }
    };
    let holdings = people.map(|column| people::holdings(release, column));
    Grouped {
        sizes: holdings.as_ref().map_or_else(|| release.sizes.clone(), Holdings::sizes),
        people: holdings.as_ref().map(|holdings| (holdings.people(), release.sizes.iter().sum())),
        sensitive: release.rest.sensitive().map(of_column).collect(),
    }
}

fn distinct(mut pairs: Pairs) -> Pairs {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Counts of a column's values by class; codes may come in any order and again.
fn sensitive_counts(column: &RestColumn, classes: impl Iterator<Item = Vec<(u32, u64)>>) -> Sensitive {
    let merged = |mut cells: Vec<(u32, u64)>| {
        cells.sort_unstable();
        cells.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|c| c.1).sum())).collect()
    };
    let mut values = column.values.clone();
    let numeric = sort_values(&mut values);
    let classes = classes.map(merged).collect();
    Sensitive { name: column.name.clone(), values, numeric, classes, people: Vec::new() }
}

/// Runs of entries with equal quasi-identifiers are the classes: entries ascend by them.
fn grouped(table: &FrequencyTable, sensitive: &[String]) -> Grouped {
    let same_class = |a: usize, b: usize| table.codes.iter().all(|column| column[a] == column[b]);
    let entries: Vec<usize> = (0..table.len()).collect();
    let classes: Vec<&[usize]> = entries.chunk_by(|&a, &b| same_class(a, b)).collect();
    let size = |class: &&[usize]| class.iter().map(|&entry| table.counts[entry]).sum();
    let code = |column: usize, entry: usize| table.rest.codes[column][table.rest_index[entry] as usize];
    let of_name = |name: &String| {
        let column = table.rest.position(name).expect("every column was requested");
        let cell = |&e: &usize| (code(column, e), table.counts[e]);
        let cells = classes.iter().map(|class| class.iter().map(cell).collect());
        let counted = sensitive_counts(&table.rest.columns[column], cells);
        let Some(person) = table.rest.person() else { return counted };
        let pair = |&e: &usize| (code(person, e), code(column, e));
        let people = classes.iter().map(|class| distinct(class.iter().map(pair).collect()));
        Sensitive { people: people.collect(), ..counted }
    };
    let sensitive = sensitive.iter().map(of_name).collect();
    let Some(person) = table.rest.person() else {
        return Grouped { sizes: classes.iter().map(size).collect(), sensitive, people: None };
    };
    let of_class = |(class, entries): (u32, &&[usize])| -> Vec<(u32, u32, u64)> {
        entries.iter().map(|&entry| (class, code(person, entry), table.counts[entry])).collect()
    };
    let holdings = Holdings::new((0..).zip(&classes).flat_map(of_class), classes.len());
    Grouped { sizes: holdings.sizes(), sensitive, people: Some((holdings.people(), table.records())) }
}
