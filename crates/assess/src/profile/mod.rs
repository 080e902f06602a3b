//! What a table is like before anything is done with it: types, missing values, suspected direct
//! identifiers, candidates for quasi-identifiers, and a recipe to begin with.

mod by_figures;
mod columns;
mod derive;
mod diversity;
mod folder;
mod free_text;
mod keys;
mod of_people;
mod private;
mod read;
mod recipe;
mod remarks;
mod suggest;
mod trial;
mod whose;

pub use columns::{ColumnProfile, Values};
pub use keys::suggested_key;
pub(crate) use private::{DomainForm, domain_of};
pub use recipe::AS_QUASI_IDENTIFIER;
pub(crate) use recipe::{MOST_NODES, levels};
pub use suggest::Suggestion;
pub use trial::WHOLE_TABLE;
pub(crate) use trial::{CandidateMethod, OF_FEW_NODES as METHODS, OF_MANY_NODES};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_engine::source::ReadOptions;
use velamen_measure::profile::finding::Sure;
use velamen_measure::risk::leak::Columns;
use velamen_measure::risk::quasi_identifiers::{FoundSet, Measure, SetSearch, Threshold, merged, minimal};
use velamen_patients::FolderProfile;
use velamen_recipe::{JobError, Origin};

pub use self::folder::of_folder;
pub use self::private::{Answers, DeclaredColumn, PrivateRecipe, private};

use self::derive::Deriving;
use self::of_people::JointPeople;
use self::read::ReadTable;

/// Entries that a search may touch: some seconds.
const BUDGET: u64 = 500_000_000;

/// The share of what all attributes reach together that is asked for where they do not reach the threshold.
const OF_ALL: f64 = 0.9;

/// What is asked.
#[derive(Debug, Clone)]
pub struct ProfileRequest {
    /// The table.
    pub table: Origin,
    /// How it is read.
    pub read: ReadOptions,
    /// How many of the records are looked at.
    pub sample: Option<SampleSize>,
    /// What candidates for quasi-identifiers have to reach.
    pub threshold: Threshold,
    /// How many candidates are told; `None` for all.
    pub top: Option<usize>,
    /// Whether values may be shown.
    pub show_values: bool,
    /// Where a recipe is written.
    pub recipe: Option<PathBuf>,
    /// Whether a file of that name is replaced.
    pub overwrite: bool,
}

/// The size of a random sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSize {
    /// So many records.
    Records(u64),
    /// A share of them.
    Share(f64),
}

impl std::str::FromStr for SampleSize {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let share =
            text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share <= 1.0 && text.contains('.'));
        let records = text.parse().ok().filter(|records| *records > 0).map(Self::Records);
        share.map(Self::Share).or(records).ok_or_else(|| {
            Problem::new("a wrong value")
                .expected("a share such as 0.1, or a whole number of records such as 100000")
        })
    }
}

impl SampleSize {
    fn of(self, records: u64) -> u64 {
        match self {
            Self::Records(wanted) => wanted.min(records),
            Self::Share(share) => ((share * records as f64).round() as u64).clamp(1, records),
        }
    }
}

/// What a table is like.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Profile {
    /// Records of the table.
    pub records: u64,
    /// Records of the random sample that all figures are about, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<u64>,
    /// Whether `unique` and `rarest` count people, since one column says whose the records are; all else counts records.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub counts_people: bool,
    /// What should be known before reading on.
    pub notes: Vec<String>,
    /// The columns, in the order of the file.
    pub columns: Vec<ColumnProfile>,
    /// Candidates for quasi-identifiers.
    pub candidates: Candidates,
    /// The recipe that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<PathBuf>,
    /// What a folder of linked tables holds; then no single table is profiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<FolderProfile>,
    /// What a recipe for invented records declares; then no record was read, and `records` is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private: Option<PrivateRecipe>,
}

/// The smallest sets of attributes that tell records apart.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Candidates {
    /// What was measured.
    pub measure: Measure,
    /// What was asked for.
    pub asked: f64,
    /// What the sets reach: less than was asked for where all attributes together do not reach that.
    pub threshold: f64,
    /// All attributes that took part, together.
    pub all: SetProfile,
    /// How many minimal sets were found.
    pub found: usize,
    /// How many sets were measured for it.
    pub measured: u64,
    /// The size of sets at which the search gave up; all smaller sets are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<usize>,
    /// Columns that took no part: suspected direct identifiers, and what was too much.
    pub left_out: Vec<String>,
    /// The sets, smaller ones first.
    pub sets: Vec<SetProfile>,
}

impl Candidates {
    /// No candidates, where no table's records tell each other apart.
    fn none(threshold: Threshold) -> Self {
        let all = SetProfile {
            attributes: Vec::new(),
            distinct: 0,
            distinction: 0.0,
            unique: 0,
            separation: 0.0,
            leak: 0.0,
        };
        Self {
            measure: threshold.measure(),
            asked: threshold.share(),
            threshold: threshold.share(),
            all,
            found: 0,
            measured: 0,
            stopped_at: None,
            left_out: Vec::new(),
            sets: Vec::new(),
        }
    }
}

