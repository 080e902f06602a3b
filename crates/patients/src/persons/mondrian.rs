//! Classes by cuts of several person columns at once: each class has ranges and values of its own.
//!
//! # Definition
//! Who has a row in a table of facts, such as deaths, is a person column that cannot be told of some persons alone, since its rows
//! are released. So Datafly first chooses which facts are shown. The persons of each combination of them are then cut by Mondrian
//! (LeFevre 2006), the method of single tables, each person a record. Persons are left out only with the facts.
//!
//! # Complexity
//! That of Mondrian over the distinct combinations of values.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde_json::json;
use velamen_contract::model::k_anonymity::TERMS;
use velamen_core::context::Context;
use velamen_core::frequency::{FrequencyTable, QuasiIdentifier, Rest, Strays};
use velamen_core::hierarchy::{Rule, TOP};
use velamen_core::recoding::LocalPlan;
use velamen_recipe::JobError;
use velamen_search::method::mondrian::{CutBy, MondrianTask, Partitioning, Released};
use velamen_search::model::{Bound, Distribution, find};
use velamen_sets::OUT;

use super::Demographics;
use super::attribute::{Attribute, Level, Source};
use super::dimension::{Dimension, OLD};
use super::naming::{Named, Naming};
use super::search::{Groups, Known, datafly};
use crate::loaded::Rows;

/// A released value of a class, and the share of its detail that it has lost.
#[derive(Debug, Clone)]
struct Shown {
    label: String,
    loss: f64,
}

/// Cuts the persons of the tables.
///
/// # Errors
/// [`JobError::promise`] where too few persons share the facts that are shown; [`JobError::interrupted`].
pub(crate) fn cut(
    attributes: Vec<Attribute>,
    known: &Known<'_>,
    persons: &Rows,
    context: &Context<'_>,
) -> Result<Demographics, JobError> {
    let is_column = |attribute: &Attribute| matches!(attribute.source, Source::Column(_));
    let (columns, facts): (Vec<Attribute>, Vec<Attribute>) = attributes.into_iter().partition(is_column);
    let groups = Groups::of(&facts, known.sets.persons());
    let (node, suppressed) = datafly(&facts, &groups, known)?;
    let strata = groups.classes(&facts, &node, known.plan.k());
    let cutting = Cutting::of(&columns, known, persons);
    let mut shown: Vec<Vec<Option<Shown>>> = vec![vec![None; strata.len()]; columns.len()];
    for stratum in distinct(&strata) {
        let of: Vec<u32> =
            (0..).zip(&strata).filter(|(_, other)| **other == stratum).map(|(p, _)| p).collect();
        cutting.cut(&of, context, &mut shown)?;
    }
    drop(cutting);
    let columns = columns.into_iter().zip(shown).map(|(column, shown)| local(column, &shown, known));
    let columns: Vec<Attribute> = columns.collect::<Result<_, _>>()?;
    let classes = classes(&columns, &strata);
    let node = columns.iter().map(|_| 0).chain(node).collect();
    let attributes = columns.into_iter().chain(facts).collect();
    Ok(Demographics { attributes, node, classes, suppressed, until: known.until })
}

fn distinct(strata: &[u32]) -> BTreeSet<u32> {
    strata.iter().copied().filter(|stratum| *stratum != OUT).collect()
}

/// The dimensions of the persons' space.
struct Cutting<'a> {
    columns: &'a [Attribute],
    naming: Vec<Naming<'a>>,
    /// One for each column, then one for each birth: who belongs to the oldest.
    dimensions: Vec<(Dimension, &'a [u32])>,
    /// Of each column the dimension of its oldest.
    oldest: Vec<Option<usize>>,
    k: u64,
}

