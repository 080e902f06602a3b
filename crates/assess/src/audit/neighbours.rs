//! Tables that differ by one record: made up from the recipe's public domains, or taken from its input.

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value};
use velamen_core::context::Context;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::{NULL, Rule};
use velamen_dp::below;
use velamen_engine::{Compression, FileFormat};
use velamen_job::flat::{flat, per_row};
use velamen_recipe::{JobError, Origin, Resolved, ResolvedAttribute};

/// A text for every attribute of the recipe, in their order.
pub(super) type Record = Vec<String>;

/// The most values of a domain that are listed to take some of.
const MOST_VALUES: u64 = 1 << 20;
/// How many of a domain are taken.
const KINDS: usize = 8;
/// The records of an ordinary table, so that a run is quick.
const COMPANIONS: usize = 40;
/// The stream of the choice of records; the runs have the streams from 0 up.
const RECORDS: u64 = u64::MAX;
/// A value that no domain has.
const NOWHERE: &str = "velamen-audit-outside";

/// What is odd about the record that one table has more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Oddity {
    None,
    /// A cell more than there are columns, or text that is no JSON.
    Malformed,
    /// NDJSON: a key that no other record has.
    Key,
}

/// Two neighbouring tables.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// What they are, without a value.
    pub(super) about: String,
    /// Whether users have such tables: tens of different records, none of them odd.
    pub(super) ordinary: bool,
    /// The records of both, and how many there are of each.
    pub(super) common: Vec<(Record, u64)>,
    /// The record that one of them has more.
    pub(super) target: Record,
    /// How often it has it: the records of one person, where the recipe says whose records are.
    pub(super) times: u64,
    pub(super) oddity: Oddity,
}

impl Pair {
    fn new(about: &str, common: &[(&Record, u64)], target: &[String]) -> Self {
        Self {
            about: about.to_owned(),
            ordinary: false,
            common: common.iter().map(|&(record, count)| (record.clone(), count)).collect(),
            target: target.to_vec(),
            times: 1,
            oddity: Oddity::None,
        }
    }

    fn of_all_kinds(more: &str, common: &[Record], target: &[String]) -> Self {
        let common = common.iter().map(|record| (record.clone(), 1)).collect();
        let about = format!("{COMPANIONS} records of all kinds, and one more {more}");
        Self { about, ordinary: true, common, target: target.to_vec(), times: 1, oddity: Oddity::None }
    }

    /// The records of the larger table.
    pub(super) fn records(&self) -> u64 {
        self.times + self.common.iter().map(|(_, count)| count).sum::<u64>()
    }

    /// The target and its equals in the larger table.
    pub(super) fn copies(&self) -> u64 {
        self.times
            + self
                .common
                .iter()
                .filter(|(record, _)| *record == self.target)
                .map(|(_, count)| count)
                .sum::<u64>()
    }

    /// The larger table and the smaller one, as the files of a user.
    pub(super) fn files(&self, recipe: &Resolved) -> Result<[Vec<u8>; 2], JobError> {
        let write = if file_format(recipe).is_keyed() { keyed_file } else { delimited_file };
        let file =
            |with| write(recipe, self, with).map_err(|error| JobError::unusable(format!("a table: {error}")));
        Ok([file(true)?, file(false)?])
    }

    /// Each record as it is written, with every record of a person of its own.
    fn rows<'a>(&'a self, recipe: &'a Resolved, with: bool) -> impl Iterator<Item = Record> + 'a {
        let common = self.common.iter().flat_map(|(record, count)| (0..*count).map(move |_| record));
        let target = (0..if with { self.times } else { 0 }).map(|_| &self.target);
        let others = (self.records() - self.times) as usize;
        common.chain(target).enumerate().map(move |(number, record)| {
            let cell = |(attribute, cell): (&ResolvedAttribute, &String)| match attribute.role {
                Role::Identifier => number.to_string(),
                // All records beyond the common ones are one person's.
                Role::Person => number.min(others).to_string(),
                _ => cell.clone(),
            };
            recipe.attributes.iter().zip(record).map(cell).collect()
        })
    }
}

/// What the tables' files are: as the recipe's input where its records have keys, for these can decide a run.
pub(super) fn file_format(recipe: &Resolved) -> FileFormat {
    let of_input = match (recipe.read.format, &recipe.input) {
        (Some(format), _) => Some(format),
        (None, Origin::File(path)) => FileFormat::named(path),
        (None, Origin::Query(_) | Origin::Batches(_)) => None,
    };
    let keyed = of_input.filter(|format| format.is_keyed());
    keyed.map_or_else(FileFormat::default, |format| FileFormat { compression: Compression::None, ..format })
}

