//! A release beside its original: metrics, distributions, associations, matches, queries, classifiers, analyses.

mod analysis;
mod associations;
mod bins;
mod classifiers;
mod distributions;
mod matches;
mod metrics;
mod queries;
mod sides;

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_engine::source::ReadOptions;
use velamen_engine::{ColumnRequest, SHOW_VALUES};

pub use self::analysis::{
    Analyses, AnalysisEntry, AnalysisFile, AnalysisKind, AnalysisOptions, AnalysisResult, EstimateFigures,
    EstimatePair, RangeReading, TieRule, UsedRecords, forest as analysis_forest, page as analysis_page,
};
pub use self::associations::{Associations, PairShift};
pub use self::classifiers::{ClassifierOptions, Classifiers, Model, Scores};
pub use self::distributions::{AttributeShift, Distributions, Numbers};
pub use self::matches::Matches;
pub(crate) use self::metrics::refuse_other_domains;
pub use self::queries::{Errors, Group, Queries, Query, QueryOptions};
use self::sides::Sides;
use crate::counted;
use velamen_job::estimate;
use velamen_job::flat::with_derived;
use velamen_job::published::{Published, rule};
use velamen_job::read_as_then;
use velamen_job::utility::UtilityFigures;
use velamen_recipe::{JobError, Origin};
use velamen_report::{Manifest, OfMethod};

/// A part of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Every utility metric.
    Metrics,
    /// How far each attribute's distribution moved.
    Distributions,
    /// How far each pair's association moved.
    Associations,
    /// Unique original records that the release shows as they are.
    Matches,
    /// Counting queries on both tables.
    Queries,
    /// Classifiers trained on both tables.
    Classifiers,
    /// Stated analyses on both tables.
    Analysis,
}

impl Section {
    /// All sections in their order, by name.
    pub const ALL: [(&'static str, Self); 7] = [
        ("metrics", Self::Metrics),
        ("distributions", Self::Distributions),
        ("associations", Self::Associations),
        ("matches", Self::Matches),
        ("queries", Self::Queries),
        ("classifiers", Self::Classifiers),
        ("analysis", Self::Analysis),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, section)| *section == self).map_or("", |(name, _)| name)
    }
}

impl FromStr for Section {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let known = Self::ALL.iter().find(|(name, _)| *name == text);
        let names = || Self::ALL.map(|(name, _)| name).join(", ");
        known
            .map(|(_, section)| *section)
            .ok_or_else(|| Problem::new("a wrong value").expected(format!("some of {}", names())))
    }
}

/// What is compared, and how.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions {
    /// The sections that are asked for; empty: the analyses alone where any is stated, and otherwise all but the
    /// classifiers, and those too where a target is named.
    pub only: Vec<Section>,
    /// The queries.
    pub queries: QueryOptions,
    /// The classifiers.
    pub classifiers: ClassifierOptions,
    /// The analyses.
    pub analysis: AnalysisOptions,
}

impl CompareOptions {
    fn wants(&self, section: Section) -> bool {
        let usual = match section {
            Section::Analysis => !self.analysis.is_empty(),
            Section::Classifiers => self.classifiers.target.is_some(),
            _ => self.analysis.is_empty(),
        };
        if self.only.is_empty() { usual } else { self.only.contains(&section) }
    }

    /// Whether any section is asked for that reads both tables in one form.
    fn wants_beside_metrics(&self) -> bool {
        let apart = [Section::Metrics, Section::Analysis];
        Section::ALL.iter().any(|(_, section)| !apart.contains(section) && self.wants(*section))
    }
}

/// A section that is left out.
#[derive(Debug, JsonSchema, Serialize)]
pub struct LeftOut {
    /// Its name.
    pub section: &'static str,
    /// Why.
    pub reason: String,
}

/// A release beside its original.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Comparison {
    /// Records of the original.
    pub original_records: u64,
    /// Released records.
    pub records: u64,
    /// Released records whose quasi-identifiers are all `*`.
    pub suppressed: u64,
    /// Counterfeit records.
    pub counterfeits: u64,
    /// Equivalence classes.
    pub classes: u64,
    /// Whether the metrics are over the original records; else they are what the released table shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_original: Option<bool>,
    /// Figures by metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utility: Option<UtilityFigures>,
    /// How far each attribute's distribution moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distributions: Option<Distributions>,
    /// How far each pair's association moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub associations: Option<Associations>,
    /// Unique original records that the release shows as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Matches>,
    /// Counting queries on both tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<Queries>,
    /// Classifiers trained on both tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifiers: Option<Classifiers>,
    /// Stated analyses on both tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analyses: Option<Analyses>,
    /// The sections that the release does not allow, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What a reader of the figures has to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A table and a release of it.
