//! The population that a table is a sample of.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_core::uniqueness::{Estimator, Sample, estimate};
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};
use velamen_measure::risk::class_sizes::by_size;
use velamen_measure::risk::reidentification::{Matched, estimated, whole};
use velamen_recipe::{JobError, Origin};

use super::subject::Subject;

/// Where the population's figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Its table.
    Table,
    /// Its size.
    Size,
    /// The sampling fraction that the release states.
    StatedFraction,
}

/// What is known of a table's population.
pub(super) enum Population {
    Unknown,
    Size(u64, Source),
    Counted(CountedPopulation),
}

/// A population whose table was read.
pub(super) struct CountedPopulation {
    size: u64,
    /// By class of the sample its records in the population.
    classes: Vec<u64>,
    /// Classes of one record in the population.
    uniques: u64,
    /// Those of them that are in the sample.
    uniques_in_sample: u64,
}

/// The population's figures.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PopulationFigures {
    /// Its records.
    pub records: u64,
    /// How they are known.
    pub source: Source,
    /// The share of it that is in the table's classes.
    pub sampling_fraction: f64,
    /// Estimates of the records that are unique in it, side by side.
    pub uniques: Vec<PopulationUniques>,
    /// The estimator that Dankar's rule chooses.
    pub chosen: Estimator,
    /// Records that are unique in it, where its table was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniques_counted: Option<u64>,
    /// How many of those are in the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uniques_counted_in_table: Option<u64>,
}

/// One estimate.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PopulationUniques {
    /// By whom.
    pub estimator: Estimator,
    /// Whether it has a solution here; else Zayatz' stands in.
    pub solved: bool,
    /// Records of the population that are unique.
    pub uniques: f64,
    /// Their share of the population.
    pub share: f64,
}

/// More persons than live.
const MOST_PERSONS: u64 = 10_000_000_000;

/// The estimators that stand side by side.
const ESTIMATORS: [Estimator; 3] = [Estimator::Pitman, Estimator::Zayatz, Estimator::Snb];

/// Estimates that differ by more tell nothing together.
const APART: f64 = 2.0;

impl PopulationFigures {
    /// What has to be said of estimates.
    pub(super) fn remark(&self) -> Option<String> {
        let solved = || self.uniques.iter().filter(|by| by.solved).map(|by| by.uniques);
        let (least, most) = (solved().fold(f64::INFINITY, f64::min), solved().fold(0.0, f64::max));
        let remark = "figures of the population are estimates from a model of a random sample, without any guarantee; where \
                      groups are of very different sizes they can be several times too low";
        let apart = "; the estimators disagree here, so that none of them should be relied on";
        let cut = "; of a release without small classes no uniques can be estimated";
        let apart = match () {
            () if self.uniques.is_empty() => cut,
            () if most > APART * least => apart,
            () => "",
        };
        (self.source != Source::Table).then(|| format!("{remark}{apart}"))
    }
}

impl Population {
    /// What the release itself states.
    pub(super) fn stated(subject: &Subject) -> Self {
        match subject.release.as_ref().and_then(|release| release.sample) {
            Some(share) if share > 0.0 && share < 1.0 => {
                let suppressed = subject.release.as_ref().map_or(0, |release| release.suppressed);
                let size = ((subject.records() + suppressed) as f64 / share).round() as u64;
                Self::Size(size.max(subject.records()), Source::StatedFraction)
            }
            _ => Self::Unknown,
        }
    }

    pub(super) fn of_size(size: u64, subject: &Subject) -> Result<Self, JobError> {
        if size > MOST_PERSONS {
            return Err(JobError::usage(format!("--population-size {size}: a wrong value"))
                .expected(format!("at most {MOST_PERSONS}, more people than there are")));
        }
        if size < subject.records() {
            return Err(JobError::usage(format!(
                "--population-size {size}: {} has {} records",
                subject.label,
                subject.records()
            ))
            .expected("at least as many, as it is to be a sample"));
        }
        refuse_wildcards(subject)?;
        Ok(Self::Size(size, Source::Size))
    }

    pub(super) fn read(
        origin: &Origin,
        read: &ReadOptions,
        subject: &Subject,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        refuse_wildcards(subject)?;
        let rules = rules(subject)?;
        let input = origin.open(&read.beside())?;
        let requests = subject.names.iter().zip(&rules).map(|(name, (rule, _))| request(&input, name, rule));
        let table = input.read(&requests.collect::<Result<Vec<_>, _>>()?, context)?;
        let groups = groups(&table, subject, &rules);
        let classes: Vec<u64> = (0..subject.counts.len())
            .map(|class| groups.known.get(&key(&subject.codes, class)).copied().unwrap_or(0))
            .collect();
        refuse_strangers(&origin.label(), subject, &classes)?;
        let alone = |size: &u64| *size == 1;
        let uniques_in_sample = classes.iter().copied().filter(alone).count() as u64;
        let size = table.records();
        let uniques = groups.uniques;
        Ok(Self::Counted(CountedPopulation { size, classes, uniques, uniques_in_sample }))
    }

    /// The classes as the adversaries see them.
    pub(super) fn matched(&self, subject: &Subject) -> Vec<Matched> {
        let sizes = by_size(subject.counts.iter().copied());
        match self {
            Self::Unknown => whole(&sizes),
            Self::Size(size, _) => estimated(&sizes, *size),
            Self::Counted(counted) => {
                let pairs = subject.counts.iter().zip(&counted.classes);
                pairs.map(|(&size, &population)| Matched::counted(size, population)).collect()
            }
        }
    }

