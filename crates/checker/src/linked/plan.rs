//! The tables of a manifest and how they belong together.

use std::collections::BTreeSet;

use velamen_contract::linked::{Column, DATA, LinkedManifest, MOST_DIGITS, Table};

use super::faults::{Faults, Place};
use super::recorded::has_a_rule;

/// The tables, in the manifest's order.
pub(super) struct Plan<'a> {
    pub(super) manifest: &'a LinkedManifest,
    pub(super) tables: Vec<Planned<'a>>,
    /// The place of the person table.
    pub(super) persons: usize,
}

/// A table and how it leads to persons.
pub(super) struct Planned<'a> {
    pub(super) name: &'a str,
    pub(super) table: &'a Table,
    /// The place of its own key.
    pub(super) key: Option<usize>,
    /// In every table but that of persons.
    pub(super) parent: Option<Parent>,
    /// How many tables stand between it and persons, and 1; 0 for persons.
    pub(super) depth: usize,
}

/// The column that leads to a person, and the table that it refers to.
#[derive(Clone, Copy)]
pub(super) struct Parent {
    pub(super) column: usize,
    pub(super) table: usize,
}

impl Planned<'_> {
    pub(super) fn is_person(&self) -> bool {
        self.parent.is_none()
    }
}

impl<'a> Plan<'a> {
    /// The plan of a manifest that agrees with itself.
    pub(super) fn of(manifest: &'a LinkedManifest, faults: &mut Faults) -> Option<Self> {
        let Some(persons) = manifest.tables.get_index_of(&manifest.persons.table) else {
            faults.add(Place::table(&manifest.persons.table), "the table of persons is not listed");
            return None;
        };
        if manifest.privacy.is_empty() {
            faults.add_general("no privacy model is promised");
        }
        let mut files = BTreeSet::new();
        let mut tables = Vec::new();
        for (at, (name, table)) in manifest.tables.iter().enumerate() {
            check_file(name, table, &mut files, faults);
            check_columns(name, table, manifest, at == persons, faults);
            let key = table.columns.values().position(|column| matches!(column, Column::Key));
            let parent = (at != persons).then(|| parent(table, manifest)).flatten();
            tables.push(Planned { name, table, key, parent, depth: 0 });
        }
        let mut plan = Self { manifest, tables, persons };
        plan.check_keys(faults);
        plan.set_depths(faults);
        faults.is_empty().then_some(plan)
    }

    fn check_keys(&self, faults: &mut Faults) {
        for (at, planned) in self.tables.iter().enumerate() {
            let place = Place::table(planned.name);
            let keys = planned.table.columns.values().filter(|column| matches!(column, Column::Key)).count();
            if keys > 1 {
                faults.add(place, "more than one key");
            }
            let (is_person, refers) = (at == self.persons, planned.table.parent.is_some());
            if is_person && (refers || planned.table.is_person_column || planned.table.is_referred_to) {
                faults.add(place, "the table of persons belongs to no other");
            }
            if !is_person && planned.parent.is_none() {
                faults.add(place, "no column leads to a person");
            }
            // Persons need no key where no other table refers to them.
            if planned.key.is_none() && planned.table.is_referred_to {
                faults.add(place, "no key");
            }
        }
    }

    /// Follows each table's parents up to the persons.
    fn set_depths(&mut self, faults: &mut Faults) {
        let parents: Vec<Option<usize>> =
            self.tables.iter().map(|planned| planned.parent.map(|parent| parent.table)).collect();
        for (at, planned) in self.tables.iter_mut().enumerate() {
            let chain = std::iter::successors(Some(at), |at| parents.get(*at).copied().flatten());
            let chain: Vec<usize> = chain.take(parents.len()).collect();
            if chain.last() != Some(&self.persons) {
                faults.add(Place::table(planned.name), "its parents do not end at the persons");
            }
            planned.depth = chain.len().saturating_sub(1);
        }
    }
}

/// The file is one of the folder of tables and of no other table.
fn check_file<'a>(name: &str, table: &'a Table, files: &mut BTreeSet<&'a str>, faults: &mut Faults) {
    if file_name(table).is_none() {
        faults.add(Place::table(name), "its file is not directly in the folder of tables");
    }
    if !files.insert(&table.file) {
        faults.add(Place::table(name), "its file is another table's");
    }
}

/// A file's name within the folder of tables.
pub(super) fn file_name(table: &Table) -> Option<&str> {
    let name = table.file.strip_prefix(DATA)?.strip_prefix('/')?;
    let is_plain = !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0', ':']);
    is_plain.then_some(name)
}

fn parent(table: &Table, manifest: &LinkedManifest) -> Option<Parent> {
    let (column, _, role) = table.columns.get_full(table.parent.as_ref()?)?;
    let Column::Reference { table } = role else { return None };
    Some(Parent { column, table: manifest.tables.get_index_of(table)? })
}

fn check_columns(name: &str, table: &Table, manifest: &LinkedManifest, is_person: bool, faults: &mut Faults) {
    for (column, role) in &table.columns {
        let has_a_rule = *role == Column::Insensitive && has_a_rule(manifest.shape, column);
        let of_rule =
            has_a_rule.then_some("it holds days, births, numbers or keys, which nobody releases as recorded");
        if let Some(fault) = of_rule.or_else(|| fault_of_role(role, table, manifest, is_person)) {
            faults.add(Place::table(name).column(column), fault);
        }
    }
}

/// What is wrong with a column's role by itself.
fn fault_of_role(
    role: &Column,
    table: &Table,
    manifest: &LinkedManifest,
    is_person: bool,
) -> Option<&'static str> {
    let has_key = |table: &Table| table.columns.values().any(|column| matches!(column, Column::Key));
    match role {
        Column::Reference { table: target } => match manifest.tables.get(target) {
            None => Some("refers to a table that is not released"),
            Some(target) if !has_key(target) => Some("refers to a table without a key"),
            Some(_) => None,
        },
        Column::QuasiIdentifier { .. } if !is_person => {
            Some("a quasi-identifier outside the table of persons")
        }
        Column::Code | Column::Value { .. } | Column::Band { .. } | Column::Date if is_person => {
            Some("a column of the table of persons that is no person column")
        }
        Column::Set { items: Some(delimiter) } if delimiter.is_empty() => Some("an empty delimiter"),
        Column::Value { by, .. } | Column::Band { by, .. }
            if by.iter().any(|name| !table.columns.contains_key(name)) =>
        {
            Some("values are told apart by a column that is not there")
        }
        Column::Value { digits, .. } if !(1..=MOST_DIGITS).contains(digits) => {
            Some("a number of significant digits that is not allowed")
        }
        Column::Band { bounds, .. } if !ascending(bounds) => Some("bounds of bands do not ascend"),
        _ => None,
    }
}

fn ascending(bounds: &[f64]) -> bool {
    let pairs = bounds.iter().zip(bounds.iter().skip(1));
    bounds.len() > 1 && bounds.iter().all(|bound| bound.is_finite()) && pairs.into_iter().all(|(a, b)| a < b)
}
