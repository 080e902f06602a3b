//! How the input's file is read.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_engine::FileFormat;
use velamen_engine::source::{ReadOptions, Sheet, delimiter, encoding};

use super::Recipe;
use super::output::format_of;
use crate::JobError;

/// A sheet of a workbook.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, PartialEq)]
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

/// How a table was read, as the custodian's folder records it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct RecordedReading {
    format: Option<String>,
    delimiter: Option<char>,
    columns: Option<Vec<String>>,
    headerless: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trusts_header: bool,
    trim: bool,
    sheet: Option<SheetSection>,
    #[serde(skip_serializing_if = "crate::is_zero")]
    skip_lines: u64,
    encoding: Option<String>,
    decimal: Decimal,
    null: Vec<String>,
}

impl RecordedReading {
    /// What of the options says how cells are read.
    #[must_use]
    pub fn of(read: &ReadOptions) -> Self {
        Self {
            format: read.format.map(FileFormat::extension),
            delimiter: read.delimiter.map(char::from),
            columns: read.columns.clone(),
            headerless: read.headerless,
            trusts_header: read.trusts_header,
            trim: read.trim,
            sheet: read.sheet.as_ref().map(|sheet| match sheet {
                Sheet::Number(number) => SheetSection::Number(*number),
                Sheet::Name(name) => SheetSection::Name(name.clone()),
            }),
            skip_lines: read.skip_lines,
            encoding: read.encoding.map(|encoding| encoding.name().to_owned()),
            decimal: if read.decimal_comma { Decimal::Comma } else { Decimal::Point },
            null: read.null.clone(),
        }
    }

    /// The options with what they leave open as it was then. What cannot be read any more stays open.
    #[must_use]
    pub fn fill(self, read: &ReadOptions) -> ReadOptions {
        let delimiter = self.delimiter.and_then(|character| u8::try_from(character).ok());
        ReadOptions {
            format: read.format.or_else(|| format_of(self.format.as_deref()?).ok()),
            delimiter: read.delimiter.or(delimiter),
            columns: read.columns.clone().or(self.columns),
            headerless: read.headerless || self.headerless,
            trusts_header: read.trusts_header || self.trusts_header,
            trim: read.trim || self.trim,
            sheet: read.sheet.clone().or(self.sheet.map(Sheet::from)),
            skip_lines: if read.skip_lines == 0 { self.skip_lines } else { read.skip_lines },
            encoding: read.encoding.or_else(|| encoding(self.encoding.as_deref()?).ok()),
            decimal_comma: read.decimal_comma || self.decimal == Decimal::Comma,
            null: if read.null.is_empty() { self.null } else { read.null.clone() },
            ..read.clone()
        }
    }
}

impl From<SheetSection> for Sheet {
    fn from(section: SheetSection) -> Self {
        match section {
            SheetSection::Number(number) => Self::Number(number),
            SheetSection::Name(name) => Self::Name(name),
        }
    }
}

impl Recipe {
    /// How the table's file is read.
    ///
    /// # Errors
    /// [`JobError::recipe`] if `[input]` says what cannot be.
    pub fn read_options(&self, path: &Path) -> Result<ReadOptions, JobError> {
        let wrong =
            |keys: &[&str], problem: Problem| self.refuse(path, &["input"], Problem::of(keys, problem));
        let input = &self.input;
        let delimiter = input.delimiter.as_deref().map(delimiter).transpose().map_err(|problem| {
            wrong(
                &["delimiter"],
                problem.after("input.delimiter: ").expected("one ASCII character, for example \";\""),
            )
        })?;
        if input.header != Some(false) && input.columns.is_some() {
            let problem = Problem::new("input: `columns` are the names in order of a table without header")
                .mend("add `header = false`");
            return Err(wrong(&["columns", "header"], problem));
        }
        let format = input.format.as_deref().map(format_of).transpose();
        let encoding = input.encoding.as_deref().map(encoding).transpose();
        Ok(ReadOptions {
            format: format.map_err(|error| wrong(&["format"], error.after("input.format: ")))?,
            delimiter,
            columns: input.columns.clone(),
            headerless: input.header == Some(false),
            trusts_header: input.header == Some(true),
            trim: input.trim,
            sheet: input.sheet.clone().map(Sheet::from),
            skip_lines: input.skip_lines,
            encoding: encoding.map_err(|error| wrong(&["encoding"], error.after("input.encoding: ")))?,
            decimal_comma: input.decimal == Decimal::Comma,
            null: input.null.clone(),
            ..ReadOptions::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_recorded_fills_what_is_left_open() {
        let read = ReadOptions {
            sheet: Some(Sheet::Name("Stays".into())),
            encoding: encoding("windows-1252").ok(),
            delimiter: Some(b';'),
            decimal_comma: true,
            null: vec!["NA".into()],
            ..ReadOptions::default()
        };
        let text = serde_json::to_string(&RecordedReading::of(&read)).unwrap();
        let reading: RecordedReading = serde_json::from_str(&text).unwrap();
        let filled = reading.clone().fill(&ReadOptions::default());
        assert_eq!((&filled.sheet, filled.delimiter, filled.decimal_comma), (&read.sheet, Some(b';'), true));
        assert_eq!((filled.encoding, &filled.null), (read.encoding, &read.null));
        // What is given wins.
        let given = ReadOptions {
            sheet: Some(Sheet::Number(2)),
            null: vec!["?".into()],
            delimiter: Some(b','),
            ..ReadOptions::default()
        };
        let filled = reading.fill(&given);
        assert_eq!((filled.sheet, filled.delimiter, filled.null), (given.sheet, Some(b','), given.null));
    }
}