/// One set of attributes.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SetProfile {
    /// The attributes.
    pub attributes: Vec<String>,
    /// Distinct combinations of their values.
    pub distinct: u64,
    /// Distinct combinations over records.
    pub distinction: f64,
    /// Records that are alone with theirs; people where one column says whose the records are.
    pub unique: u64,
    /// The share of pairs of records that are told apart.
    pub separation: f64,
    /// The leak, ΔS/S₀.
    pub leak: f64,
}

/// Profiles a table, and writes a recipe if one is asked for.
///
/// # Errors
/// What reading can give; [`JobError::io`] if the recipe exists already or cannot be written.
pub fn profile(request: &ProfileRequest, context: &Context<'_>) -> Result<Profile, JobError> {
    if let Some(target) = &request.recipe {
        recipe::refuse_existing(target, request)?;
    }
    let (mut profile, source) = look(request, request.recipe.is_some(), context)?;
    if let Some(target) = &request.recipe {
        let folder = target.parent().unwrap_or(Path::new(""));
        let text = recipe::draft(folder, &source, &mut profile, context)?;
        recipe::write(target, &text)?;
        profile.recipe = Some(target.clone());
    }
    Ok(profile)
}

/// Profiles a table, and gives a recipe to begin with as text, as it is to stand in `folder`. Of a table in memory
/// it names no input and no output.
///
/// # Errors
/// What reading can give.
pub fn suggest(
    request: &ProfileRequest,
    folder: &Path,
    context: &Context<'_>,
) -> Result<(Profile, String), JobError> {
    let (mut profile, source) = look(request, true, context)?;
    let text = recipe::draft(folder, &source, &mut profile, context)?;
    Ok((profile, text))
}

/// The profile, and what a recipe says of the input; with columns that follow from others if it is to derive them.
fn look(
    request: &ProfileRequest,
    derives: bool,
    context: &Context<'_>,
) -> Result<(Profile, recipe::InputKeys), JobError> {
    let (mut request, mut deriving) = (request.clone(), Deriving::default());
    let mut table = ReadTable::read(&mut request, context)?;
    if derives {
        (table, deriving) = derive::with_derived(table, &mut request, context)?;
    }
    let mut columns = table.columns;
    if columns.iter().any(|column| column.is_american) {
        columns.iter_mut().for_each(|column| column.suggestion.as_american(&column.name));
    }
    let persons = whose::candidates(table.source.input(), &columns, table.records, context)?;
    table.notes.extend(whose::suggest(&mut columns, &persons));
    let taking_part: Vec<bool> = columns.iter().map(|column| !column.is_identifier()).collect();
    let joint = table.source.joint(&taking_part, context)?;
    let people = match &persons[..] {
        [one] => table.source.joint_of_people(&joint, &one.name, context)?,
        _ => None,
    };
    if let Some(people) = &people {
        people.count_in(&joint.names, &mut columns);
    }
    let (candidates, in_sets) =
        candidates(request.threshold, request.top, (&joint, people.as_ref()), context)?;
    let in_sets: Vec<&str> = in_sets.iter().map(|&column| &*joint.names[column]).collect();
    let counted = match &people {
        Some(people) => (people.number(), "people"),
        None => (table.sampled.unwrap_or(table.records), "records"),
    };
    by_figures::by_figures(&mut columns, counted, &in_sets);
    by_figures::ensure_quasi_identifier(&mut columns);
    if persons.is_empty() {
        table.notes.extend(whose::neighbours(table.source.input(), &columns, context)?);
    }
    let profile = Profile {
        records: table.records,
        sampled: table.sampled,
        counts_people: people.is_some(),
        notes: table.notes,
        columns,
        candidates,
        recipe: None,
        folder: None,
        private: None,
    };
    Ok((profile, recipe::InputKeys { request, trim: table.trim, deriving }))
}

/// Columns of codes with their names, entries that are alike put together.
struct Joint {
    names: Vec<String>,
    codes: Vec<Vec<u32>>,
    counts: Vec<u64>,
    left_out: Vec<String>,
}

/// The sets that are told, and the columns of all that were found.
fn candidates(
    asked: Threshold,
    top: Option<usize>,
    (joint, people): (&Joint, Option<&JointPeople>),
    context: &Context<'_>,
) -> Result<(Candidates, BTreeSet<usize>), JobError> {
    let (codes, counts) = merged(Columns { codes: &joint.codes, counts: &joint.counts, weights: None });
    let columns = Columns { codes: &codes, counts: &counts, weights: None };
    let records: u64 = counts.iter().sum();
    let mut threshold = asked;
    let mut search = minimal(columns, asked, BUDGET, context)?;
    let reached = asked.measure().of(&search.whole, records);
    if reached < asked.share() && reached > 0.0 {
        threshold = Threshold::try_from((asked.measure(), OF_ALL * reached)).map_err(JobError::usage)?;
        search = minimal(columns, threshold, BUDGET, context)?;
    }
    let SetSearch { found, whole, stopped_at, measured, left_out } = search;
    let set = |found: &FoundSet| set_profile(found, columns, (&joint.names, people));
    let too_many = left_out.iter().map(|&column| joint.names[column].clone());
    let all = FoundSet { attributes: (0..codes.len()).collect(), figures: whole };
    let in_sets = found.iter().flat_map(|found| found.attributes.iter().copied()).collect();
    let candidates = Candidates {
        measure: asked.measure(),
        asked: asked.share(),
        threshold: threshold.share(),
        all: set(&all),
        found: found.len(),
        measured,
        stopped_at,
        left_out: joint.left_out.iter().cloned().chain(too_many).collect(),
        sets: found.iter().take(top.unwrap_or(usize::MAX)).map(set).collect(),
    };
    Ok((candidates, in_sets))
}

