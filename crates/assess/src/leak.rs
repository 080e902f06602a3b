//! What attributes of a table leak, before and after anonymization.

use schemars::JsonSchema;
use serde::Serialize;
use velamen_checker::CLASS_ID;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_engine::source::ReadOptions;
use velamen_job::flat::{open_table, per_row, read_options, shown, with_derived};
use velamen_measure::risk::leak::{Columns, Leak};
use velamen_recipe::{JobError, Origin};

/// The most sets that are looked at one by one.
pub const MOST_SETS: u128 = 1_000_000;

/// What is asked.
#[derive(Debug, Clone)]
pub struct LeakRequest {
    /// The table.
    pub table: Origin,
    /// How it is read.
    pub read: ReadOptions,
    /// The attributes; all where it is empty.
    pub attributes: Vec<String>,
    /// The largest sets of attributes.
    pub up_to: usize,
    /// How many of the sets of largest leak; `None` for all sets.
    pub top: Option<usize>,
    /// A release's folder or a table to be compared with.
    pub after: Option<Origin>,
}

/// The leaks of a table.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Leaks {
    /// Records of the table.
    pub records: u64,
    /// S₀ in bits.
    pub initial: f64,
    /// The same of the other table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Start>,
    /// One entry per set.
    pub sets: Vec<SetLeak>,
}

/// A table before anyone asks.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Start {
    /// Its records.
    pub records: u64,
    /// S₀ in bits.
    pub initial: f64,
}

/// The leak of one set.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SetLeak {
    /// The attributes.
    pub attributes: Vec<String>,
    /// What they leak.
    #[serde(flatten)]
    pub before: LeakFigures,
    /// What they leak in the other table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<LeakFigures>,
}

/// The figures of one set in one table.
#[derive(Debug, JsonSchema, Serialize)]
pub struct LeakFigures {
    /// Distinct combinations of values.
    pub partitions: usize,
    /// ΔS in bits.
    pub loss: f64,
    /// ΔS/S₀.
    pub normalised: f64,
}

/// A table's columns as codes.
struct Loaded {
    codes: Vec<Vec<u32>>,
    counts: Vec<u64>,
}

/// Reports what attributes and sets of them leak.
///
/// # Errors
/// [`JobError::usage`] if a column is missing or there are too many sets, and what reading can give.
pub fn leak(request: &LeakRequest, context: &Context<'_>) -> Result<Leaks, JobError> {
    let after = request.after.as_ref().map(|table| source(table, &request.read)).transpose()?;
    let release = request.after.as_ref().and_then(Origin::file).filter(|path| path.is_dir());
    let derived = release.map(velamen_report::load).transpose()?;
    let read =
        derived.map_or_else(|| Ok(request.read.clone()), |release| with_derived(&release, &request.read))?;
    let names = names(request, &read, after.as_ref())?;
    refuse_many(request, names.len())?;
    let before = load(&request.table, &read, &names, context)?;
    let after = after.map(|(table, read)| load(&table, &read, &names, context)).transpose()?;
    let columns = before.columns();
    let leaks = match request.top {
        Some(most) => columns.top(request.up_to, most, context)?,
        None => columns.all(request.up_to, context)?,
    };
    let set = |leak: Leak| SetLeak {
        attributes: leak.attributes.iter().map(|&column| names[column].clone()).collect(),
        after: after.as_ref().map(|after| figures(&after.columns().of(&leak.attributes))),
        before: figures(&leak),
    };
    let sets = leaks.into_iter().map(set).collect();
    let Start { records, initial } = before.start();
    Ok(Leaks { records, initial, after: after.as_ref().map(Loaded::start), sets })
}

fn figures(leak: &Leak) -> LeakFigures {
    LeakFigures { partitions: leak.partitions, loss: leak.loss, normalised: leak.normalised }
}

/// A table and how it is read; of a release as its manifest says.
fn source(table: &Origin, read: &ReadOptions) -> Result<(Origin, ReadOptions), JobError> {
    let Some(folder) = table.folder() else {
        return Ok((table.clone(), read.beside()));
    };
    let manifest = velamen_report::load(folder)?;
    Ok((velamen_report::data_path(&manifest.data, folder)?.into(), read_options(&manifest)?))
}

/// The attributes asked for; where none are, those of both tables.
fn names(
    request: &LeakRequest,
    before: &ReadOptions,
    after: Option<&(Origin, ReadOptions)>,
) -> Result<Vec<String>, JobError> {
    let asked = &request.attributes;
    if let Some(again) = (1..asked.len()).find(|&i| asked[..i].contains(&asked[i])) {
        return Err(JobError::usage(format!("--attributes: `{}` is named twice", asked[again])));
    }
    if !asked.is_empty() {
        return Ok(asked.clone());
    }
    let mut names = shown(&request.table.open(before)?);
    names.retain(|name| name != CLASS_ID);
    if let Some((table, read)) = after {
        let both = table.open(read)?.columns;
        names.retain(|name| both.contains(name));
    }
    if names.is_empty() {
        return Err(JobError::usage("the two tables have no column in common"));
    }
    Ok(names)
}

fn refuse_many(request: &LeakRequest, attributes: usize) -> Result<(), JobError> {
    if request.top.is_some() {
        return Ok(());
    }
    let (mut sets, mut of_size) = (0u128, 1u128);
    for size in 1..=request.up_to.min(attributes) {
        of_size = of_size.saturating_mul((attributes - size + 1) as u128) / size as u128;
        sets = sets.saturating_add(of_size);
    }
    if sets <= MOST_SETS {
        return Ok(());
    }
    Err(JobError::usage(format!(
        "--up-to {}: {sets} sets of {attributes} attributes, more than {MOST_SETS}",
        request.up_to
    ))
    .mend("give --top, a lower --up-to or fewer --attributes"))
}

fn load(
    table: &Origin,
    read: &ReadOptions,
    names: &[String],
    context: &Context<'_>,
) -> Result<Loaded, JobError> {
    let needed: Vec<&str> = names.iter().map(String::as_str).collect();
    let role = |name: &str| needed.contains(&name).then_some(Role::Insensitive);
    let (input, requests) = open_table(table, read, role, &needed)?;
    let table: FrequencyTable = input.read(&requests, context)?;
    Ok(Loaded { codes: names.iter().map(|name| codes(&table, name)).collect(), counts: per_row(&table) })
}

fn codes(table: &FrequencyTable, name: &str) -> Vec<u32> {
    let place = table.rest.position(name).expect("every column was asked for");
    table.rest.codes[place].clone()
}

impl Loaded {
    fn columns(&self) -> Columns<'_> {
        Columns { codes: &self.codes, counts: &self.counts }
    }

    fn start(&self) -> Start {
        Start { records: self.counts.iter().sum(), initial: self.columns().initial() }
    }
}