impl<'a> Cutting<'a> {
    fn of(columns: &'a [Attribute], known: &Known<'a>, persons: &Rows) -> Self {
        let plan = known.plan;
        let (mut dimensions, mut births) = (Vec::new(), Vec::new());
        let mut oldest = Vec::new();
        for column in columns {
            let Source::Column(place) = column.source else { continue };
            let Some(coded) = persons.coded(place) else { continue };
            let rule = plan.tables[0].rules[place].as_ref();
            let dimension = match column.is_birth {
                true => Dimension::years(coded, rule.unwrap_or(&Rule::Flat), known.cut(), plan.shape),
                false => Dimension::plain(column, coded, rule, plan.shape),
            };
            oldest.push(column.is_birth.then_some(columns.len() + births.len()));
            births.extend(column.is_birth.then(|| (Dimension::oldest(coded, known.cut()), &*column.leaves)));
            dimensions.push((dimension, &*column.leaves));
        }
        dimensions.extend(births);
        let naming = columns.iter().map(|column| naming(column, known)).collect();
        Self { columns, naming, dimensions, oldest, k: plan.k() as u64 }
    }

    /// Cuts some persons, and notes what each shows.
    fn cut(
        &self,
        persons: &[u32],
        context: &Context<'_>,
        shown: &mut [Vec<Option<Shown>>],
    ) -> Result<(), JobError> {
        let (table, members) = self.table(persons);
        let plan = self.plan(&table, context)?;
        let width = self.dimensions.len();
        for (class, entries) in plan.members.iter().enumerate() {
            let codes = &plan.codes[class * width..(class + 1) * width];
            for (column, shown) in shown.iter_mut().enumerate() {
                let value = self.shown(&table, &plan, codes, column);
                let of_class = entries.iter().flat_map(|(entry, _)| &members[*entry as usize]);
                of_class.for_each(|&person| shown[person as usize] = Some(value.clone()));
            }
        }
        Ok(())
    }

    /// What a class shows in a column.
    fn shown(&self, table: &FrequencyTable, plan: &LocalPlan, codes: &[u32], column: usize) -> Shown {
        let value = |dimension: usize| &plan.values[dimension][codes[dimension] as usize];
        let own = value(column);
        let domain = table.qis[column].hierarchy.domain().max(2) as f64 - 1.0;
        let loss = ((own.leaves.max(1) - 1) as f64 / domain).clamp(0.0, 1.0);
        let label = self.naming[column].label(self.dimensions[column].0.shown(&own.label));
        let [oldest, younger] = OLD;
        match self.oldest[column].map(|place| value(place).label.as_str()) {
            Some(old) if old == oldest => {
                let cut = self.naming[column].cut.unwrap_or_default();
                Shown { label: self.naming[column].oldest(cut).1, loss: 1.0 }
            }
            Some(other) if other != younger => Shown { label: TOP.to_owned(), loss: 1.0 },
            _ => Shown { label, loss },
        }
    }

    /// The distinct combinations of the persons' values, and whose each is.
    fn table(&self, persons: &[u32]) -> (FrequencyTable, Vec<Vec<u32>>) {
        let (mut qis, mut codes) = (Vec::new(), Vec::new());
        for (place, (dimension, leaves)) in self.dimensions.iter().enumerate() {
            let text = |&person: &u32| &dimension.texts[leaves[person as usize] as usize];
            let values: BTreeSet<&String> = persons.iter().map(text).collect();
            let (order, hierarchy) = dimension.rule.over(values.into_iter().cloned().collect(), false);
            let number: FxHashMap<&String, u32> = order.iter().zip(0..).collect();
            codes.push(persons.iter().map(|person| number[text(person)]).collect::<Vec<u32>>());
            qis.push(QuasiIdentifier { name: self.name(place), hierarchy });
        }
        let mut entries: BTreeMap<Vec<u32>, Vec<u32>> = BTreeMap::new();
        for (row, &person) in persons.iter().enumerate() {
            entries.entry(codes.iter().map(|codes| codes[row]).collect()).or_default().push(person);
        }
        let column = |q: usize| entries.keys().map(|codes| codes[q]).collect();
        let table = FrequencyTable {
            codes: (0..qis.len()).map(column).collect(),
            qis,
            rest: Rest { len: 1, ..Rest::default() },
            rest_index: vec![0; entries.len()],
            counts: entries.values().map(|persons| persons.len() as u64).collect(),
            population: None,
            strays: Strays::default(),
        };
        (table, entries.into_values().collect())
    }

