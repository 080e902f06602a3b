//! How the input's file is read.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_engine::source::{ReadOptions, Sheet, encoding};

use super::Recipe;
use super::output::format_of;
use crate::error::JobError;

/// A sheet of a workbook.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a sheet's name, or its number from 1")]
pub enum SheetSection {
    /// Its place, counted from 1.
    Number(usize),
    /// Its name.
    Name(String),
}

/// What stands before the decimals of numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Decimal {
    /// `70.5`
    #[default]
    #[serde(rename = ".")]
    Point,
    /// `70,5`, read as `70.5`.
    #[serde(rename = ",")]
    Comma,
}

impl Recipe {
    /// How the table's file is read.
    ///
    /// # Errors
    /// [`JobError::Recipe`] if `[input]` says what cannot be.
    pub fn read_options(&self, path: &Path) -> Result<ReadOptions, JobError> {
        let wrong = |problem: String| self.refuse(path, &["input"], problem);
        let input = &self.input;
        let delimiter = match input.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Some(*byte),
            Some(_) => {
                return Err(wrong("input.delimiter: expected one ASCII character, for example \";\"".into()));
            }
        };
        if input.header == input.columns.is_some() {
            let problem = "input: give `columns`, the names in order, if and only if `header = false`";
            return Err(wrong(problem.into()));
        }
        let format = input.format.as_deref().map(format_of).transpose();
        let encoding = input.encoding.as_deref().map(encoding).transpose();
        Ok(ReadOptions {
            format: format.map_err(|error| wrong(format!("input.format: {error}")))?,
            delimiter,
            columns: input.columns.clone(),
            trim: input.trim,
            sheet: input.sheet.as_ref().map(|sheet| match sheet {
                SheetSection::Number(number) => Sheet::Number(*number),
                SheetSection::Name(name) => Sheet::Name(name.clone()),
            }),
            encoding: encoding.map_err(|error| wrong(format!("input.encoding: {error}")))?,
            decimal_comma: input.decimal == Decimal::Comma,
            null: input.null.clone(),
            ..ReadOptions::default()
        })
    }
}
