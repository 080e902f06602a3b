//! What the risk of is told: the classes of a table or a release.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, RestColumn, Role};
use velamen_core::hierarchy::{NULL, Rule};
use velamen_core::number::count;
use velamen_engine::source::ReadOptions;
use velamen_job::estimate;
use velamen_job::flat::{open_table, per_row};
use velamen_job::published::{Published, rule};
use velamen_measure::risk::leak::Columns;
use velamen_measure::risk::people::Holdings;
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
    /// The records of each class, or its people where these are known.
    pub(super) counts: Vec<u64>,
    /// Whose the records are, where that is known.
    pub(super) people: Option<Whose>,
    pub(super) release: Option<ReleaseFacts>,
}

/// Whose the records of a table or a release are.
pub(super) struct Whose {
    /// The column that says it.
    pub(super) column: String,
    /// Its values, by the number of a person.
    pub(super) values: Vec<String>,
    pub(super) holdings: Holdings,
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
        person: Option<&String>,
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
            (None, false) => Self::of_table(table, read, (qis, person), context),
        }
    }

    /// A table or release that has these quasi-identifiers, too.
    pub(super) fn load_beside(
        table: &Origin,
        read: &ReadOptions,
        names: &[String],
        person: Option<&String>,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let Some(folder) = table.folder() else {
            return Self::of_table(table, read, (names, person), context);
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
        (qis, person): (&[String], Option<&String>),
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        if let Some(again) = (1..qis.len()).find(|&i| qis[..i].contains(&qis[i])) {
            return Err(JobError::usage(format!("--qi: `{}` is named twice", qis[again])));
        }
        refuse_person(qis, person)?;
        let needed: Vec<&str> = qis.iter().chain(person).map(String::as_str).collect();
        let role = |name: &str| needed.contains(&name).then_some(Role::Insensitive);
        let (mut input, requests) = open_table(origin, read, role, &needed)?;
        let table = estimate::read(&mut input, &requests, context)?;
        let place = |name: &String| table.rest.position(name).expect("every column was asked for");
        let (places, person): (Vec<usize>, Option<usize>) =
            (qis.iter().map(place).collect(), person.map(place));
        let (codes, counts, people) = classes(&table, &places, person);
        Ok(Self {
            label: origin.label(),
            names: qis.to_vec(),
            values: places.iter().map(|&column| table.rest.columns[column].values.clone()).collect(),
            codes,
            counts,
            people,
            release: None,
        })
    }

    fn of_release(folder: &Path, context: &Context<'_>) -> Result<Self, JobError> {
        let published = Published::load(folder, None, context)?;
        let release = &published.release;
        let codes =
            (0..release.qis.len()).map(|q| (0..release.sizes.len()).map(|c| release.class(c)[q]).collect());
        let values = release.qis.iter().map(|qi| qi.values.iter().map(|value| value.label.clone()).collect());
        let facts = ReleaseFacts::new(&published)?;
        let holdings = facts.matching.as_ref().and_then(Matching::people).cloned();
        let column = velamen_report::people::column(&published.manifest, release);
        let people = holdings.zip(column).map(|(holdings, column)| {
            let RestColumn { name, values, .. } = &release.rest.columns[column];
            Whose { column: name.clone(), values: values.clone(), holdings }
        });
        Ok(Self {
            label: folder.display().to_string(),
            names: release.qis.iter().map(|qi| qi.name.clone()).collect(),
            values: values.collect(),
            codes: codes.collect(),
            counts: people.as_ref().map_or_else(|| release.sizes.clone(), |people| people.holdings.sizes()),
            people,
            release: Some(facts),
        })
    }

    /// Takes whose the records of each class are, where the classes can be these.
    pub(super) fn take_people(&mut self, column: &str, holdings: Holdings) {
        let sizes = holdings.sizes();
        if self.people.is_none() && sizes.len() == self.counts.len() && self.has_as_many(&sizes) {
            self.counts = sizes;
            self.people = Some(Whose { column: column.to_owned(), values: Vec::new(), holdings });
            // What the promise leaves to those who do not know whose the records are.
            self.release.iter_mut().for_each(ReleaseFacts::forget_people);
        }
    }

    /// Whether no class has more people than records, and none has nobody.
    fn has_as_many(&self, people: &[u64]) -> bool {
        people.iter().zip(&self.counts).all(|(people, records)| (1..=*records).contains(people))
    }

    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { codes: &self.codes, counts: &self.counts, weights: None }
    }

    /// Records in classes: all but the suppressed ones.
    pub(super) fn records(&self) -> u64 {
        match self.holdings() {
            Some(holdings) => holdings.held().iter().map(|one| one.records).sum(),
            None => self.counts.iter().sum(),
        }
    }

    /// All who are counted: the records in classes, or their people.
    pub(super) fn members(&self) -> u64 {
        self.holdings().map_or_else(|| self.records(), Holdings::people)
    }

    /// Whose the records are, where people are counted.
    pub(super) fn holdings(&self) -> Option<&Holdings> {
        self.people.as_ref().map(|people| &people.holdings)
    }

    /// Whose the records are, where somebody has records in several classes.
    pub(super) fn split(&self) -> Option<&Holdings> {
        self.holdings().filter(|holdings| holdings.is_split())
    }

    /// How many stand alone in a class of theirs.
    pub(super) fn alone(&self) -> u64 {
        let of_records = || self.sizes().iter().filter(|size| **size == 1).count() as u64;
        self.holdings().map_or_else(of_records, Holdings::alone)
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
        let of_release =
            self.release.as_ref().map_or_else(Vec::new, |release| release.remarks(self.records()));
        self.people.as_ref().map_or_else(Vec::new, Whose::remarks).into_iter().chain(of_release).collect()
    }
}

