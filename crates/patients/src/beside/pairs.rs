//! Released tables beside the original ones.

use std::path::Path;

use indexmap::IndexMap;
use velamen_contract::linked::{Column, LinkedManifest, Table};
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::{Custody, Texts};
use crate::fhir;

/// The column of a table's own keys.
pub(crate) fn key(table: &Table) -> Option<&str> {
    table.columns.iter().find(|(_, column)| matches!(column, Column::Key)).map(|(name, _)| name.as_str())
}

/// The column that refers to the parent, and its table.
pub(crate) fn parent(table: &Table) -> Option<(&str, &str)> {
    let name = table.parent.as_deref()?;
    match table.columns.get(name)? {
        Column::Reference { table } => Some((name, table)),
        _ => None,
    }
}

/// A released table and its original.
pub(crate) struct Pair<'a> {
    pub(crate) name: &'a str,
    pub(crate) table: &'a Table,
    pub(crate) released: Texts,
    pub(crate) original: Texts,
    /// The original row of each released one, where keys tell.
    pub(crate) rows: Vec<Option<u32>>,
    /// The original key of the person of each original row; empty where it is nobody's.
    pub(crate) persons: Vec<String>,
}

/// All tables that have an original.
pub(crate) struct Pairs<'a> {
    pub(crate) custody: &'a Custody,
    pub(crate) manifest: &'a LinkedManifest,
    pairs: IndexMap<&'a str, Pair<'a>>,
}

impl<'a> Pairs<'a> {
    /// Reads them: parents before their children, as the manifest lists them.
    pub(crate) fn read(
        release: &Path,
        manifest: &'a LinkedManifest,
        custody: &'a Custody,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let mut pairs = Self { custody, manifest, pairs: IndexMap::new() };
        let mut resources = fhir::rows_of(release, manifest, &|| context.check().is_err())?;
        for (name, table) in &manifest.tables {
            let Some(file) = custody.files.get(name) else { continue };
            context.check()?;
            let (released, original) = match &mut resources {
                Some(rows) => (Texts::held(rows.remove(name), table), Texts::held(custody.rows(name), table)),
                None => (
                    Texts::read(&release.join(&table.file), (None, table), context)?,
                    Texts::read(file, (custody.encoding.as_deref(), table), context)?,
                ),
            };
            let rows = by_keys(name, table, custody, &released, &original);
            let persons = pairs.persons(table, &original);
            pairs.pairs.insert(name, Pair { name, table, released, original, rows, persons });
        }
        Ok(pairs)
    }

    pub(crate) fn of(&self, name: &str) -> Option<&Pair<'a>> {
        self.pairs.get(name)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Pair<'a>> {
        self.pairs.values()
    }

    /// The person of each row of an original table.
    fn persons(&self, table: &Table, original: &Texts) -> Vec<String> {
        let rows = 0..original.rows;
        let Some((column, above)) = parent(table) else {
            let key = key(table).unwrap_or_default();
            return rows.map(|row| original.cell(key, row).to_owned()).collect();
        };
        let Some(above) = self.of(above) else { return vec![String::new(); original.rows] };
        let by_key = above.original.rows_by(key(above.table).unwrap_or_default());
        let person = |row: usize| {
            by_key.get(original.cell(column, row)).map(|&row| above.persons[row as usize].clone())
        };
        rows.map(|row| person(row).unwrap_or_default()).collect()
    }
}

/// The original row of each released one.
fn by_keys(
    name: &str,
    table: &Table,
    custody: &Custody,
    released: &Texts,
    original: &Texts,
) -> Vec<Option<u32>> {
    let Some(key) = key(table) else { return vec![None; released.rows] };
    let by_key = original.rows_by(key);
    let row = |row: usize| by_key.get(custody.original(name, released.cell(key, row))?).copied();
    (0..released.rows).map(row).collect()
}
