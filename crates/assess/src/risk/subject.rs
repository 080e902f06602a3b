//! What the risk of is told: the classes of a table or a release.

use std::path::Path;
use std::sync::Arc;

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::Role;
use velamen_core::hierarchy::Rule;
use velamen_engine::source::ReadOptions;
use velamen_job::estimate;
use velamen_job::flat::{open_table, per_row};
use velamen_job::published::{Published, rule};
use velamen_measure::risk::leak::Columns;
use velamen_recipe::{Code, JobError, Origin};
use velamen_report::matching::{Matching, linked};
use velamen_report::{Manifest, OfMethod};
use velamen_search::method::Records;

/// The classes of a table or a release.
pub(super) struct Subject {
    /// What messages call it.
    pub(super) label: String,
    /// The quasi-identifiers.
    pub(super) names: Vec<String>,
    /// Their values, by code.
    pub(super) values: Vec<Vec<String>>,
    /// Their codes, by class.
    pub(super) codes: Vec<Vec<u32>>,
    /// The records of each class.
    pub(super) counts: Vec<u64>,
    pub(super) release: Option<ReleaseFacts>,
}

/// What a release states besides its classes.
pub(super) struct ReleaseFacts {
    pub(super) suppressed: u64,
    /// Counterfeits, where the release states how many.
    pub(super) counterfeits: Option<u64>,
    /// What decides on the risk besides the sizes of classes.
    pub(super) matching: Option<Matching>,
    /// The share of the original's records that were drawn.
    pub(super) sample: Option<f64>,
    /// Per class the records that it cannot be told from, where missing values match any.
    pub(super) alike: Option<Vec<u64>>,
    /// How values are generalized, where each attribute has one level.
    pub(super) levels: Option<Vec<(Arc<Rule>, u8)>>,
    /// Whether small classes were removed, so that it is no random sample of its population.
    pub(super) cut: bool,
    /// Pseudonyms of several records, and how many are alone with them.
    linked: Option<(u64, u64)>,
    noisy: bool,
    moved: bool,
}

impl Subject {
    pub(super) fn load(
        table: &Origin,
        read: &ReadOptions,
        qis: &[String],
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        match (table.folder(), qis.is_empty()) {
            (Some(folder), true) => Self::of_release(folder, context),
            (Some(_), false) => {
                Err(JobError::usage("a release names its quasi-identifiers itself").mend("leave out --qi"))
            }
            (None, true) => {
                let columns = table.open(read)?.columns.join(", ");
                let mend = format!("name the quasi-identifiers of the table, whose columns are: {columns}");
                Err(JobError::usage("--qi: none").mend(mend).coded(Code::COLUMNS))
            }
            (None, false) => Self::of_table(table, read, qis, context),
        }
    }

    /// A table or release that has these quasi-identifiers, too.
    pub(super) fn load_beside(
        table: &Origin,
        read: &ReadOptions,
        names: &[String],
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let Some(folder) = table.folder() else {
            return Self::of_table(table, read, names, context);
        };
        let other = Self::of_release(folder, context)?;
        if other.names.iter().all(|name| names.contains(name)) && other.names.len() == names.len() {
            return Ok(other);
        }
        let message = Problem::new(format!(
            "the quasi-identifiers of {} are {}",
            table.label(),
            other.names.join(", ")
        ))
        .expected(names.join(", "));
        Err(JobError::usage(message))
    }

    fn of_table(
        origin: &Origin,
        read: &ReadOptions,
        qis: &[String],
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        if let Some(again) = (1..qis.len()).find(|&i| qis[..i].contains(&qis[i])) {
            return Err(JobError::usage(format!("--qi: `{}` is named twice", qis[again])));
        }
        let needed: Vec<&str> = qis.iter().map(String::as_str).collect();
        let role = |name: &str| needed.contains(&name).then_some(Role::Insensitive);
        let (mut input, requests) = open_table(origin, read, role, &needed)?;
        let table = estimate::read(&mut input, &requests, context)?;
        let place = |name: &String| {
            let column = table.rest.columns.iter().position(|column| column.name == *name);
            column.expect("every column was asked for")
        };
        let places: Vec<usize> = qis.iter().map(place).collect();
        Ok(Self {
            label: origin.label(),
            names: qis.to_vec(),
            values: places.iter().map(|&column| table.rest.columns[column].values.clone()).collect(),
            codes: places.iter().map(|&column| table.rest.codes[column].clone()).collect(),
            counts: per_row(&table),
            release: None,
        })
    }

