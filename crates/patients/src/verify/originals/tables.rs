//! Released tables beside the original ones.

use std::path::Path;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use velamen_contract::linked::{Column, LinkedManifest, Table};
use velamen_core::context::Context;
use velamen_recipe::JobError;

use super::numbers::Ends;
use crate::beside::{Custody, Texts};

/// The column of a table's own keys.
pub(super) fn key(table: &Table) -> Option<&str> {
    table.columns.iter().find(|(_, column)| matches!(column, Column::Key)).map(|(name, _)| name.as_str())
}

/// The column that refers to the parent, and its table.
pub(super) fn parent(table: &Table) -> Option<(&str, &str)> {
    let name = table.parent.as_deref()?;
    match table.columns.get(name)? {
        Column::Reference { table } => Some((name, table)),
        _ => None,
    }
}

/// A released table and its original.
pub(super) struct Pair<'a> {
    pub(super) name: &'a str,
    pub(super) table: &'a Table,
    pub(super) released: Texts,
    pub(super) original: Texts,
    /// The original row of each released one, where keys tell.
    pub(super) rows: Vec<Option<u32>>,
    /// The original key of the person of each original row; empty where it is nobody's.
    pub(super) persons: Vec<String>,
}

/// All tables that have an original.
pub(super) struct Pairs<'a> {
    pub(super) custody: &'a Custody,
    pub(super) manifest: &'a LinkedManifest,
    pairs: IndexMap<&'a str, Pair<'a>>,
}

impl<'a> Pairs<'a> {
    /// Reads them: parents before their children, as the manifest lists them.
    pub(super) fn read(
        release: &Path,
        manifest: &'a LinkedManifest,
        custody: &'a Custody,
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        let mut pairs = Self { custody, manifest, pairs: IndexMap::new() };
        for (name, table) in &manifest.tables {
            let Some(file) = custody.files.get(name) else { continue };
            let columns: Vec<&str> = table.columns.keys().map(String::as_str).collect();
            let released = Texts::read(&release.join(&table.file), &columns, context)?;
            let original = Texts::read(file, &columns, context)?;
            let rows = by_keys(name, table, custody, &released, &original);
            let persons = pairs.persons(table, &original);
            pairs.pairs.insert(name, Pair { name, table, released, original, rows, persons });
        }
        Ok(pairs)
    }

    pub(super) fn of(&self, name: &str) -> Option<&Pair<'a>> {
        self.pairs.get(name)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Pair<'a>> {
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
        let person = |row: usize| by_key.get(original.cell(column, row)).map(|&row| above.persons[row as usize].clone());
        rows.map(|row| person(row).unwrap_or_default()).collect()
    }
}

/// The original row of each released one.
fn by_keys(name: &str, table: &Table, custody: &Custody, released: &Texts, original: &Texts) -> Vec<Option<u32>> {
    let Some(key) = key(table) else { return vec![None; released.rows] };
    let by_key = original.rows_by(key);
    let row = |row: usize| by_key.get(custody.original(name, released.cell(key, row))?).copied();
    (0..released.rows).map(row).collect()
}

impl Pair<'_> {
    /// The original rows of each parent, and how many there are.
    pub(super) fn originals_by(&self, parent: &str) -> FxHashMap<&str, (Vec<usize>, usize)> {
        let mut by: FxHashMap<&str, (Vec<usize>, usize)> = FxHashMap::default();
        for row in 0..self.original.rows {
            let (rows, number) = by.entry(self.original.cell(parent, row)).or_default();
            rows.push(row);
            *number += 1;
        }
        by
    }

    /// The least and greatest released number of each group; `by_original` groups by the original codes of cells that are
    /// released.
    pub(super) fn ends(&self, by_original: bool) -> Ends {
        let mut ends = Ends::default();
        for (column, of) in &self.table.columns {
            let Column::Value { by, .. } = of else { continue };
            for row in 0..self.released.rows {
                let original = if by_original { self.rows[row] } else { None };
                if by_original && original.is_none() {
                    continue;
                }
                if let Ok(number) = self.released.cell(column, row).parse() {
                    ends.take(column, self.group(by, row, original.map(|row| row as usize)), number);
                }
            }
        }
        ends
    }

    /// The group of a row by the columns `by`, with the original's codes where it is given.
    pub(super) fn group(&self, by: &[String], row: usize, original: Option<usize>) -> String {
        let code = |column: &String| match (self.released.cell(column, row), original) {
            ("", _) => "",
            (_, Some(original)) => self.original.cell(column, original),
            (released, None) => released,
        };
        by.iter().map(code).collect::<Vec<_>>().join("\0")
    }
}
