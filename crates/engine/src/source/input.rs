//! A table that was opened, whatever holds its records.

use std::path::Path;
use std::sync::Arc;

use arrow_schema::DataType;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;

use super::cells;
use super::file::SourceFile;
use super::form::{Form, Header};
use super::reading::Reading;
use super::rows::{self, Rows};
use crate::dictionary::{ColumnRequest, Outside, Spelling};
use crate::encode::merge;
use crate::error::{DataProblem, EngineError};
use crate::format::FileFormat;
use crate::limit::{Limit, Most};
use crate::worker::{Keep, Worker};

/// How a file is to be read; what is left out is found out from its name and first bytes.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format, if the file does not tell.
    pub format: Option<FileFormat>,
    /// The delimiter of delimited text, if the header does not tell.
    pub delimiter: Option<u8>,
    /// Names of the columns of delimited text without header.
    pub columns: Option<Vec<String>>,
    /// Whether white space around the cells of delimited text is dropped.
    pub trim: bool,
    /// Cells that mean a missing value, besides the empty one.
    pub null: Vec<String>,
    /// Whether cells that look like formulas have an apostrophe more in front, as releases do.
    pub escaped: bool,
    /// Whether a quasi-identifier's cell `*`, the mark of suppression, is refused.
    pub refuse_mark: bool,
    /// Whether messages may show a cell's value.
    pub show_values: bool,
    /// What becomes of records that cannot be read or are outside their domains.
    pub outside: Outside,
    /// The columns of NDJSON, whatever keys its records have; left out: all keys that occur.
    pub declared: Option<Vec<String>>,
    /// Whether a table without a record is one. Where records are kept apart it always is.
    pub may_be_empty: bool,
}

impl ReadOptions {
    fn form(&self) -> Form {
        Form {
            delimiter: self.delimiter,
            columns: self.columns.clone(),
            trim: self.trim,
            escaped: self.escaped,
            outside: self.outside,
            declared: self.declared.clone(),
        }
    }

    fn spelling(&self) -> Spelling {
        Spelling {
            nulls: self.null.clone(),
            escaped: self.escaped,
            outside: self.outside,
            refuses_mark: self.refuse_mark,
        }
    }

    fn empty_is_a_table(&self) -> bool {
        self.may_be_empty || self.outside == Outside::Apart
    }
}

/// An input that was opened and whose columns are known.
pub struct Input {
    /// What the file is.
    pub format: FileFormat,
    /// The delimiter of delimited text.
    pub delimiter: u8,
    /// The columns' names.
    pub columns: Vec<String>,
    kinds: Option<Vec<DataType>>,
    pub(super) file: SourceFile,
    pub(super) form: Form,
    pub(super) spelling: Arc<Spelling>,
    pub(super) show_values: bool,
    most: Option<Most>,
    may_be_empty: bool,
    /// The records, where they are no file.
    rows: Option<Arc<dyn Rows>>,
}

impl Input {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be read, [`EngineError::Data`] if its header is unusable.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, EngineError> {
        let (file, first) = SourceFile::open(path)?;
        let format = match (options.format, options.outside) {
            (Some(format), _) => format,
            (None, Outside::Refused) => FileFormat::sniff(path, &first),
            // The first bytes may be a record's.
            (None, Outside::Apart) => FileFormat::named(path).ok_or_else(|| {
                let problem = "its name does not tell what the file is; give input.format";
                file.refused(DataProblem::Format(problem.into()))
            })?,
        };
        let file = file.packed(format.compression);
        let header = (format.format.reader.open)(&file, &options.form())?;
        Self::new(file, format, header, options)
    }

    /// Records that are no file; `label` is what messages call them.
    ///
    /// # Errors
    /// [`EngineError::Data`] if a column has no name, or two have the same.
    pub fn of_rows(
        label: &Path,
        columns: Vec<String>,
        rows: Arc<dyn Rows>,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        let header = Header { columns, kinds: None, delimiter: Some(b',') };
        let options = ReadOptions { trim: false, columns: None, ..options.clone() };
        let input = Self::new(SourceFile::label(label), FileFormat::default(), header, &options)?;
        Ok(Self { rows: Some(rows), ..input })
    }