    fn of_release(folder: &Path, context: &Context<'_>) -> Result<Self, JobError> {
        let published = Published::load(folder, None, context)?;
        let release = &published.release;
        let codes =
            (0..release.qis.len()).map(|q| (0..release.sizes.len()).map(|c| release.class(c)[q]).collect());
        let values = release.qis.iter().map(|qi| qi.values.iter().map(|value| value.label.clone()).collect());
        Ok(Self {
            label: folder.display().to_string(),
            names: release.qis.iter().map(|qi| qi.name.clone()).collect(),
            values: values.collect(),
            codes: codes.collect(),
            counts: release.sizes.clone(),
            release: Some(ReleaseFacts::new(&published)?),
        })
    }

    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { codes: &self.codes, counts: &self.counts }
    }

    /// Records in classes: all but the suppressed ones.
    pub(super) fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Per class how many records it cannot be told from, itself included.
    pub(super) fn sizes(&self) -> &[u64] {
        let alike = self.release.as_ref().and_then(|release| release.alike.as_ref());
        alike.map_or(&self.counts, |alike| alike)
    }

    /// Whether missing values match any.
    pub(super) fn has_wildcards(&self) -> bool {
        self.release.as_ref().is_some_and(|release| release.alike.is_some())
    }

    /// What the figures do not tell by themselves.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.release.as_ref().map_or_else(Vec::new, |release| release.remarks(self.records()))
    }
}

impl ReleaseFacts {
    fn new(published: &Published) -> Result<Self, JobError> {
        let (manifest, release) = (&published.manifest, &published.release);
        let matching = Matching::of(manifest, release);
        let level = |attribute: &velamen_contract::PromisedAttribute| match attribute.level {
            Some(level) => Ok(Some((Arc::new(rule(attribute)?), level))),
            None => Ok(None),
        };
        let levels = published.attributes.iter().map(level).collect::<Result<Vec<_>, JobError>>()?;
        Ok(Self {
            suppressed: release.suppressed,
            counterfeits: manifest.counterfeits,
            sample: manifest.sample,
            alike: matching.as_ref().and_then(Matching::alike),
            matching,
            cut: release.suppressed > 0 || release.sizes.iter().all(|size| *size > 1),
            linked: linked(manifest, release),
            levels: levels.into_iter().collect(),
            noisy: manifest.is_noisy(),
            moved: is_relocation(manifest),
        })
    }

    fn remarks(&self, records: u64) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.suppressed > 0 {
            remarks.push(format!(
                "{} suppressed records form no class and are left out of all figures but the first line: their \
                 quasi-identifiers reveal nothing",
                self.suppressed
            ));
        }
        if self.noisy {
            remarks.push(
                "the records are noisy counts, none of which represents a person: the figures are those of the table as it \
                 appears; the differential privacy protects people"
                    .into(),
            );
        }
        if self.moved {
            remarks.push(
                "relocated records carry the values of another class: a match with one is wrong".into(),
            );
        }
        match self.counterfeits {
            Some(0) => {}
            Some(number) => remarks.push(format!(
                "{number} of the {records} records in classes are counterfeits; the risks are those of an adversary who knows the \
                 catalog and picks a record that is most likely real, which is more than 1/f in a class of f"
            )),
            None if self.noisy => {}
            None => remarks.push("some records are counterfeits; the release does not say how many".into()),
        }
        if let Some(Matching::Persons(_, least)) = self.matching {
            remarks.push(format!(
                "people can have several records: the risks are those that the promise of {least} people in \
                 each class leaves; picking records at random finds a person with many records more easily"
            ));
        }
        if let Some((several, alone)) = self.linked {
            remarks.push(format!(
                "{several} pseudonyms have several records, and {alone} of them are the only one with records in just those \
                 classes: who knows all records of a person is not covered by the figures"
            ));
        }
        if self.alike.is_some() {
            remarks.push(
                "a missing value can stand for any: a class's size counts the records of all classes that agree \
                 with it wherever neither is missing"
                    .into(),
            );
        }
        remarks
    }
}

fn is_relocation(manifest: &Manifest) -> bool {
    manifest.facts().records == Records::Relocated
}
