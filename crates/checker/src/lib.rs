//! The independent checker: does a released table keep what its manifest promises?
//!
//! Written from the definitions, on the released labels, sharing no code with the search, the
//! padding or the grouping. What it needs is what a recipient has: the rows, the catalog, the
//! definitions of the hierarchies. A release cannot appear before every finding holds.
//!
//! # What it shares with the search
//! It cannot call the search, since this crate does not depend on it. What both use are definitions of `velamen-core` and
//! numbers of `velamen-dp`; a mistake there is a mistake of both. A test holds this list against the imports.
//!
//! - `velamen_contract::linked`: what a release of linked tables promises, as plain data.
//! - `velamen_contract::{Promises, PromisedAttribute, PlacedCounterfeits, Noise, Measurements, MeasuredTable, ChosenSet, Spent,
//!   PopulationRows}`, `velamen_contract::model`: what is promised, as plain data, and which models count persons.
//! - `velamen_core::error::Problem`: a message, what was expected and how to mend it.
//! - `velamen_core::frequency::Rest`, `velamen_core::release::CatalogRow`: columns of codes and rows of the catalog, as plain
//!   data; `velamen_core::release::{CEILING, CATALOG, INSENSITIVE}`: names of promises.
//! - `velamen_core::hierarchy::{Definition, Rule, Side}`, `velamen_core::recoding::Recoding`: what a hierarchy is as the manifest
//!   writes it. Labels are read here by rules of its own; `Rule` says which values a numeric or tabular hierarchy has.
//! - `velamen_core::step::{Ends, Step, Span}`: what the ends of ranges are, as the manifest writes it.
//! - `velamen_core::hierarchy::icd10_blocks::{CM, WHO, LETTERED}`: the blocks of ICD-10, a published table.
//! - `velamen_core::impossible::{Impossible, MOST_LEAVES}`: an entry as plain data, and how large a domain is listed at most.
//! - `velamen_core::registry::Named`, `velamen_core::registry::Registry`: how checks are found by a model's name.
//! - `velamen_core::safe_pub::least_k`: the least class size of SafePub, proven in its module.
//! - `velamen_core::uniqueness::Sample`, `velamen_core::uniqueness::estimate`: the estimators of population uniqueness.
//! - `velamen_dp::Budget`, `velamen_dp::Loss`, `velamen_dp::Rational`: sums of ε and δ in rational numbers.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod cells;
mod classes;
mod finding;
mod impossible;
mod judged;
pub mod kind_check;
mod labels;
pub mod linked;
mod located;
mod measured;
pub mod model_check;
mod placed;
mod stated;

pub use finding::{Finding, State};
pub use kind_check::KIND_CHECKS;
pub use model_check::CHECKS;
pub use placed::{LEAST_REAL, PLACED};
pub use stated::{RARE, REAL};

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::json;
use velamen_contract::model as terms;
use velamen_contract::{PromisedAttribute, Promises};
use velamen_core::frequency::Rest;
use velamen_core::hierarchy::Rule;
use velamen_core::release::{CATALOG, CEILING, CatalogRow, INSENSITIVE};

use classes::Classes;

/// A released table as it was read back: one row per distinct record.
#[derive(Debug)]
pub struct Published<'a> {
    /// All columns, `ClassID` included.
    pub table: &'a Rest,
    /// How many records each row stands for.
    pub counts: &'a [u64],
    /// The column that says whose the records are: then people are counted.
    pub people: Option<usize>,
}

impl Published<'_> {
    /// The place of a column.
    fn position(&self, name: &str) -> Result<usize, Uncheckable> {
        let found = self.table.columns.iter().position(|column| column.name == name);
        found.ok_or_else(|| Uncheckable::NoColumn(name.into()))
    }
}

/// The column of class ids.
pub const CLASS_ID: &str = "ClassID";

/// What is wrong with a table or its manifest, so that nothing can be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Uncheckable {
    /// A column the manifest names is not in the table.
    #[error("the released table has no column `{0}`")]
    NoColumn(String),
    /// A model that this version does not know.
    #[error("the manifest promises the unknown model `{0}`")]
    UnknownModel(String),
    /// A model whose parameters do not read.
    #[error("the manifest's parameters of `{0}` do not read")]
    Parameters(String),
    /// A hierarchy that is none.
    #[error("the manifest's hierarchy of attribute `{0}` is none: {1}")]
    Hierarchy(String, String),
}

