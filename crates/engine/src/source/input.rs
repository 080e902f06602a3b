//! A table that was opened, whatever holds its records.

use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema};
use bytes::Bytes;
use rustc_hash::FxHashMap;
use velamen_core::context::Context;
use velamen_core::derived::Derivation;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;

use super::decode::Encoding;
use super::file::SourceFile;
use super::form::{Form, Header, Sheet};
use super::reading::Reading;
use super::rows::{self, Rows};
use super::{batches, cells};
use crate::derive::{self, DerivationPlan, Derived};
use crate::dictionary::{ColumnRequest, Outside, Spelling};
use crate::encode::merge;
use crate::error::{DataProblem, EngineError};
use crate::format::{FileFormat, IN_MEMORY};
use crate::limit::{Limit, Most};
use crate::sieve::{self, Condition, KeptRecords};
use crate::worker::{Keep, Worker};

/// How a file is to be read; what is left out is found out from its name and first bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The format, if the file does not tell.
    pub format: Option<FileFormat>,
    /// The delimiter of delimited text, if the header does not tell.
    pub delimiter: Option<u8>,
    /// Names of the columns of a table without header.
    pub columns: Option<Vec<String>>,
    /// Whether the first line is a record; columns without names are called 1, 2, ….
    pub headerless: bool,
    /// Whether the first line names the columns even if it looks like a record, as in a release.
    pub trusts_header: bool,
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
    /// Which sheet of a workbook; left out: the only one.
    pub sheet: Option<Sheet>,
    /// How many lines of text, or rows of a sheet, stand above the table.
    pub skip_lines: u64,
    /// How text is encoded; left out: as UTF-8.
    pub encoding: Option<&'static Encoding>,
    /// Whether numbers of text have a comma before their decimals; they are read with a point in its place.
    pub decimal_comma: bool,
    /// Columns that follow from the file's: they stand after these, and are asked for in the same way.
    pub derived: Derived,
    /// Which records are kept: the others count for nothing.
    pub wanted: KeptRecords,
    /// Whether a table without a record is one. Where records are kept apart it always is.
    pub may_be_empty: bool,
    /// Whether a list of plain values is a cell: the text of a JSON array of its values' texts, without missing ones. If
    /// not, such columns cannot be asked for.
    pub lists: bool,
}

impl ReadOptions {
    /// How a second table is read: markers of missing values and what is said of the first line hold for both, and
    /// all else it decides by itself.
    #[must_use]
    pub fn beside(&self) -> Self {
        Self {
            null: self.null.clone(),
            headerless: self.headerless,
            trusts_header: self.trusts_header,
            ..Self::default()
        }
    }

    fn form(&self) -> Form {
        Form {
            delimiter: self.delimiter,
            columns: self.columns.clone(),
            headerless: self.headerless,
            trusts_header: self.trusts_header,
            trim: self.trim,
            escaped: self.escaped,
            outside: self.outside,
            sheet: self.sheet.clone(),
            lists: self.lists,
            declared: self.declared.as_ref().map(|columns| self.derived.declared(columns)),
        }
    }

