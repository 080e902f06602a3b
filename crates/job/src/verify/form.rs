//! Whether the released file is the one that the manifest describes: its name, columns, types and delimiter, that its bytes
//! are those that this program writes of its records, and their order; and the same of the catalog.

use std::path::Path;

use serde_json::json;
use velamen_checker::{CLASS_ID, Finding};
use velamen_core::context::Context;
use velamen_core::frequency::{Rest, Role};
use velamen_core::release::CatalogRow;
use velamen_engine::FileFormat;
use velamen_engine::formula::{escape, unescape};
use velamen_engine::source::{Input, ReadOptions};
use velamen_recipe::JobError;
use velamen_report::Manifest;

use super::{columns, open, order, unlike_other_version};
use crate::catalog;
use crate::flat::{flat, read_options};
use crate::recipients::VERSION;

/// The types of a file's columns; none in formats that have none.
pub(crate) fn types(input: &Input) -> Vec<String> {
    input.kinds().unwrap_or_default().iter().map(ToString::to_string).collect()
}

/// What a file's header says.
pub(super) struct FileHeader {
    format: FileFormat,
    delimiter: u8,
    columns: Vec<String>,
    types: Vec<String>,
}

impl FileHeader {
    pub(super) fn of(input: &Input) -> Self {
        let (format, delimiter) = (input.format, input.delimiter);
        Self { format, delimiter, columns: input.columns.clone(), types: types(input) }
    }

    /// Whether its columns have types.
    pub(super) fn has_types(&self) -> bool {
        !self.types.is_empty()
    }

    /// Compares the file with what the manifest says of it.
    pub(super) fn finding(
        &self,
        folder: &Path,
        manifest: &Manifest,
        (table, catalog): (&Rest, &[CatalogRow]),
        context: &Context<'_>,
    ) -> Result<Finding, JobError> {
        let data = &manifest.data;
        let named = data.file == format!("data.{}", data.format) && data.format == self.format.extension();
        let differs = [
            ("name", !named),
            ("columns", !self.has_columns(manifest)),
            ("types", manifest.is_current() && data.types != self.types),
            ("delimiter", !self.has_delimiter(manifest)),
            ("escaped", data.escaped && !(has_formulas(table) && is_escaped(folder, manifest, context)?)),
            ("formulas", self.runs_unsaid(table, manifest) || catalog::has_formula(folder, manifest)?),
            ("class-ids", !has_plain_ids(table)),
            ("suppressed-records", !tells_suppression(manifest, table)),
        ];
        let named = differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned());
        let mut differs: Vec<String> = named.chain(columns::foreign(manifest, table)).collect();
        let (asked, path) = (json!({ "differs": [] }), velamen_report::data_path(data, folder)?);
        let ours = [
            ("bytes", self.format.is_as_written(&path, self.delimiter, context)?),
            ("order", order::is_canonical(open(folder, manifest)?, manifest, context)?),
            (catalog::FILE, catalog::is_as_written(folder, manifest, catalog, context)?),
        ];
        let unlike: Vec<&str> = ours.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect();
        if differs.is_empty() && !unlike.is_empty() && !(manifest.velamen == VERSION && manifest.is_current())
        {
            let what = if unlike == [catalog::FILE] { catalog::FILE } else { &data.file };
            let why = unlike_other_version(manifest, what);
            return Ok(Finding::not_checked("data", asked, &why));
        }
        differs.extend(unlike.into_iter().map(str::to_owned));
        let holds = differs.is_empty();
        Ok(Finding::of("data", asked, json!({ "differs": differs }), holds))
    }

    /// Whether a spreadsheet would run a cell, and the manifest says nothing of it, or the other way round.
    fn runs_unsaid(&self, table: &Rest, manifest: &Manifest) -> bool {
        let data = &manifest.data;
        let runs = self.format.is_delimited() && !data.escaped && has_formulas(table);
        runs != data.formulas_kept
    }

    /// The class ids, then the attributes in their order.
    fn has_columns(&self, manifest: &Manifest) -> bool {
        let written =
            |name: &str| if manifest.data.escaped { escape(name).into_owned() } else { name.to_owned() };
        let names = std::iter::once(CLASS_ID).chain(manifest.attributes.keys().map(String::as_str));
        let is = |(there, name): (&String, &str)| there == name || *there == written(name);
        let number = manifest.attributes.len().saturating_add(1);
        self.columns.len() == number && self.columns.iter().zip(names).all(is)
    }

    /// One character where the format lets it choose, and else none.
    fn has_delimiter(&self, manifest: &Manifest) -> bool {
        let stated = manifest.data.delimiter.as_ref().map(String::as_bytes);
        match self.format.free_delimiter() {
            Some(_) => stated.is_some_and(|stated| *stated == [self.delimiter]),
            None => stated.is_none(),
        }
    }
}

/// Said of a manifest that is not, byte for byte, what this program writes of what it says: blanks, and the order of keys, can say something,
/// too. Nothing of another.
pub(super) fn as_written(folder: &Path) -> Result<Option<Finding>, JobError> {
    let same = velamen_report::is_as_written(folder)?;
    Ok((!same).then(|| Finding::of("manifest-form", json!(true), json!(false), false)))
}

/// Whether every class id is a number in its one spelling, or empty.
fn has_plain_ids(table: &Rest) -> bool {
    let plain =
        |id: &String| id.is_empty() || id.parse::<u64>().is_ok_and(|number| number.to_string() == *id);
    let column = table.position(CLASS_ID).and_then(|class| table.columns.get(class));
    column.is_none_or(|column| column.values.iter().all(plain))
}

/// Whether any text of a table would run as a formula.
fn has_formulas(table: &Rest) -> bool {
    let texts = table.columns.iter().flat_map(|column| std::iter::once(&column.name).chain(&column.values));
    texts.into_iter().any(|text| matches!(escape(text), std::borrow::Cow::Owned(_)))
}

/// Whether no text of a file runs as a formula as it stands there.
fn is_escaped(folder: &Path, manifest: &Manifest, context: &Context<'_>) -> Result<bool, JobError> {
    let options = ReadOptions { escaped: false, ..read_options(manifest)? };
    let input = Input::open(&velamen_report::data_path(&manifest.data, folder)?, &options)?;
    let (input, requests) = flat(input, |_| Some(Role::Insensitive), &[])?;
    let values = input.read_in_order(&requests, context)?.values;
    let mut texts = input.columns.iter().chain(values.iter().flatten());
    Ok(input.format.is_delimited() && texts.all(|text| *escape(unescape(text)) == **text))
}

/// Whether the manifest says that suppressed records show nothing, where they show nothing.
fn tells_suppression(manifest: &Manifest, table: &Rest) -> bool {
    let Some(class) = table.position(CLASS_ID) else { return true };
    let cell = |column: usize, row: usize| {
        let code = *table.codes.get(column)?.get(row)?;
        table.columns.get(column)?.values.get(code as usize)
    };
    let is_qi = |name: &str| columns::is_qi(manifest, name);
    let others: Vec<usize> = (0..table.columns.len())
        .filter(|&column| column != class && table.columns.get(column).is_some_and(|c| !is_qi(&c.name)))
        .collect();
    let mut suppressed =
        (0..table.len).filter(|&row| cell(class, row).is_some_and(String::is_empty)).peekable();
    let shows_nothing = |row: usize| others.iter().all(|&c| cell(c, row).is_some_and(|label| label == "*"));
    suppressed.peek().is_none()
        || others.is_empty()
        || manifest.suppresses_records()
        || !suppressed.all(shows_nothing)
}