    fn name(&self, dimension: usize) -> String {
        self.columns.get(dimension).map(|column| column.name.clone()).unwrap_or_default()
    }

    /// The model that every class keeps.
    fn model(&self) -> Result<Bound, String> {
        let entry = find(TERMS.name).ok_or("k-anonymity is no model")?;
        let model = (entry.parse)(json!({ "k": self.k })).map_err(|error| error.to_string())?;
        let judge = model.bind(&Distribution::default())?;
        Ok(Bound { judge, column: None, monotonicity: entry.monotonicity, population: false })
    }

    /// The method of single tables, as published.
    fn plan(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<LocalPlan, JobError> {
        let models = [self.model().map_err(JobError::data)?];
        let rules: Vec<&Rule> = self.dimensions.iter().map(|(dimension, _)| &dimension.rule).collect();
        let task = MondrianTask {
            models: &models,
            least_size: self.k,
            partitioning: Partitioning::Strict,
            recoding: Released::Ranges,
            cuts: CutBy::Widest,
            rules: &rules,
            steps: &vec![None; rules.len()],
            expired: None,
        };
        task.plan(table, context).map_err(JobError::from)
    }
}

fn naming<'a>(column: &'a Attribute, known: &Known<'_>) -> Naming<'a> {
    let cut = column.is_birth.then(|| known.cut());
    Naming { column: &column.name, shape: known.plan.shape, cut }
}

/// A column of which each class has a value of its own.
fn local(column: Attribute, shown: &[Option<Shown>], known: &Known<'_>) -> Result<Attribute, JobError> {
    let naming = naming(&column, known);
    let oldest = naming.cut.map(|cut| naming.oldest(cut));
    let is_oldest = |label: &str| oldest.as_ref().is_some_and(|(_, old)| old == label);
    let labels = shown.iter().flatten().map(|shown| shown.label.clone());
    let mut values = naming.values(&labels.filter(|label| !is_oldest(label)).collect())?;
    values.extend(oldest.clone().map(|(value, label)| (label, value)));
    let mut made = Made::default();
    let nobody = Shown { label: TOP.to_owned(), loss: 1.0 };
    let of_persons = shown.iter().map(|shown| shown.as_ref().unwrap_or(&nobody));
    let leaves: Vec<u32> = of_persons.map(|shown| made.number(&values, shown)).collect();
    let level = Level { oldest: oldest.map(|(value, _)| value), ..made.level() };
    Ok(Attribute { leaves, levels: vec![level], asked: None, least: 0, is_local: true, ..column })
}

/// The released values of a column, by number.
#[derive(Default)]
struct Made {
    numbers: FxHashMap<String, u32>,
    values: Vec<Named>,
    losses: Vec<f64>,
}

impl Made {
    /// The number of what is shown, by the value of each label.
    fn number(&mut self, values: &BTreeMap<String, String>, Shown { label, loss }: &Shown) -> u32 {
        let value = values.get(label).map_or(TOP, String::as_str).to_owned();
        let number = *self.numbers.entry(value.clone()).or_insert(self.values.len() as u32);
        match self.values.get_mut(number as usize) {
            None => {
                self.values.push((value, label.clone()));
                self.losses.push(*loss);
            }
            // What stands for every value, too, stands for nothing less.
            Some((_, other)) if other != label => TOP.clone_into(other),
            Some(_) => {}
        }
        number
    }

    fn level(self) -> Level {
        let map = (0..self.values.len() as u32).collect();
        let (values, labels) = self.values.into_iter().unzip();
        Level { map, values, labels, losses: self.losses, oldest: None }
    }
}

/// The class of each person: those who show the same of facts and columns.
fn classes(columns: &[Attribute], strata: &[u32]) -> Vec<u32> {
    let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    let mut classes = vec![OUT; strata.len()];
    for (person, stratum) in strata.iter().enumerate().filter(|(_, stratum)| **stratum != OUT) {
        let values = columns.iter().map(|column| column.leaves[person]).chain([*stratum]).collect();
        let next = numbers.len() as u32;
        classes[person] = *numbers.entry(values).or_insert(next);
    }
    classes
}