#[derive(Debug)]
struct View<'a> {
    published: &'a Published<'a>,
    class: usize,
    /// By code of the class column; `None` for what is no id.
    ids: Vec<Option<u64>>,
    qis: Vec<usize>,
}

/// The level that a label of a code or date stands at, the lowest if none is given, and the leaves that it
/// covers there; `None` for a foreign label or a hierarchy of another kind.
#[must_use]
pub fn standard_place(
    definition: &velamen_core::hierarchy::Definition,
    level: Option<u8>,
    label: &str,
) -> Option<(u8, u64)> {
    labels::standard_place(definition, level, label)
}

/// What the checker reads in a label: whether it may be released, and the share of the domain it covers.
#[must_use]
pub fn read(attribute: &PromisedAttribute, label: &str) -> (bool, f64) {
    let reader = labels::Reader::new(attribute);
    (reader.allowed(label), reader.degree(label))
}

/// Checks every promise; the findings say what is known of each.
///
/// Time: O(rows · attributes + catalog · classes named), memory O(classes · attributes).
///
/// # Errors
/// [`Uncheckable`] if table and manifest do not belong together.
pub fn certify(published: &Published<'_>, promises: &Promises) -> Result<Vec<Finding>, Uncheckable> {
    let people = published.people.or_else(|| published.pseudonyms(promises));
    let published = &Published { people, ..*published };
    let position = |name: &str| published.position(name);
    let qis = promises.qis.iter().map(|qi| position(&qi.name)).collect::<Result<_, _>>()?;
    readable(promises)?;
    let view = View::new(published, position(CLASS_ID)?, qis);
    let classes = view.classes();
    let mut findings = Vec::new();
    let is_stated = promises.persons && published.people.is_none();
    let models = view.models(promises, &classes)?.into_iter();
    findings.extend(models.map(|finding| if is_stated { of_persons(finding) } else { finding }));
    if let Some(h) = promises.h {
        findings.push(view.ceiling(h, promises, &classes));
    }
    if let Some(sensitive) = &promises.sensitive {
        findings.extend(view.catalog(position(sensitive)?, promises, &classes));
        findings.extend(view.least_real(promises, &classes));
        findings.extend(view.placed(position(sensitive)?, promises, &classes)?);
    }
    if let Some((k, columns)) = &promises.alike {
        let columns = columns.iter().chain(&promises.sensitive).map(|name| position(name));
        findings.push(view.alike(*k, &columns.collect::<Result<Vec<_>, _>>()?, promises, &classes));
    }
    findings.extend([view.class_ids_name_classes(&classes), view.suppressed_show_nothing(promises)]);
    findings.extend(view.labels(promises, &classes));
    findings.extend(view.impossible_records(promises, &classes));
    findings.extend(view.counts(promises, &classes));
    findings.extend(stated::stated(promises));
    Ok(findings)
}

/// Checks the models alone, of a table that says whose the records are: what a release does not show, the custodian's
/// program sees before it.
///
/// # Errors
/// [`Uncheckable`] if table and promises do not belong together.
pub fn certify_models(published: &Published<'_>, promises: &Promises) -> Result<Vec<Finding>, Uncheckable> {
    let position = |name: &str| published.position(name);
    let qis = promises.qis.iter().map(|qi| position(&qi.name)).collect::<Result<_, _>>()?;
    readable(promises)?;
    let view = View::new(published, position(CLASS_ID)?, qis);
    view.models(promises, &view.classes())
}

/// Checks what the models ask of values, of real records alone: which are counterfeit a release does not show, the
/// custodian's program knows.
///
/// # Errors
/// [`Uncheckable`] if table and promises do not belong together.
pub fn certify_values(real: &Published<'_>, promises: &Promises) -> Result<Vec<Finding>, Uncheckable> {
    let asked = |(model, asked): &(String, serde_json::Value)| {
        Some((model.clone(), terms::find(model)?.of_values(asked)?))
    };
    let privacy = promises.privacy.iter().filter_map(asked).collect();
    certify_models(real, &Promises { privacy, ..promises.clone() })
}

