//! The tables of a request: files, folders of releases, and what a caller holds in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_dp::Seed;
use velamen_engine::source::{ReadOptions, encoding};
use velamen_recipe::{JobError, Origin};

/// A table that a request names: a file, or `{"given": NAME}` for one that the caller holds in memory.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Table {
    /// A file, or the folder of a release.
    Path(PathBuf),
    /// A table in memory.
    Given {
        /// Its name among those that are given.
        given: String,
    },
}

impl From<PathBuf> for Table {
    fn from(path: PathBuf) -> Self {
        Self::Path(path)
    }
}

fn schema(format: &str) -> Schema {
    json_schema!({ "type": ["string", "object"], "format": format })
}

impl JsonSchema for Table {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Table".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema("table")
    }
}

/// A table as [`Table`] has it, or a release.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct TableOrRelease(pub Table);

impl From<PathBuf> for TableOrRelease {
    fn from(path: PathBuf) -> Self {
        Self(path.into())
    }
}

impl JsonSchema for TableOrRelease {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "TableOrRelease".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schema("table-or-release")
    }
}

/// Tables in memory by the names that a request has for them.
#[derive(Debug, Default)]
pub struct Given(pub BTreeMap<String, Origin>);

/// What an operation runs with besides its request.
pub struct Call<'a> {
    /// The tables in memory.
    pub given: &'a Given,
    /// Whether messages may show a cell where the request asks for values.
    pub shows_cells: bool,
    /// Progress and the wish to stop; an operation that draws has a seed of its own.
    pub context: &'a Context<'a>,
}

impl<'a> Call<'a> {
    /// Where a table's records come from.
    ///
    /// # Errors
    /// [`JobError::usage`] if nobody gave it.
    pub fn origin(&self, table: &Table) -> Result<Origin, JobError> {
        match table {
            Table::Path(path) => Ok(path.clone().into()),
            Table::Given { given } => {
                self.given.0.get(given).cloned().ok_or_else(|| {
                    JobError::usage(format!("`{given}` is the name of no table that was given"))
                })
            }
        }
    }

    /// The folder of several tables that a caller holds, in the place of one.
    #[must_use]
    pub fn given_folder(&self, table: Option<&Table>) -> Option<&Path> {
        let Some(Table::Given { given }) = table else { return None };
        self.given.0.get(given)?.file().filter(|path| path.is_dir())
    }

    /// Refuses several tables where one is needed.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub fn refuse_several(&self, table: Option<&Table>) -> Result<(), JobError> {
        match self.given_folder(table) {
            None => Ok(()),
            Some(_) => Err(JobError::usage("several tables are given where one is needed")
                .mend("give the table itself, or a recipe of linked tables")),
        }
    }

    /// Where the records of a table come from that may be left out.
    ///
    /// # Errors
    /// As [`Self::origin`].
    pub fn origin_of(&self, table: Option<&Table>) -> Result<Option<Origin>, JobError> {
        table.map(|table| self.origin(table)).transpose()
    }

    /// How tables are read; messages show cells where the request asks for values and the front end allows it.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub fn reading(&self, reading: &Reading, show_values: bool) -> Result<ReadOptions, JobError> {
        Ok(ReadOptions { show_values: show_values && self.shows_cells, ..reading.options()? })
    }

    /// The context with the seed of a request.
    #[must_use]
    pub fn drawing(&self, seed: &'a Seed) -> Context<'a> {
        Context { seed, progress: self.context.progress, cancel: self.context.cancel }
    }
}

/// What is looked at: a table and its quasi-identifiers, or a release, which names its own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Subject {
    /// The table, in any format that can be read, or a release folder.
    pub table: TableOrRelease,
    /// The quasi-identifiers; required for a table without --recipe.
    #[serde(default)]
    #[schemars(extend("x-value" = "A,B,C"))]
    pub qi: Vec<String>,
}

/// How a table is read that no recipe describes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Reading {
    /// The file's format; detected if left out.
    #[serde(default)]
    #[schemars(extend("format" = "file-format"))]
    pub format: Option<String>,
    /// The delimiter of delimited text; detected from the header if left out.
    #[serde(default)]
    #[schemars(extend("format" = "character", "x-value" = "CHARACTER"))]
    pub delimiter: Option<String>,
    /// Cells that mean a missing value, in addition to empty cells.
    #[serde(default)]
    #[schemars(extend("x-value" = "MARKERS"))]
    pub null: Vec<String>,
    /// The sheet of a workbook, by name or number from 1; needed if there are several.
    #[serde(default)]
    #[schemars(extend("x-value" = "SHEET"))]
    pub sheet: Option<String>,
    /// How many lines of text, or rows of a sheet, stand above the line that names the columns.
    #[serde(default)]
    #[schemars(extend("x-value" = "N"))]
    pub skip_lines: u64,
    /// How text is encoded, such as windows-1252; UTF-8 when left out.
    #[serde(default)]
    #[schemars(extend("x-value" = "LABEL"))]
    pub encoding: Option<String>,
    /// The first line is a record; the columns are called 1, 2, ….
    #[serde(default)]
    pub no_header: bool,
    /// The first line names the columns, even if it looks like a record.
    #[serde(default)]
    #[schemars(extend("x-without" = "no-header"))]
    pub header: bool,
    /// Numbers have a comma before their decimals: 70,5.
    #[serde(default)]
    pub decimal_comma: bool,
}

impl Reading {
    /// As the engine has it.
    ///
    /// # Errors
    /// [`JobError::usage`].
    pub fn options(&self) -> Result<ReadOptions, JobError> {
        let format = self.format.as_deref().map(str::parse).transpose();
        let sheet = self.sheet.as_deref().map(str::parse).transpose();
        let Ok(sheet) = sheet;
        let encoding = self.encoding.as_deref().map(encoding).transpose();
        let delimiter = self.delimiter.as_deref().map(velamen_engine::source::delimiter).transpose();
        Ok(ReadOptions {
            format: format.map_err(|error: Problem| JobError::usage(error.after("--format: ")))?,
            delimiter: delimiter.map_err(|problem| JobError::usage(problem.after("--delimiter: ")))?,
            null: self.null.clone(),
            sheet,
            encoding: encoding.map_err(|error| JobError::usage(error.after("--encoding: ")))?,
            skip_lines: self.skip_lines,
            headerless: self.no_header,
            trusts_header: self.header,
            decimal_comma: self.decimal_comma,
            ..ReadOptions::default()
        })
    }
}