fn delimited_file(recipe: &Resolved, pair: &Pair, with: bool) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    writer.write_record(recipe.attributes.iter().map(|attribute| &attribute.name))?;
    let last = pair.records() as usize - 1;
    for (number, mut row) in pair.rows(recipe, with).enumerate() {
        if number == last && pair.oddity == Oddity::Malformed {
            row.push(NOWHERE.to_owned());
        }
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

fn keyed_file(recipe: &Resolved, pair: &Pair, with: bool) -> Result<Vec<u8>, csv::Error> {
    let mut file = Vec::new();
    let last = pair.records() as usize - 1;
    for (number, row) in pair.rows(recipe, with).enumerate() {
        let value = |cell: String| if cell == NULL { Value::Null } else { Value::String(cell) };
        let cells = recipe.attributes.iter().zip(row).map(|(a, cell)| (a.name.clone(), value(cell)));
        let mut object: Map<String, Value> = cells.collect();
        let oddity = if number == last { pair.oddity } else { Oddity::None };
        if oddity == Oddity::Key {
            object.insert(NOWHERE.to_owned(), true.into());
        }
        let end = if oddity == Oddity::Malformed { ",\n" } else { "\n" };
        write!(file, "{}{end}", Value::Object(object))?;
    }
    Ok(file)
}

/// Records over the values that a recipe's domains have.
struct Kinds<'a> {
    recipe: &'a Resolved,
    /// By attribute; at least one.
    values: Vec<Vec<String>>,
}

impl<'a> Kinds<'a> {
    fn new(recipe: &'a Resolved) -> Result<Self, JobError> {
        let values = recipe.attributes.iter().map(|attribute| values(attribute, &recipe.file));
        Ok(Self { recipe, values: values.collect::<Result<_, _>>()? })
    }

    /// The record of the last values of some roles, and of the first of the others.
    fn record(&self, takes_last: impl Fn(Role) -> bool) -> Record {
        let cell = |(attribute, values): (&ResolvedAttribute, &Vec<String>)| {
            if takes_last(attribute.role) { values[values.len() - 1].clone() } else { values[0].clone() }
        };
        self.recipe.attributes.iter().zip(&self.values).map(cell).collect()
    }

    /// Records of all values but the last ones.
    fn all_but_last(&self) -> Vec<Record> {
        let of = |number: usize| -> Record {
            let cell = |(column, values): (usize, &Vec<String>)| {
                let kinds = (values.len() - 1).max(1);
                // Different strides, so that columns do not go together.
                values[(number * (column + 1) + number / kinds) % kinds].clone()
            };
            self.values.iter().enumerate().map(cell).collect()
        };
        (0..COMPANIONS).map(of).collect()
    }

    /// The record with all quasi-identifiers missing that may be.
    fn missing(&self, record: &[String]) -> Record {
        let may = |attribute: &ResolvedAttribute| {
            attribute.role == Role::QuasiIdentifier && (attribute.missing || !self.recipe.method.is_noisy())
        };
        let cells = self.recipe.attributes.iter().zip(record);
        cells.map(|(attribute, cell)| if may(attribute) { NULL.to_owned() } else { cell.clone() }).collect()
    }

    fn with(&self, record: &[String], role: Role, cell: &str) -> Record {
        let cells = self.recipe.attributes.iter().zip(record);
        let replaced = cells.map(|(attribute, old)| if attribute.role == role { cell } else { old });
        replaced.map(str::to_owned).collect()
    }
}

/// Pairs made up from the public domains. `sizes` are class sizes at which the method changes its mind.
pub(super) fn made_up(recipe: &Resolved, sizes: &[u64]) -> Result<Vec<Pair>, JobError> {
    let kinds = Kinds::new(recipe)?;
    let mut pairs = ordinary(&kinds);
    let target = kinds.record(|_| false);
    let other_value = kinds.record(|role| role == Role::Sensitive);
    let elsewhere = kinds.record(|role| role == Role::QuasiIdentifier);
    let far = kinds.record(|_| true);
    let many = sizes.iter().max().copied().unwrap_or(1).max(10) * 2;
    for &size in sizes {
        pairs.push(Pair::new(&format!("{size} equal records, and one more"), &[(&target, size)], &target));
        let about = format!("{size} equal records beside {many} others, and one more");
        pairs.push(Pair::new(&about, &[(&target, size), (&far, many)], &target));
    }
    for size in [1, many] {
        if other_value != target {
            let about = format!("{size} equal records, and one of another sensitive value");
            pairs.push(Pair::new(&about, &[(&other_value, size)], &target));
        }
        let about = format!("{size} equal records, and one of other quasi-identifiers");
        pairs.push(Pair::new(&about, &[(&elsewhere, size)], &target));
    }
    if takes_missing(recipe) {
        let missing = kinds.missing(&target);
        let about = format!("{many} equal records, and one whose quasi-identifiers are missing");
        pairs.push(Pair::new(&about, &[(&target, many)], &missing));
    }
    Ok(pairs)
}