struct TableWithRelease<'a> {
    table: FrequencyTable,
    published: Published,
    folder: &'a Path,
    original: &'a Origin,
}

impl TableWithRelease<'_> {
    /// The custodian's count, where the release does not tell it.
    fn counterfeits(&self) -> Option<u64> {
        let release = &self.published.release;
        match self.published.manifest.counterfeits {
            Some(_) => Some(release.counterfeits()),
            None => release.records().checked_sub(self.table.records()),
        }
    }

    fn foreign(&self, problem: &str) -> JobError {
        let (folder, original) = (self.folder.display(), self.original.label());
        JobError::data(format!("{folder} is not a release of {original}: {problem}"))
            .mend("if cells such as NA mean a missing value there, say so with --null")
    }
}

/// A release against the table that it was made of.
///
/// # Errors
/// [`JobError::data`] if the release cannot be one of that table, [`JobError::usage`] if a section was
/// asked for that the release or the table does not allow, and what reading can give.
pub fn compare(
    original: &Origin,
    read: &ReadOptions,
    folder: &Path,
    options: &CompareOptions,
    context: &Context<'_>,
) -> Result<Comparison, JobError> {
    let (read, note) = read_as_then(folder, original, read);
    let table = read_original(original, &read, &velamen_report::load(folder)?, None, context)?;
    let published = Published::load(folder, Some(&table), context)?;
    let pair = TableWithRelease { table, published, folder, original };
    if let Some(moved) = pair.table.qis.iter().find(|qi| pair.published.manifest.is_replaced(&qi.name)) {
        let message = Problem::new("were moved, so that no released date covers the original's")
            .mend("compare a release without `date-shift`");
        return Err(JobError::data(message.after(&format!(
            "{}: the dates of `{}` ",
            folder.display(),
            moved.name
        ))));
    }
    let refusal = metrics::refusal(&pair);
    if refusal.is_none() {
        metrics::refuse_other_tables(&pair)?;
    }
    let mut found = Comparison::of(&pair);
    found.notes.extend(note);
    found.notes.extend(counted::notes(&pair.table, &pair.published.manifest));
    match refusal {
        _ if !options.wants(Section::Metrics) => {}
        None => found.add_metrics(&pair, context)?,
        Some(error) if options.only.is_empty() => {
            found.left_out.push(LeftOut { section: Section::Metrics.name(), reason: error.to_string() });
        }
        Some(error) => return Err(error),
    }
    if options.wants_beside_metrics() {
        found.fill(&pair, options, context)?;
    }
    if options.wants(Section::Analysis) {
        let raw = read_raw(&pair, &read, context)?;
        let sides = Sides::new(&pair)?;
        if found.notes.is_empty() {
            found.notes.extend(sides.notes(&pair));
        }
        found.analyses = Some(analysis::analyses(&pair, sides, &raw, &options.analysis, context)?);
    }
    Ok(found)
}

