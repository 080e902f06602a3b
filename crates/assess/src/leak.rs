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
use velamen_report::Manifest;

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
    /// The column of weights: how likely each record is the one looked for. Without it, all are alike.
    pub prior: Option<String>,
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
    /// How the sets stand to a limit, where one is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitFinding>,
    /// What a reader of the figures has to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How the listed sets stand to a limit.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LimitFinding {
    /// The largest ΔS/S₀ that is allowed.
    pub limit: f64,
    /// Sets that are listed.
    pub sets: usize,
    /// Those of them that leak more.
    pub above: usize,
    /// The attributes of the set that leaks most.
    pub most: Vec<String>,
    /// Its ΔS/S₀.
    pub largest: f64,
}

impl LimitFinding {
    /// What it says of the exit code.
    ///
    /// # Errors
    /// [`JobError::limit`] if a set leaks more.
    pub fn conclusion(&self) -> Result<(), JobError> {
        if self.above == 0 {
            return Ok(());
        }
        let most = self.most.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Err(JobError::limit(format!(
            "{} of {} sets of attributes leak more than the limit of {}: most of all {most} with {:.3}",
            self.above, self.sets, self.limit, self.largest
        ))
        .naming(&self.most))
    }
}

impl Leaks {
    /// The same with how its sets stand to a limit: in the other table where there is one.
    #[must_use]
    pub fn within(mut self, limit: f64) -> Self {
        let share = |set: &SetLeak| set.after.as_ref().unwrap_or(&set.before).normalised;
        let most = self.sets.iter().max_by(|a, b| share(a).total_cmp(&share(b)));
        self.limit = Some(LimitFinding {
            limit,
            sets: self.sets.len(),
            above: self.sets.iter().filter(|set| share(set) > limit).count(),
            most: most.map(|set| set.attributes.clone()).unwrap_or_default(),
            largest: most.map_or(0.0, share),
        });
        self
    }
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
    weights: Option<Vec<f64>>,
}

/// Reports what attributes and sets of them leak.
///
/// # Errors
/// [`JobError::usage`] if a column is missing or there are too many sets, and what reading can give.
pub fn leak(request: &LeakRequest, context: &Context<'_>) -> Result<Leaks, JobError> {
    let after = request.after.as_ref().map(|table| source(table, &request.read)).transpose()?;
    let release = request.after.as_ref().and_then(Origin::file).filter(|path| path.is_dir());
    let derived = release.map(velamen_report::load).transpose()?;
    let notes = derived.as_ref().filter(|manifest| has_people(manifest)).map(|_| OF_RECORDS.to_owned());
    let read =
        derived.map_or_else(|| Ok(request.read.clone()), |release| with_derived(&release, &request.read))?;
    let names = names(request, &read, after.as_ref())?;
    refuse_many(request, names.len())?;
    let before = load(&request.table, &read, &names, request.prior.as_deref(), context)?;
    let after = after.map(|(table, read)| load(&table, &read, &names, None, context)).transpose()?;
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
    Ok(Leaks {
        records,
        initial,
        after: after.as_ref().map(Loaded::start),
        sets,
        limit: None,
        notes: notes.into_iter().collect(),
    })
}

/// Where a person can have several records, the figures are those of somebody who looks for a record.
const OF_RECORDS: &str = "a person can have several records here, and the figures count records: they say how well a value finds one record, and \
     somebody who looks for any record of a person needs less; `risk --person` counts people";

/// Whether a release says that a person can have several records.
fn has_people(manifest: &Manifest) -> bool {
    manifest.method.counts_persons() || !manifest.pseudonyms().is_empty()
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
    names.retain(|name| name != CLASS_ID && Some(name) != request.prior.as_ref());
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
    prior: Option<&str>,
    context: &Context<'_>,
) -> Result<Loaded, JobError> {
    let needed: Vec<&str> = names.iter().map(String::as_str).chain(prior).collect();
    let role = |name: &str| needed.contains(&name).then_some(Role::Insensitive);
    let (input, requests) = open_table(table, read, role, &needed)?;
    let table: FrequencyTable = input.read(&requests, context)?;
    let weights = prior.map(|prior| weights(&table, prior)).transpose()?;
    Ok(Loaded {
        codes: names.iter().map(|name| codes(&table, name)).collect(),
        counts: per_row(&table),
        weights,
    })
}

fn codes(table: &FrequencyTable, name: &str) -> Vec<u32> {
    let place = table.rest.position(name).expect("every column was asked for");
    table.rest.codes[place].clone()
}

/// The numbers of a column, by row.
fn weights(table: &FrequencyTable, prior: &str) -> Result<Vec<f64>, JobError> {
    let place = table.rest.position(prior).expect("every column was asked for");
    let number = |label: &String| {
        label.trim().parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0)
    };
    let numbers: Option<Vec<f64>> = table.rest.columns[place].values.iter().map(number).collect();
    let wrong = |what: &str| JobError::data(format!("--prior `{prior}`: {what}")).naming(&[prior.to_owned()]);
    let numbers = numbers.ok_or_else(|| wrong("a weight is a number from 0, and a cell is none"))?;
    let weights: Vec<f64> = table.rest.codes[place].iter().map(|&code| numbers[code as usize]).collect();
    if weights.iter().sum::<f64>() > 0.0 { Ok(weights) } else { Err(wrong("all weights are 0")) }
}

impl Loaded {
    fn columns(&self) -> Columns<'_> {
        Columns { codes: &self.codes, counts: &self.counts, weights: self.weights.as_deref() }
    }

    fn start(&self) -> Start {
        Start { records: self.counts.iter().sum(), initial: self.columns().initial() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, before: f64, after: Option<f64>) -> SetLeak {
        let of = |normalised| LeakFigures { partitions: 2, loss: 1.0, normalised };
        SetLeak { attributes: vec![name.into()], before: of(before), after: after.map(of) }
    }

    fn leaks(sets: Vec<SetLeak>) -> Leaks {
        Leaks { records: 4, initial: 2.0, after: None, sets, limit: None, notes: Vec::new() }
    }

    #[test]
    fn a_limit_is_about_what_is_published() {
        let found = leaks(vec![set("age", 0.4, None), set("zip", 0.5, None)]).within(0.5).limit.unwrap();
        assert_eq!((found.above, found.largest, found.conclusion()), (0, 0.5, Ok(())));
        let found =
            leaks(vec![set("age", 0.4, Some(0.1)), set("zip", 0.5, Some(0.3))]).within(0.2).limit.unwrap();
        assert_eq!((found.above, found.sets, &*found.most), (1, 2, &["zip".to_owned()][..]));
        let refused = found.conclusion().unwrap_err();
        assert_eq!(refused.exit_code(), 9);
        assert!(refused.to_string().contains("`zip` with 0.300"), "{refused}");
    }
}