fn set_profile(
    found: &FoundSet,
    columns: Columns<'_>,
    (names, people): (&[String], Option<&JointPeople>),
) -> SetProfile {
    let records: u64 = columns.counts.iter().sum();
    SetProfile {
        attributes: found.attributes.iter().map(|&column| names[column].clone()).collect(),
        distinct: found.figures.classes,
        distinction: found.figures.distinction(records),
        unique: people.map_or(found.figures.unique, |people| people.of(&found.attributes).alone),
        separation: found.figures.separation(records),
        leak: columns.of(&found.attributes).normalised,
    }
}

impl ColumnProfile {
    /// Whether it is likely to name a person, so that it is to be dropped.
    pub(crate) fn is_identifier(&self) -> bool {
        matches!(self.suggestion.role, Role::Identifier | Role::Person)
    }

    /// Whether some suspicion is likely or certain.
    #[must_use]
    pub fn is_suspected(&self) -> bool {
        self.findings.iter().any(|finding| finding.sure >= Sure::Likely)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use velamen_core::context::Silent;
    use velamen_dp::Seed;
    use velamen_engine::format::IN_MEMORY;
    use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
    use velamen_engine::source::Batches;
    use velamen_recipe::Recipe;

    use super::*;

    /// 60 patients in memory and as text.
    fn patients(context: &Context<'_>) -> (Batches, String) {
        let column =
            |name: &str, labels: Vec<String>, kind| OutColumn { name: name.to_owned(), labels, kind };
        let table = OutTable {
            columns: vec![
                column("age", (20..50).map(|age| age.to_string()).collect(), ColumnKind::Integer),
                column("sex", vec!["F".into(), "M".into()], ColumnKind::Text),
                column("diagnosis", ["E11", "I63", "J18"].map(String::from).into(), ColumnKind::Text),
            ],
            codes: vec![
                (0..60).map(|row| row % 30).collect(),
                (0..60).map(|row| row % 2).collect(),
                (0..60).map(|row| row / 2 % 3).collect(),
            ],
            counts: vec![1; 60],
        };
        let bytes = |format| table.to_bytes(format, b',', context).unwrap();
        let text = String::from_utf8(bytes("csv".parse().unwrap())).unwrap();
        (Batches::of_arrow(bytes(IN_MEMORY)).unwrap(), text)
    }

    fn request(table: Origin) -> ProfileRequest {
        ProfileRequest {
            table,
            read: ReadOptions::default(),
            sample: None,
            threshold: Threshold::try_from((Measure::Distinction, 0.5)).unwrap(),
            top: Some(20),
            show_values: false,
            recipe: None,
            overwrite: false,
        }
    }

    #[test]
    fn a_recipe_is_suggested_for_tables_in_memory_and_for_files_alike() {
        let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        let (batches, text) = patients(&context);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("patients.csv"), text).unwrap();
        let of_file = request(folder.path().join("patients.csv").into());
        let (on_file, file_text) = suggest(&of_file, folder.path(), &context).unwrap();
        let (in_memory, text) = suggest(&request(batches.clone().into()), Path::new(""), &context).unwrap();
        let roles = |profile: &Profile| {
            let column = |column: &ColumnProfile| (column.name.clone(), column.suggestion.role);
            profile.columns.iter().map(column).collect::<Vec<_>>()
        };
        assert_eq!((in_memory.records, on_file.records), (60, 60));
        assert_eq!(roles(&in_memory), roles(&on_file));
        assert!(file_text.contains("path = \"patients.csv\"") && !text.contains("path ="), "{text}");
        // What is suggested is a recipe of the table.
        let resolved = Recipe::in_memory(&text).unwrap().over(batches).resolve();
        assert_eq!(resolved.unwrap().attributes.len(), 3);
    }

    #[test]
    fn samples_are_shares_or_records() {
        assert_eq!("0.1".parse(), Ok(SampleSize::Share(0.1)));
        assert_eq!("1".parse(), Ok(SampleSize::Records(1)));
        assert_eq!("1.0".parse(), Ok(SampleSize::Share(1.0)));
        for wrong in ["0", "-1", "1.5", "0.0", "many", "nan", ""] {
            assert!(wrong.parse::<SampleSize>().is_err(), "{wrong}");
        }
        assert_eq!((SampleSize::Share(0.001).of(10), SampleSize::Records(20).of(10)), (1, 10));
    }
}
