//! Columns of a table's file as texts.

use std::path::Path;

use rustc_hash::FxHashMap;
use velamen_contract::linked::{Column, Table};
use velamen_core::context::Context;
use velamen_engine::ColumnRequest;
use velamen_engine::source::Input;
use velamen_recipe::JobError;

use crate::fhir::Held;
use crate::plan::folder::reading;

/// Columns of a table, each as its distinct texts and the text of each row.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    columns: FxHashMap<String, (Vec<String>, Vec<u32>)>,
    /// How many rows there are.
    pub(crate) rows: usize,
}

impl Texts {
    /// Reads the columns of a released table from its file or the original one; those that the file lacks are left out. A
    /// list is its codes with what stands between released ones.
    ///
    /// # Errors
    /// [`JobError::io`] or [`JobError::data`] if the file cannot be read.
    pub(crate) fn read(
        path: &Path,
        (encoding, table): (Option<&str>, &Table),
        context: &Context<'_>,
    ) -> Result<Self, JobError> {
        context.check()?;
        let input = Input::open(path, &reading(encoding))?;
        let kinds = input.kinds().unwrap_or_default();
        let named = input.columns.iter().enumerate().filter(|(_, name)| table.columns.contains_key(*name));
        let requests: Vec<ColumnRequest> = named.map(request).collect();
        let mut read = input.read_in_order(&requests, context)?;
        let rows = read.codes.first().map_or(0, Vec::len);
        for (request, values) in requests.iter().zip(&mut read.values) {
            if kinds.get(request.index).is_some_and(|kind| kind.is_nested()) {
                values.iter_mut().for_each(|value| *value = joined(value, table.columns.get(&request.name)));
            }
        }
        let names = requests.into_iter().map(|request| request.name);
        Ok(Self { columns: names.zip(read.values.into_iter().zip(read.codes)).collect(), rows })
    }

    /// The same of rows of resources that are in memory; of a kind of which there is no resource there are none.
    pub(crate) fn held(held: Option<Held>, table: &Table) -> Self {
        let Some(mut held) = held else { return Self::default() };
        let mut texts = Self { rows: held.rows(), ..Self::default() };
        for name in table.columns.keys() {
            let Some((values, codes)) = held.take_named(name) else { continue };
            let values = (0..values.len()).map(|value| values.text(value).into_owned());
            texts.columns.insert(name.clone(), (values.collect(), codes.iter().collect()));
        }
        texts
    }

    /// A cell; empty where the file has no such column or row.
    pub(crate) fn cell(&self, column: &str, row: usize) -> &str {
        let cell = self.columns.get(column).and_then(|(values, codes)| values.get(*codes.get(row)? as usize));
        cell.map_or("", String::as_str)
    }

    /// The row of each text of a column; of a text that stands there twice, the last.
    pub(crate) fn rows_by(&self, column: &str) -> FxHashMap<&str, u32> {
        (0..self.rows).map(|row| (self.cell(column, row), row as u32)).collect()
    }
}

/// A list, which is the text of a JSON array, as a released cell would have its codes.
fn joined(list: &str, column: Option<&Column>) -> String {
    let items: Vec<String> = serde_json::from_str(list).unwrap_or_default();
    match column {
        Some(Column::Set { items: Some(between) }) => items.join(between),
        _ => items.concat(),
    }
}

/// A column as it stands in the file.
fn request((index, name): (usize, &String)) -> ColumnRequest {
    ColumnRequest::as_recorded(index, name)
}