/// Tables as users have them.
fn ordinary(kinds: &Kinds<'_>) -> Vec<Pair> {
    let common = kinds.all_but_last();
    let last = kinds.record(|_| true);
    let with_last = |role: Role| -> Record {
        let cells = kinds.recipe.attributes.iter().zip(common[0].iter().zip(&last));
        cells
            .map(|(attribute, (first, last))| if attribute.role == role { last } else { first }.clone())
            .collect()
    };
    let mut pairs = vec![Pair::of_all_kinds("like one of them", &common, &common[0])];
    let rare = with_last(Role::Sensitive);
    if rare != common[0] {
        pairs.push(Pair::of_all_kinds("of a sensitive value that no other has", &common, &rare));
    }
    let place = with_last(Role::QuasiIdentifier);
    if place != common[0] {
        pairs.push(Pair::of_all_kinds("of quasi-identifiers that no other has", &common, &place));
    }
    pairs
}

/// A table without a record, and records that a table should not have, each added to an ordinary one: that a
/// run ends because of them, or says so, shows that they are there.
pub(super) fn odd(recipe: &Resolved) -> Result<Vec<Pair>, JobError> {
    let kinds = Kinds::new(recipe)?;
    let mut pairs = vec![Pair::new("no record, and one", &[], &kinds.record(|_| false))];
    if !recipe.method.is_private() {
        return Ok(pairs);
    }
    let common = kinds.all_but_last();
    let pair = |more: &str, target: &Record, oddity| Pair {
        oddity,
        ordinary: false,
        ..Pair::of_all_kinds(more, &common, target)
    };
    for (role, name) in [(Role::QuasiIdentifier, "quasi-identifiers"), (Role::Sensitive, "a sensitive value")]
    {
        if recipe.attributes.iter().any(|attribute| attribute.role == role) {
            for (cell, how) in [(NOWHERE, "outside their domain"), (NULL, "missing"), ("*", "written as *")] {
                let target = kinds.with(&common[0], role, cell);
                pairs.push(pair(&format!("with {name} {how}"), &target, Oddity::None));
            }
        }
    }
    let most = recipe.records_per_person.map_or(0, |most| u64::from(most.get()));
    for times in [most, most + 1].into_iter().filter(|&times| times > 1) {
        let about = format!("of a person with {times} records");
        pairs.push(Pair { times, ..pair(&about, &common[1], Oddity::None) });
    }
    pairs.push(pair("that is malformed", &common[0], Oddity::Malformed));
    if file_format(recipe).is_keyed() {
        pairs.push(pair("with a key that no other has", &common[0], Oddity::Key));
    }
    Ok(pairs)
}

/// Whether a missing quasi-identifier is in the domain; noisy counts have those only that are declared.
fn takes_missing(recipe: &Resolved) -> bool {
    !recipe.method.is_noisy() || recipe.attributes.iter().any(|attribute| attribute.missing)
}

/// Some values of an attribute's domain, the ends of its order among them.
fn values(attribute: &ResolvedAttribute, path: &Path) -> Result<Vec<String>, JobError> {
    let known = |value: &String| *value != NULL && attribute.rule.contains(value);
    let listed = attribute.rule.whole_domain(MOST_VALUES).unwrap_or_default();
    let listed: Vec<String> = listed.into_iter().filter(known).collect();
    if !listed.is_empty() {
        let taken = listed.len().min(KINDS);
        let step = |at: usize| at * (listed.len() - 1) / (taken - 1).max(1);
        return Ok((0..taken).map(|at| listed[step(at)].clone()).collect());
    }
    let made_up = |digit: u32| (1..=64).map(|length| digit.to_string().repeat(length)).find(known);
    let made_up: Vec<String> = (0..KINDS as u32).filter_map(made_up).collect();
    let wanted = matches!(attribute.role, Role::QuasiIdentifier | Role::Sensitive);
    match &*attribute.rule {
        _ if made_up.len() > 1 => Ok(made_up),
        Rule::Flat => Ok(["0", "1"].map(str::to_owned).to_vec()),
        _ if !wanted => Ok(["0", "1"].map(str::to_owned).to_vec()),
        _ => Err(JobError::recipe(
            path,
            format!("attribute `{}`: no value of its domain can be made up for an audit", attribute.name),
        )
        .mend("list it with `rows`")),
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
    let (input, requests) = flat(recipe.input.open(&recipe.read)?, role, &names)?;
    let table = recipe.input.during(context, || Ok(input.read(&requests, context)?))?;
    recipe.input.close();
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
        ordinary: true,
        common: (0..COMPANIONS).map(|_| (drawn(), 1)).collect(),
        target: drawn(),
        times: 1,
        oddity: Oddity::None,
    };
    Ok((0..number).map(pair).collect())
}