impl Comparison {
    /// Without any section.
    fn of(pair: &TableWithRelease<'_>) -> Self {
        let release = &pair.published.release;
        Self {
            original_records: pair.table.records(),
            records: release.records(),
            suppressed: release.suppressed,
            counterfeits: pair.counterfeits().unwrap_or(0),
            classes: release.sizes.len() as u64,
            over_original: None,
            utility: None,
            distributions: None,
            associations: None,
            matches: None,
            queries: None,
            classifiers: None,
            analyses: None,
            left_out: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn add_metrics(&mut self, pair: &TableWithRelease<'_>, context: &Context<'_>) -> Result<(), JobError> {
        let metrics = metrics::metrics(pair, context)?;
        self.over_original = Some(metrics.over_original);
        self.utility = Some(metrics.utility);
        self.notes.extend(options_note(&pair.published.manifest));
        Ok(())
    }

    /// The sections beside the metrics.
    fn fill(
        &mut self,
        pair: &TableWithRelease<'_>,
        options: &CompareOptions,
        context: &Context<'_>,
    ) -> Result<(), JobError> {
        let sides = Sides::new(pair)?;
        self.notes.extend(sides.notes(pair));
        if options.wants(Section::Distributions) {
            self.distributions = Some(distributions::distributions(&sides, context)?);
        }
        if options.wants(Section::Associations) {
            self.associations = Some(associations::associations(&sides, context)?);
        }
        if options.wants(Section::Matches) {
            self.matches = Some(matches::matches(&sides, context)?);
        }
        if options.wants(Section::Queries) {
            self.queries = Some(queries::queries(&sides, &options.queries, context)?);
        }
        if options.wants(Section::Classifiers) {
            self.classifiers = Some(classifiers::classifiers(&sides, &options.classifiers, context)?);
        }
        Ok(())
    }
}

/// The options of the metric that the search minimized, which the figures here are read without.
fn options_note(manifest: &Manifest) -> Option<String> {
    let method = &manifest.method;
    let metric = method.metric()?;
    let asked: Vec<String> =
        method.told_without_weights().map(|(key, value)| format!("{key} = {value}")).collect();
    let asked = if asked.is_empty() { String::new() } else { format!(" with {}", asked.join(", ")) };
    Some(format!(
        "the release was searched for `{metric}`{asked}; the metrics here have their usual options, and weights that the \
         recipe gave, which a release does not state, are not applied"
    ))
}

/// The original with the roles and hierarchies that the manifest states.
pub(crate) fn read_original(
    table: &Origin,
    read: &ReadOptions,
    manifest: &Manifest,
    person: Option<&str>,
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let read = counted::reading(read.clone(), manifest);
    let mut input = table.open(&with_derived(manifest, &read)?)?;
    let qis = manifest.promises(Vec::new())?.qis;
    let mut requests = Vec::new();
    for (name, entry) in &manifest.attributes {
        let index = input.columns.iter().position(|column| column == name).ok_or_else(|| {
            JobError::data(format!("{} has no column `{name}`, which the release has", table.label()))
        })?;
        let rule = match qis.iter().find(|qi| qi.name == *name) {
            Some(qi) => rule(qi)?,
            None => Rule::Flat,
        };
        let role = if person == Some(name) { Role::Person } else { entry.role };
        let (name, rule) = (name.clone(), Arc::new(rule));
        requests.push(ColumnRequest { index, name, role, rule, whole_domain: false });
    }
    let unnamed = person.filter(|name| !manifest.attributes.contains_key(*name));
    let unnamed = unnamed.and_then(|name| input.columns.iter().position(|column| column == name));
    if let (Some(index), Some(name)) = (unnamed, person) {
        let (name, rule) = (name.to_owned(), Arc::new(Rule::Flat));
        requests.push(ColumnRequest { index, name, role: Role::Person, rule, whole_domain: false });
    }
    requests.sort_by_key(|request| request.index);
    let table = estimate::read(&mut input, &requests, context).map_err(of_another)?;
    Ok(counted::within(table, &qis, manifest))
}

/// The original as it is: no value is coded or checked against a hierarchy.
fn read_raw(
    pair: &TableWithRelease<'_>,
    read: &ReadOptions,
    context: &Context<'_>,
) -> Result<FrequencyTable, JobError> {
    let manifest = &pair.published.manifest;
    let mut input = pair.original.open(&with_derived(manifest, read)?)?;
    let entries = manifest.attributes.iter().filter(|(name, _)| !manifest.is_replaced(name));
    let mut requests = Vec::new();
    for (name, entry) in entries {
        let Some(index) = input.columns.iter().position(|column| column == name) else { continue };
        let (name, rule) = (name.clone(), Arc::new(Rule::Flat));
        requests.push(ColumnRequest { index, name, role: entry.role, rule, whole_domain: false });
    }
    requests.sort_by_key(|request| request.index);
    estimate::read(&mut input, &requests, context)
}

/// A value that the release's hierarchies lack: no recipe is at hand that could show or mend it.
fn of_another(error: JobError) -> JobError {
    if error.cause() != Some(SHOW_VALUES) {
        return error;
    }
    error.hint("the hierarchy is that of the release, which was made of a table without this value")
}