/// Every hierarchy is one that a recipe could give: what is counted by it has an end.
fn readable(promises: &Promises) -> Result<(), Uncheckable> {
    let of_qis = promises.qis.iter().map(|qi| (&qi.name, &qi.hierarchy));
    for (name, definition) in of_qis.chain(&promises.hierarchies) {
        Rule::try_from(definition)
            .map_err(|error| Uncheckable::Hierarchy(name.clone(), error.to_string()))?;
    }
    Ok(())
}

/// Too few records are too few persons; how many persons enough records are shows in no release. Neither do shares of people.
fn of_persons(finding: Finding) -> Finding {
    let counts = terms::find(&finding.promise).is_none_or(|terms| terms.facts.counts_persons);
    if counts { finding.shown_in_part() } else { finding }
}

/// The sum, or the most that a number can be: what is forged may add up to more.
fn total(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

/// The place of a text that is the id of no class.
const NOWHERE: u32 = u32::MAX;

/// A class of the release: its labels and its size.
type ReleasedClass = (Vec<String>, u64);

impl<'a> View<'a> {
    fn new(published: &'a Published<'a>, class: usize, qis: Vec<usize>) -> Self {
        let labels = published.table.columns.get(class).map_or(&[][..], |column| &column.values);
        Self { published, class, ids: labels.iter().map(|label| label.parse().ok()).collect(), qis }
    }

    /// A table's codes are those of its columns and rows, however it was forged: it was read from a file.
    fn code(&self, column: usize, row: usize) -> u32 {
        let codes = self.published.table.codes.get(column);
        codes.and_then(|codes| codes.get(row)).copied().unwrap_or(u32::MAX)
    }

    /// The texts of a column, by code.
    fn values(&self, column: usize) -> &'a [String] {
        self.published.table.columns.get(column).map_or(&[][..], |column| &column.values)
    }

    /// The text of a code of a column.
    fn label(&self, column: usize, code: u32) -> &'a str {
        self.values(column).get(code as usize).map_or("", String::as_str)
    }

    /// The text in a cell.
    fn cell(&self, column: usize, row: usize) -> &'a str {
        self.label(column, self.code(column, row))
    }

    fn qi_codes(&self, row: usize) -> Vec<u32> {
        self.qis.iter().map(|&column| self.code(column, row)).collect()
    }

    /// The class id of a row; `None` for a suppressed record.
    fn class_id(&self, row: usize) -> Option<u64> {
        self.ids.get(self.code(self.class, row) as usize).copied().flatten()
    }

    fn classes(&self) -> Classes {
        // By the code of the id, so that a row costs no search; two texts can be one number.
        let mut rows = vec![false; self.ids.len()];
        for row in 0..self.published.counts.len() {
            rows.get_mut(self.code(self.class, row) as usize).into_iter().for_each(|has| *has = true);
        }
        let shown = || self.ids.iter().zip(&rows).map(|(id, has)| id.filter(|_| *has));
        let mut classes = Classes::new(shown().flatten().collect(), self.qis.len());
        let place = |id: Option<u64>| classes.place(id?)?.try_into().ok();
        let places: Vec<u32> = shown().map(|id| place(id).unwrap_or(NOWHERE)).collect();
        let mut seen = vec![false; classes.len()];
        for (row, &count) in self.published.counts.iter().enumerate() {
            let place = places.get(self.code(self.class, row) as usize).filter(|place| **place != NOWHERE);
            let Some(place) = place.map(|place| *place as usize) else { continue };
            let is_first = seen.get_mut(place).is_some_and(|seen| !std::mem::replace(seen, true));
            classes.add(place, count, is_first, self.qis.iter().map(|&column| self.code(column, row)));
        }
        classes
    }

    /// Each class id has one combination of released values and each combination one id.
    fn class_ids_name_classes(&self, classes: &Classes) -> Finding {
        let all = || classes.values().map(|class| class.qis);
        // Ids follow the values in what a run writes: then none occurs twice, and no set of millions is needed to see it.
        let distinct =
            all().is_sorted_by(|a, b| a < b) || all().collect::<HashSet<_>>().len() == classes.len();
        let holds = distinct && classes.values().all(|class| class.consistent);
        Finding::of("class-ids", json!("one per class"), json!(holds), holds)
    }

    /// Each label is one of the stated level, or that the recoding allows where classes have levels of
    /// their own. With one level for all only what is wrong is a finding.
    fn labels(&self, promises: &Promises, classes: &Classes) -> Option<Finding> {
        let one_level = promises.qis.iter().all(|qi| qi.level.is_some());
        let attributes = promises.qis.iter().zip(&self.qis).enumerate();
        let wrong: usize =
            attributes.map(|(q, (qi, &column))| foreign_labels(qi, self.released(classes, q, column))).sum();
        let (asked, reached) = (json!({ "foreign-labels": 0 }), json!({ "foreign-labels": wrong }));
        let finding = Finding::of("labels", asked, reached, wrong == 0);
        (wrong > 0 || !one_level).then_some(finding)
    }

    /// The distinct labels of a quasi-identifier in the classes.
    fn released(&self, classes: &Classes, q: usize, column: usize) -> Vec<&'a str> {
        let codes: BTreeSet<u32> = classes.values().filter_map(|class| class.qis.get(q).copied()).collect();
        codes.into_iter().map(|code| self.label(column, code)).collect()
    }

    fn counts(&self, promises: &Promises, classes: &Classes) -> Vec<Finding> {
        let records = total(self.published.counts.iter().copied());
        let suppressed = records.saturating_sub(total(classes.sizes().iter().copied()));
        let equal = |promise: &str, asked: u64, reached: u64| {
            Finding::of(promise, json!(asked), json!(reached), asked == reached)
        };
        let (most, within) = (json!(promises.most_suppressed), suppressed <= promises.most_suppressed);
        vec![
            equal("records", promises.records, records),
            equal("classes", promises.classes, classes.len() as u64),
            equal("suppressed", promises.suppressed, suppressed),
            Finding::of("suppression-limit", most, json!(suppressed), within),
        ]
    }

    /// The labels and the size of every class.
    fn labelled(&self, classes: &Classes) -> Vec<ReleasedClass> {
        let label = |(&column, &code): (&usize, &u32)| self.label(column, code).to_owned();
        let labels = |qis: &[u32]| self.qis.iter().zip(qis).map(label).collect();
        classes.values().map(|class| (labels(class.qis), class.size)).collect()
    }

    /// Definition 1 of Lee 2017 on the released labels.
    fn ceiling(&self, h: f64, promises: &Promises, classes: &Classes) -> Finding {
        let readers = promises.qis.iter().map(|qi| (labels::Reader::new(qi), HashMap::new()));
        let mut readers: Vec<(labels::Reader<'_>, HashMap<u32, f64>)> = readers.collect();
        let mut worst = 0.0f64;
        for class in classes.values() {
            let mut sum = 0.0;
            let attributes = self.qis.iter().zip(&mut readers);
            for (&code, (&column, (reader, known))) in class.qis.iter().zip(attributes) {
                sum += *known.entry(code).or_insert_with(|| reader.degree(self.label(column, code)));
            }
            let degree = sum / self.qis.len() as f64;
            // A degree that no number is cannot be below the ceiling.
            worst = worst.max(if degree.is_nan() { f64::INFINITY } else { degree });
        }
        Finding::of(CEILING, json!({ "h": h }), json!({ "h": worst }), worst <= h + 1e-12)
    }

    /// The catalog is about classes and values of the table, its groups are disjoint, its counts
    /// add up, and no counterfeit can be located by counting.
    fn catalog(&self, sensitive: usize, promises: &Promises, classes: &Classes) -> Vec<Finding> {
        let (stated, listed) = (promises.counterfeits, total(promises.catalog.iter().map(|row| row.count)));
        let well_formed = groups_are_disjoint(&promises.catalog, classes);
        let hierarchy =
            self.published.table.columns.get(sensitive).and_then(|c| promises.hierarchies.get(&c.name));
        let excluded = self.excluded(&promises.impossible, &promises.qis, sensitive, hierarchy);
        let (located, impossible) = self.located_counterfeits(sensitive, promises, classes, &excluded);
        let asked = json!({ "located-counterfeits": 0 });
        let reached = json!({ "located-counterfeits": located, "well-formed": well_formed });
        let mut findings = vec![
            Finding::of("counterfeits", json!(stated), json!(listed), stated == listed),
            Finding::of(CATALOG, asked, reached, well_formed && located == 0),
        ];
        if let Some(most) = promises.counterfeit_limit {
            let records = total(self.published.counts.iter().copied());
            let reached = listed as f64 / records.max(1) as f64;
            // A limit that no number is allows none.
            let holds = reached <= most + 1e-9;
            findings.push(Finding::of("counterfeit-limit", json!(most), json!(reached), holds));
        }
        if let Some(stated) = promises.provably_real {
            let counted = self.provably_real(sensitive, promises, classes);
            findings.push(Finding::of("provably-real", json!(stated), json!(counted), stated == counted));
        }
        if !promises.impossible.is_empty() {
            let (asked, reached) = (json!({ "counterfeits": 0 }), json!({ "counterfeits": impossible }));
            findings.push(Finding::of("impossible-pairs", asked, reached, impossible == 0));
        }
        if let Some(least) = promises.group_classes {
            let can_hold = |id: &u64| can_hold(promises, classes, *id);
            let all = classes.ids().filter(can_hold).count() as u64;
            let held = |group: &&[u64]| group.iter().filter(|id| can_hold(id)).count() as u64;
            // The rows of a group have its classes in common.
            let groups: BTreeSet<&[u64]> = promises.catalog.iter().map(|row| &row.classes[..]).collect();
            findings.push(Finding::of_groups(least, all, groups.iter().map(held).min()));
        }
        findings
    }

    /// A counterfeit repeats a real record's values of these columns. So a record that has them alone is real, and at least
    /// k others have to be in each class that can hold counterfeits.
    fn alike(&self, k: u64, columns: &[usize], promises: &Promises, classes: &Classes) -> Finding {
        let values =
            |row: usize| -> Vec<u32> { columns.iter().map(|&column| self.code(column, row)).collect() };
        let rows = || self.published.counts.iter().enumerate();
        let mut sharing: HashMap<Vec<u32>, u64> = HashMap::new();
        for (row, &count) in rows() {
            let records = sharing.entry(values(row)).or_default();
            *records = records.saturating_add(count);
        }
        let listed = promises.catalog.iter().flat_map(|row| row.classes.iter().copied());
        let mut alike: BTreeMap<u64, u64> =
            listed.filter(|id| can_hold(promises, classes, *id)).map(|id| (id, 0)).collect();
        for (row, &count) in rows().filter(|(row, _)| sharing.get(&values(*row)).is_some_and(|n| *n > 1)) {
            if let Some(alike) = self.class_id(row).and_then(|id| alike.get_mut(&id)) {
                *alike = alike.saturating_add(count);
            }
        }
        let least = alike.values().min();
        let holds = least.is_none_or(|least| *least >= k);
        Finding::of(INSENSITIVE, json!({ "k": k }), json!({ "k": least }), holds)
    }
}

/// How many labels an attribute cannot have.
fn foreign_labels(attribute: &PromisedAttribute, labels: Vec<&str>) -> usize {
    let reader = labels::Reader::new(attribute);
    labels.into_iter().filter(|label| !reader.allowed(label)).count()
}

/// Whether a class can hold counterfeits, for all that whoever knows the algorithm knows.
fn can_hold(promises: &Promises, classes: &Classes, id: u64) -> bool {
    promises.largest_padded.is_none_or(|most| classes.get(id).is_some_and(|class| class.size <= most))
}

fn groups_are_disjoint(catalog: &[CatalogRow], classes: &Classes) -> bool {
    let groups: BTreeSet<&[u64]> = catalog.iter().map(|row| &row.classes[..]).collect();
    let mut seen = BTreeSet::new();
    let disjoint =
        groups.iter().flat_map(|group| group.iter()).all(|id| classes.contains(*id) && seen.insert(*id));
    let rows: BTreeSet<(&[u64], &str)> =
        catalog.iter().map(|row| (&row.classes[..], row.value.as_str())).collect();
    disjoint
        && rows.len() == catalog.len()
        && catalog.iter().all(|row| row.classes.len() > 1 && row.count > 0)
}

#[cfg(test)]
mod tests;