impl Whose {
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let (people, column) = (count(self.holdings.people()), &self.column);
        remarks.push(format!(
            "`{column}` says whose the records are: all figures but the first line count its {people} people, and a \
             person's risk is that in the class where she is easiest to find"
        ));
        if self.values.iter().any(|value| value == NULL) {
            remarks.push(format!("records without a `{column}` are counted as one person's"));
        }
        if self.holdings.is_split() {
            remarks.push(
                "some people have records in several classes and are counted in each; who knows several records of a person \
                 is not covered by the figures, and no model of the population counts such people"
                    .into(),
            );
        }
        remarks
    }
}

/// A person is none of the quasi-identifiers.
fn refuse_person(qis: &[String], person: Option<&String>) -> Result<(), JobError> {
    match person.filter(|person| qis.contains(person)) {
        Some(person) => Err(JobError::usage(format!("--person: `{person}` is named by --qi, too"))),
        None => Ok(()),
    }
}

/// What a table's classes are: their codes, whom they count, and whose their records are.
type Classes = (Vec<Vec<u32>>, Vec<u64>, Option<Whose>);

/// The classes of a table by some of its columns; without a person each combination of the rest is one.
fn classes(table: &FrequencyTable, places: &[usize], person: Option<usize>) -> Classes {
    let columns = || places.iter().map(|&column| &table.rest.codes[column]);
    let Some(person) = person else { return (columns().cloned().collect(), per_row(table), None) };
    let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let (mut codes, mut triples) = (vec![Vec::new(); places.len()], Vec::new());
    for (row, records) in per_row(table).into_iter().enumerate() {
        let key: Vec<u32> = columns().map(|column| column[row]).collect();
        let next = known.len() as u32;
        let class = *known.entry(key.clone()).or_insert(next);
        if class == next {
            codes.iter_mut().zip(key).for_each(|(column, code)| column.push(code));
        }
        triples.push((class, table.rest.codes[person][row], records));
    }
    let holdings = Holdings::new(triples.into_iter(), known.len());
    let RestColumn { name, values, .. } = &table.rest.columns[person];
    let counts = holdings.sizes();
    (codes, counts, Some(Whose { column: name.clone(), values: values.clone(), holdings }))
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

    /// Leaves out what is said where a release does not show whose its records are.
    fn forget_people(&mut self) {
        self.matching = self.matching.take().filter(|matching| !matches!(matching, Matching::Persons(..)));
    }

    fn remarks(&self, records: u64) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.suppressed > 0 {
            remarks.push(match self.suppressed {
                1 => "1 suppressed record forms no class and is left out of all figures but the first line: its quasi-identifiers \
                      reveal nothing"
                    .to_owned(),
                number => format!(
                    "{} suppressed records form no class and are left out of all figures but the first line: their \
                     quasi-identifiers reveal nothing",
                    count(number)
                ),
            });
        }
        if self.noisy {
            remarks.push(
                "the records are noisy counts, none of which represents a person: the figures are those of the table as it \
                 appears; the differential privacy protects each record"
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
                "{} of the {} records in classes are counterfeits; the risks are those of an adversary who knows the \
                 catalog and picks a record that is most likely real, which is more than 1/f in a class of f",
                count(number),
                count(records)
            )),
            None if self.noisy => {}
            None => remarks.push("some records are counterfeits; the release does not say how many".into()),
        }
        if let Some(Matching::Persons(_, least)) = self.matching {
            remarks.push(format!(
                "people can have several records, and the release does not tell which: classes, uniques and special uniques \
                 count records, and the risks are those that the promise of {least} people in each class leaves; picking \
                 records at random finds a person with many records more easily; the original with --person counts people"
            ));
        }
        if let Some((several, alone)) = self.linked {
            let has = if several == 1 { "pseudonym has" } else { "pseudonyms have" };
            remarks.push(match (self.matching.as_ref().and_then(Matching::people), alone) {
                (None, _) => format!(
                    "{several} {has} several records, which the custodian states to be of different people: the figures count records"
                ),
                (Some(_), 0) => format!(
                    "{several} {has} several records: who knows all records of a person is not covered by the figures"
                ),
                (Some(_), alone) => format!(
                    "{several} {has} several records, and {alone} of them {} the only one with records in just those classes: who \
                     knows all records of a person is not covered by the figures",
                    if alone == 1 { "is" } else { "are" }
                ),
            });
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
