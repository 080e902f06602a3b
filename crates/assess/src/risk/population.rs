//! The population that a table is a sample of.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, Role};
use velamen_core::hierarchy::Rule;
use velamen_core::number::count;
use velamen_core::uniqueness::{Estimator, Sample, estimate};
use velamen_engine::ColumnRequest;
use velamen_engine::source::{Input, ReadOptions};
use velamen_measure::risk::class_sizes::by_size;
use velamen_measure::risk::people::Holdings;
use velamen_measure::risk::reidentification::{Matched, Risk, Risks, estimated, risks, whole};
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
    /// By class of the sample its records in the population, or its people.
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
    /// Its records, or its people where these are counted.
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
        // The share is one of records.
        if subject.holdings().is_some() {
            return Self::Unknown;
        }
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
        if size < subject.members() {
            return Err(JobError::usage(format!(
                "--population-size {size}: {} has {} {}",
                subject.label,
                subject.members(),
                if subject.people.is_some() { "people" } else { "records" }
            ))
            .expected("at least as many, as it is to be a sample"));
        }
        refuse_wildcards(subject)?;
        refuse_split(subject)?;
        Ok(Self::Size(size, Source::Size))
    }

    pub(super) fn read(
        origin: &Origin,
        read: &ReadOptions,
        (subject, person): (&Subject, Option<&String>),
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        refuse_wildcards(subject)?;
        let rules = rules(subject)?;
        let input = origin.open(&read.beside())?;
        let requests = subject.names.iter().zip(&rules).map(|(name, (rule, _))| request(&input, name, rule));
        let mut requests = requests.collect::<Result<Vec<_>, _>>()?;
        let whose = person.filter(|_| subject.people.is_some());
        requests.extend(whose.and_then(|name| of_person(&input, name)));
        requests.sort_by_key(|request| request.index);
        let table = input.read(&requests, context)?;
        let groups = groups(&table, subject, &rules);
        let classes: Vec<u64> = (0..subject.counts.len())
            .map(|class| groups.known.get(&key(&subject.codes, class)).copied().unwrap_or(0))
            .collect();
        refuse_strangers(&origin.label(), subject, &classes)?;
        let alone = |size: &u64| *size == 1;
        let uniques_in_sample = classes.iter().copied().filter(alone).count() as u64;
        let PopulationClasses { size, uniques, .. } = groups;
        Ok(Self::Counted(CountedPopulation { size, classes, uniques, uniques_in_sample }))
    }

    /// The risks of the adversaries; `None` without a record.
    pub(super) fn risks(&self, subject: &Subject, threshold: f64) -> Option<Risks> {
        let found = risks(&self.matched(subject), threshold)?;
        let (Self::Counted(counted), Some(people)) = (self, subject.holdings()) else { return Some(found) };
        let marketer = people.in_population(&counted.classes, threshold)?;
        let drawn = counted.classes.len() as f64 / counted.classes.iter().sum::<u64>() as f64;
        let journalist = Risk { mean: marketer.mean.max(drawn), ..marketer };
        Some(Risks { journalist, marketer, ..found })
    }

    /// The classes as the adversaries see them.
    fn matched(&self, subject: &Subject) -> Vec<Matched> {
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
        // People in several classes cannot be told by the sizes of these.
        subject.split().is_none().then(|| subject.members() as f64 / size as f64)
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
        if subject.split().is_some() {
            return self.of_split(subject);
        }
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

    /// What can be said where people have records in several classes: what was counted, and no estimate.
    fn of_split(&self, subject: &Subject) -> Option<PopulationFigures> {
        let Self::Counted(counted) = self else { return None };
        Some(PopulationFigures {
            records: counted.size,
            source: Source::Table,
            sampling_fraction: subject.members() as f64 / counted.size.max(1) as f64,
            uniques: Vec::new(),
            chosen: Estimator::Dankar,
            uniques_counted: Some(counted.uniques),
            uniques_counted_in_table: Some(counted.uniques_in_sample),
        })
    }
}

fn refuse_wildcards(subject: &Subject) -> Result<(), JobError> {
    let message =
        "where missing values match any, classes overlap, and no population can be matched with them";
    if subject.has_wildcards() { Err(JobError::usage(message)) } else { Ok(()) }
}

fn refuse_split(subject: &Subject) -> Result<(), JobError> {
    if subject.split().is_none() {
        return Ok(());
    }
    let problem =
        "some people have records in several classes, and no model of the population counts such people";
    Err(JobError::usage(problem).mend("give its table by --population, or leave out --population-size"))
}

/// The column that says whose the population's records are, if it has it: without it each is another person's.
fn of_person(input: &Input, name: &str) -> Option<ColumnRequest> {
    let index = input.columns.iter().position(|column| column == name)?;
    let (name, rule) = (name.to_owned(), Arc::new(Rule::Flat));
    Some(ColumnRequest { index, name, role: Role::Person, rule, whole_domain: false })
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
    /// Records, or people, by the codes of the sample, where it has all values of a class.
    known: HashMap<Vec<u32>, u64>,
    /// Those that are alone in a class.
    uniques: u64,
    /// All records, or people.
    size: u64,
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
    if let Some(person) = table.rest.person() {
        return of_people(table, &codes, person);
    }
    let mut known: HashMap<Vec<u32>, u64> = HashMap::new();
    for (entry, count) in table.counts.iter().enumerate() {
        *known.entry(key(&codes, entry)).or_default() += count;
    }
    let uniques = known.values().filter(|count| **count == 1).count() as u64;
    PopulationClasses { known, uniques, size: table.records() }
}

/// The people of each class of the population.
fn of_people(table: &FrequencyTable, codes: &[Vec<u32>], person: usize) -> PopulationClasses {
    let mut places: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut triples: Vec<(u32, u32, u64)> = Vec::with_capacity(table.len());
    for (entry, &count) in table.counts.iter().enumerate() {
        let next = places.len() as u32;
        let place = *places.entry(key(codes, entry)).or_insert(next);
        triples.push((place, table.rest.codes[person][table.rest_index[entry] as usize], count));
    }
    let holdings = Holdings::new(triples.into_iter(), places.len());
    let sizes = holdings.sizes();
    let known = places.into_iter().map(|(key, place)| (key, sizes[place as usize])).collect();
    PopulationClasses { known, uniques: holdings.alone(), size: holdings.people() }
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
        "{label}: {} classes of {} ({} records) are not in the population, and {} have fewer records there",
        count(missing as u64),
        subject.label,
        count(records),
        count(larger as u64)
    ))
    .expected("a population that contains every record of the table")
    .mend(format!(
        "compare how both files write the values of {} and which cells mean a missing value (--null)",
        subject.names.join(", ")
    )))
}