    /// The sampling fraction.
    pub(super) fn fraction(&self, subject: &Subject) -> Option<f64> {
        let size = self.size()?;
        Some(subject.records() as f64 / size as f64)
    }

    fn size(&self) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Size(size, _) => Some(*size),
            Self::Counted(counted) => Some(counted.size),
        }
    }

    /// Population uniqueness by every estimator.
    pub(super) fn figures(&self, subject: &Subject) -> Option<PopulationFigures> {
        let records = self.size()?;
        let sample = Sample::new(&by_size(subject.counts.iter().copied()), records).ok()?;
        let by = |estimator: Estimator| {
            let found = estimate(&sample, estimator);
            let solved = found.used == estimator;
            PopulationUniques { estimator, solved, uniques: found.uniques, share: found.share }
        };
        let cut = subject.release.as_ref().is_some_and(|release| release.cut);
        let counted = match self {
            Self::Counted(counted) => Some(counted),
            _ => None,
        };
        Some(PopulationFigures {
            records,
            source: match self {
                Self::Size(_, source) => *source,
                _ => Source::Table,
            },
            sampling_fraction: sample.fraction(),
            uniques: if cut { Vec::new() } else { ESTIMATORS.map(by).into() },
            chosen: estimate(&sample, Estimator::Dankar).used,
            uniques_counted: counted.map(|counted| counted.uniques),
            uniques_counted_in_table: counted.map(|counted| counted.uniques_in_sample),
        })
    }
}

fn refuse_wildcards(subject: &Subject) -> Result<(), JobError> {
    let message =
        "where missing values match any, classes overlap, and no population can be matched with them";
    if subject.has_wildcards() { Err(JobError::usage(message)) } else { Ok(()) }
}

/// How the values of the population become those of the table.
fn rules(subject: &Subject) -> Result<Vec<(Arc<Rule>, u8)>, JobError> {
    let Some(release) = &subject.release else {
        return Ok(vec![(Arc::new(Rule::Flat), 0); subject.names.len()]);
    };
    let refuse = |why: &str| {
        let label = &subject.label;
        Err(JobError::usage(format!("--population: {label}: {why}")).mend("give --population-size instead"))
    };
    if release.counterfeits != Some(0) {
        return refuse("counterfeits are records of no population");
    }
    match &release.levels {
        Some(levels) => Ok(levels.clone()),
        None => {
            refuse("its classes have levels of their own, which the population's records cannot be put at")
        }
    }
}

fn request(input: &Input, name: &str, rule: &Arc<Rule>) -> Result<ColumnRequest, JobError> {
    let index = input.columns.iter().position(|column| column == name).ok_or_else(|| {
        JobError::data(format!(
            "{}: the population has no column `{name}`, a quasi-identifier",
            input.path().display()
        ))
    })?;
    let (name, rule) = (name.to_owned(), Arc::clone(rule));
    Ok(ColumnRequest { index, name, role: Role::QuasiIdentifier, rule, whole_domain: false })
}

/// The population's classes.
struct PopulationClasses {
    /// Records by the codes of the sample, where it has all values of a class.
    known: HashMap<Vec<u32>, u64>,
    /// Classes of one record.
    uniques: u64,
}

fn groups(table: &FrequencyTable, subject: &Subject, rules: &[(Arc<Rule>, u8)]) -> PopulationClasses {
    let codes: Vec<Vec<u32>> = (0..subject.names.len())
        .map(|q| {
            let at = table.qis.iter().position(|qi| qi.name == subject.names[q]);
            let at = at.expect("every quasi-identifier was requested");
            let places = translated(table.qis[at].hierarchy.labels(0), &subject.values[q], &rules[q]);
            table.codes[at].iter().map(|&code| places[code as usize]).collect()
        })
        .collect();
    let mut known: HashMap<Vec<u32>, u64> = HashMap::new();
    for (entry, count) in table.counts.iter().enumerate() {
        *known.entry(key(&codes, entry)).or_default() += count;
    }
    let uniques = known.values().filter(|count| **count == 1).count() as u64;
    PopulationClasses { known, uniques }
}

/// By value of the population its code in the sample; values that the sample lacks get codes beyond.
fn translated(population: &[String], sample: &[String], (rule, level): &(Arc<Rule>, u8)) -> Vec<u32> {
    let mut codes: HashMap<String, u32> = sample.iter().cloned().zip(0..).collect();
    let code = |value: &String| {
        let next = codes.len() as u32;
        *codes.entry(rule.label_at(value, *level)).or_insert(next)
    };
    population.iter().map(code).collect()
}

fn key(codes: &[Vec<u32>], entry: usize) -> Vec<u32> {
    codes.iter().map(|column| column[entry]).collect()
}

/// A sample has no class that its population lacks, and none that is larger than there.
fn refuse_strangers(label: &str, subject: &Subject, classes: &[u64]) -> Result<(), JobError> {
    let pairs = || subject.counts.iter().zip(classes);
    let missing = pairs().filter(|(_, population)| **population == 0).count();
    let larger = pairs().filter(|(size, population)| **population < **size).count() - missing;
    if missing + larger == 0 {
        return Ok(());
    }
    let records: u64 = pairs().filter(|(_, population)| **population == 0).map(|(size, _)| size).sum();
    Err(JobError::data(format!(
        "{}: {missing} classes of {} ({records} records) are not in the population, and {larger} have fewer records there; \
         the population has to contain every record of the table: compare how both files write the values of {} and \
         which cells mean a missing value (--null)",
        label,
        subject.label,
        subject.names.join(", ")
    )))
}