    fn spelling(&self) -> Spelling {
        Spelling {
            nulls: self.null.clone(),
            escaped: self.escaped,
            outside: self.outside,
            refuses_mark: self.refuse_mark,
            decimal_comma: self.decimal_comma,
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
    /// The columns' names: those of the file, then the derived ones.
    pub columns: Vec<String>,
    derived: Vec<Derivation>,
    conditions: Vec<Condition>,
    kinds: Option<Vec<DataType>>,
    pub(super) file: SourceFile,
    pub(super) form: Form,
    pub(super) spelling: Arc<Spelling>,
    pub(super) show_values: bool,
    most: Option<Most>,
    may_be_empty: bool,
    records: RecordStore,
}

/// Refuses what its name says is a recipe: its lines would be read as records.
fn refuse_recipe(file: &SourceFile) -> Result<(), EngineError> {
    if file.path().extension().is_none_or(|extension| extension != "toml") {
        return Ok(());
    }
    let problem = Problem::new("this is a recipe, where a table is expected");
    Err(file.refused(DataProblem::Format(problem.mend("name the table, or give --format if it is one"))))
}

/// What holds the records.
enum RecordStore {
    /// A file, or a buffer as if it were one.
    File,
    Rows(Arc<dyn Rows>),
    Batches(Vec<RecordBatch>),
}

impl Input {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be read, [`EngineError::Data`] if its header is unusable.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Self, EngineError> {
        Self::opened(SourceFile::open(path)?, options)
    }

    fn opened((file, first): (SourceFile, Vec<u8>), options: &ReadOptions) -> Result<Self, EngineError> {
        let path = file.path();
        let format = match (options.format, options.outside) {
            (Some(format), _) => format,
            (None, Outside::Refused) => {
                refuse_recipe(&file)?;
                FileFormat::sniff(path, &first)
            }
            // The first bytes may be a record's.
            (None, Outside::Apart) => FileFormat::named(path).ok_or_else(|| {
                let problem =
                    Problem::new("its name does not tell what the file is").mend("give input.format");
                file.refused(DataProblem::Format(problem))
            })?,
        };
        let format = format.built().map_err(|problem| file.refused(DataProblem::Format(problem)))?;
        let file = file.packed(format.compression).encoded(options.encoding).below(options.skip_lines);
        let refuse = |problem: Problem| Err(file.refused(DataProblem::Format(problem)));
        if options.encoding.is_some() && format.format.facts.packs_itself {
            return refuse(Problem::new("`encoding` is for formats of text").mend("leave it out"));
        }
        if options.skip_lines > 0 && !format.has_lines() {
            return refuse(Problem::new("`skip-lines` is for csv, tsv and workbooks").mend("leave it out"));
        }
        if options.sheet.is_some() && format.format.is_written() {
            return refuse(Problem::new("`sheet` is for workbooks").mend("leave it out"));
        }
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
        let options = ReadOptions { trim: false, columns: None, headerless: false, ..options.clone() };
        let file = SourceFile::label(label);
        // Their names stand in no line.
        check_columns(&file, &header.columns, false)?;
        let input = Self::new(file, FileFormat::default(), header, &options)?;
        Ok(Self { records: RecordStore::Rows(rows), ..input })
    }

    /// Arrow batches in memory, all of which have the columns of the schema; `label` is what messages call them.
    /// A cell is what it would be in a Parquet file of the same types, and [`Input::kinds`] are the types.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
    /// use velamen_core::context::{Context, Silent};
    /// use velamen_core::frequency::Role;
    /// use velamen_core::hierarchy::Rule;
    /// use velamen_dp::Seed;
    /// use velamen_engine::ColumnRequest;
    /// use velamen_engine::sink::{ColumnKind, OutColumn, OutTable};
    /// use velamen_engine::source::{Input, ReadOptions};
    ///
    /// let ages: ArrayRef = Arc::new(Int64Array::from(vec![34, 71, 34]));
    /// let towns: ArrayRef = Arc::new(StringArray::from(vec!["Ulm", "Bonn", "Ulm"]));
    /// let batch = RecordBatch::try_from_iter([("age", ages), ("town", towns)])?;
    /// let (label, options) = (Path::new("patients"), ReadOptions::default());
    /// let input = Input::of_batches(label, &batch.schema(), vec![batch], &options)?;
    ///
    /// let request = |(index, name): (usize, &String)| ColumnRequest {
    ///     index,
    ///     name: name.clone(),
    ///     role: Role::QuasiIdentifier,
    ///     rule: Arc::new(Rule::Flat),
    ///     whole_domain: false,
    /// };
    /// let columns: Vec<ColumnRequest> = input.columns.iter().enumerate().map(request).collect();
    /// let (seed, cancel) = (Seed::from_number(0), AtomicBool::new(false));
    /// let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
    /// let table = input.read(&columns, &context)?;
    /// assert_eq!(table.counts, [2, 1]);
    ///
    /// // And out again, as bytes of any format, with the types that came in.
    /// let kinds = input.kinds().unwrap_or_default();
    /// let column = |(qi, kind): (&velamen_core::frequency::QuasiIdentifier, _)| OutColumn {
    ///     name: qi.name.clone(),
    ///     labels: qi.hierarchy.labels(0).to_vec(),
    ///     kind: ColumnKind::As(kind),
    /// };
    /// let columns_out = table.qis.iter().zip(kinds).map(column).collect();
    /// let out = OutTable { columns: columns_out, codes: table.codes.clone(), counts: table.counts.clone() };
    /// let bytes = out.to_bytes("arrow".parse()?, b',', &context)?;
    /// let back = Input::of_bytes(label, bytes, &options)?;
    /// assert_eq!(back.kinds(), input.kinds());
    /// assert_eq!(back.read(&columns, &context)?.counts, [2, 1]);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`EngineError::Data`] if a batch has other columns, a column has no name, or two have the same.
    pub fn of_batches(
        label: &Path,
        schema: &Schema,
        batches: Vec<RecordBatch>,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        let file = SourceFile::label(label);
        batches::check(&file, schema, &batches)?;
        let input = Self::new(file, IN_MEMORY, Header::typed(schema), options)?;
        Ok(Self { records: RecordStore::Batches(batches), ..input })
    }

    /// The content of a file that is in memory, such as [`OutTable::to_bytes`](crate::sink::OutTable::to_bytes)
    /// gives; `label` stands for the file's name.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn of_bytes(
        label: &Path,
        content: impl Into<Bytes>,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        Self::opened(SourceFile::memory(label, content.into()), options)
    }

    fn new(
        file: SourceFile,
        format: FileFormat,
        mut header: Header,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        check_columns(&file, &header.columns, header.kinds.is_none())?;
        let derived = options.derived.of(&file, &header.columns)?;
        header.columns.extend(derived.iter().map(|derivation| derivation.name.clone()));
        if let Some(kinds) = &mut header.kinds {
            kinds.extend(derived.iter().map(derive::kind));
        }
        let conditions = options.wanted.of(&file, &header.columns)?;
        Ok(Self {
            format,
            delimiter: header.delimiter.or(options.delimiter).unwrap_or(b','),
            columns: header.columns,
            derived,
            conditions,
            kinds: header.kinds,
            file,
            form: options.form(),
            spelling: Arc::new(options.spelling()),
            show_values: options.show_values,
            most: None,
            may_be_empty: options.empty_is_a_table(),
            records: RecordStore::File,
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
        matches!(self.records, RecordStore::File) && self.form.has_header()
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
        let table = self.counted(columns, &self.conditions, context)?;
        match table.is_empty() && !self.may_be_empty {
            true if self.conditions.is_empty() => Err(self.file.refused(DataProblem::NoRecords)),
            true => Err(self.file.refused(DataProblem::NoneKept)),
            false => Ok(table),
        }
    }

    /// As [`Input::read`], of all records, whatever [`ReadOptions::wanted`] asks for.
    ///
    /// # Errors
    /// As [`Input::read`], but a table without records is one.
    pub fn read_all(
        &self,
        columns: &[ColumnRequest],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, EngineError> {
        self.counted(columns, &[], context)
    }

    fn counted(
        &self,
        columns: &[ColumnRequest],
        conditions: &[Condition],
        context: &Context<'_>,
    ) -> Result<FrequencyTable, EngineError> {
        let limit = Limit::new(self.most);
        let workers = self.workers_of(columns, conditions, context, Keep::Counts(&limit));
        let workers = workers.map_err(|error| self.with_unlisted(error, columns, context))?;
        let table = merge(workers, columns)?;
        limit.check(table.len() as u64)?;
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
        self.workers_of(columns, &self.conditions, context, keep)
    }

    /// What workers make of the records that meet these conditions.
    fn workers_of(
        &self,
        columns: &[ColumnRequest],
        conditions: &[Condition],
        context: &Context<'_>,
        keep: Keep<'_>,
    ) -> Result<Vec<Worker>, EngineError> {
        let mut requests = columns.to_vec();
        let conditions = sieve::asked(conditions, &self.columns, &mut requests);
        let plan = DerivationPlan::new(&self.columns, &self.derived, &requests);
        let reading = self.reading(&plan.requests, context, keep);
        let asked = columns.len();
        let reading = Reading { asked, derived: &plan.columns, conditions: &conditions, ..reading };
        self.unchanged(match &self.records {
            RecordStore::Rows(rows) => rows::read(&**rows, reading),
            RecordStore::Batches(batches) => batches::read(batches, reading),
            RecordStore::File => (self.format.format.reader.read)(reading),
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
            names: &self.columns[..self.width()],
            kinds: self.kinds.as_deref().and_then(|kinds| kinds.get(..self.width())),
            delimiter: self.delimiter,
            spelling: &self.spelling,
            show_values: self.show_values,
            columns,
            asked: columns.len(),
            derived: &[],
            conditions: &[],
            context,
            keep,
        }
    }

    /// How many columns the file has.
    fn width(&self) -> usize {
        self.columns.len() - self.derived.len()
    }

    /// What was read, if the file is still the one that was opened: a fault may come from the change.
    pub(super) fn unchanged<T>(&self, read: Result<T, EngineError>) -> Result<T, EngineError> {
        if !matches!(read, Err(EngineError::Interrupted(_))) {
            self.file.check_unchanged()?;
        }
        read
    }
}

/// Whether a line with columns that have no name is a title, or what spreadsheets write above a table.
fn is_title(columns: &[String]) -> bool {
    let named = columns.iter().filter(|name| !name.is_empty()).count();
    3 * named <= columns.len() || columns[0].starts_with("sep=")
}

/// Refuses names that no recipe could use; `is_line` says that they stood in a line, which may be a record.
fn check_columns(file: &SourceFile, columns: &[String], is_line: bool) -> Result<(), EngineError> {
    let refuse = |problem| Err(file.refused(problem));
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, name) in columns.iter().enumerate() {
        if name.is_empty() {
            let is_title = is_line && is_title(columns);
            return refuse(DataProblem::EmptyHeader { column: i + 1, is_line, is_title });
        }
        if let Some(first) = places.insert(name, i) {
            return refuse(DataProblem::DuplicateHeader { first: first + 1, column: i + 1, is_line });
        }
    }
    if columns.is_empty() {
        return refuse(DataProblem::Empty);
    }
    Ok(())
}