    fn new(
        file: SourceFile,
        format: FileFormat,
        header: Header,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        check_columns(&file, &header.columns)?;
        Ok(Self {
            format,
            delimiter: header.delimiter.or(options.delimiter).unwrap_or(b','),
            columns: header.columns,
            kinds: header.kinds,
            file,
            form: options.form(),
            spelling: Arc::new(options.spelling()),
            show_values: options.show_values,
            most: None,
            may_be_empty: options.empty_is_a_table(),
            rows: None,
        })
    }

    /// The file, or what records that are no file are called.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether the first record of delimited text names the columns.
    #[must_use]
    pub fn has_header(&self) -> bool {
        self.rows.is_none() && self.form.columns.is_none()
    }

    /// Lets [`Input::read`] and [`Input::survey`] stop at tables of which more would be held.
    pub fn hold_at_most(&mut self, most: Option<Most>) {
        self.most = most;
    }

    /// The type of each column's values; `None` for delimited text, which has no types.
    #[must_use]
    pub fn kinds(&self) -> Option<Vec<DataType>> {
        self.kinds.as_ref().map(|kinds| kinds.iter().map(cells::value_type).collect())
    }

    /// Reads the requested columns of all records into a frequency table.
    ///
    /// Time: linear in the file; memory: distinct combinations of the requested columns.
    ///
    /// # Errors
    /// [`EngineError`]; data errors tell record, line and column, never the value unless the
    /// options allow it. [`EngineError::TooMany`] and [`EngineError::TooLong`] beyond what [`Input::hold_at_most`] allows.
    pub fn read(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, EngineError> {
        let limit = Limit::new(self.most);
        let workers = self.workers(columns, context, Keep::Counts(&limit));
        let workers = workers.map_err(|error| self.with_unlisted(error, columns, context))?;
        let table = merge(workers, columns)?;
        limit.check(table.len() as u64)?;
        if table.is_empty() && !self.may_be_empty {
            return Err(self.file.refused(DataProblem::NoRecords));
        }
        Ok(table)
    }

    /// What workers saw of all records.
    pub(crate) fn tallies(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<Vec<Worker>, EngineError> {
        let limit = Limit::new(self.most);
        self.workers(columns, context, Keep::Tally(&limit))
    }

    /// What workers make of all records.
    pub(super) fn workers(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
        keep: Keep<'_>,
    ) -> Result<Vec<Worker>, EngineError> {
        let reading = self.reading(columns, context, keep);
        self.unchanged(match &self.rows {
            Some(rows) => rows::read(&**rows, reading),
            None => (self.format.format.reader.read)(reading),
        })
    }

    pub(super) fn reading<'a>(
        &'a self,
        columns: &'a [ColumnRequest],
        context: &'a Context<'a>,
        keep: Keep<'a>,
    ) -> Reading<'a> {
        Reading {
            file: &self.file,
            form: &self.form,
            names: &self.columns,
            kinds: self.kinds.as_deref(),
            delimiter: self.delimiter,
            spelling: &self.spelling,
            show_values: self.show_values,
            columns,
            context,
            keep,
        }
    }

    /// What was read, if the file is still the one that was opened: a fault may come from the change.
    pub(super) fn unchanged<T>(&self, read: Result<T, EngineError>) -> Result<T, EngineError> {
        if !matches!(read, Err(EngineError::Interrupted(_))) {
            self.file.check_unchanged()?;
        }
        read
    }
}

fn check_columns(file: &SourceFile, columns: &[String]) -> Result<(), EngineError> {
    let refuse = |problem| Err(file.refused(problem));
    for (i, name) in columns.iter().enumerate() {
        if name.is_empty() {
            return refuse(DataProblem::EmptyHeader { column: i + 1 });
        }
        if let Some(first) = columns[..i].iter().position(|earlier| earlier == name) {
            return refuse(DataProblem::DuplicateHeader {
                name: name.clone(),
                first: first + 1,
                column: i + 1,
            });
        }
    }
    if columns.is_empty() {
        return refuse(DataProblem::Empty);
    }
    Ok(())
}
