//! The independent checker, and what it is lent: rows of formats that the engine reads, and the wish to stop.

use std::path::{Path, PathBuf};

use velamen_checker::Finding;
use velamen_checker::linked::{Host, Row, Source, Unreadable, certify_with};
use velamen_contract::linked::LinkedManifest;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_engine::source::{Input, Ordered};
use velamen_engine::{ColumnRequest, EngineError, FileFormat};
use velamen_recipe::JobError;

use crate::formats::has_types;
use crate::plan::folder::reading;

/// Checks every promise of a release from its folder alone.
///
/// # Errors
/// [`JobError::data`] for a table that cannot be read, [`JobError::interrupted`].
pub(crate) fn certify(
    folder: &Path,
    manifest: &LinkedManifest,
    context: &Context<'_>,
) -> Result<Vec<Finding>, JobError> {
    certify_with(folder, manifest, &Lent(context)).map_err(|error| match error {
        Unreadable::Interrupted => JobError::interrupted(),
        error => JobError::data(Problem::from(error)),
    })
}

struct Lent<'a>(&'a Context<'a>);

impl Host for Lent<'_> {
    fn open<'a>(&'a self, file: &Path) -> Option<Result<Box<dyn Source + 'a>, Unreadable>> {
        let format = FileFormat::named(file).filter(|format| has_types(*format))?;
        let rows = Columns::open(file, format, self.0).map_err(unreadable);
        Some(rows.map(|rows| Box::new(rows) as Box<dyn Source>))
    }

    fn is_stopped(&self) -> bool {
        self.0.check().is_err()
    }
}

fn unreadable(error: EngineError) -> Unreadable {
    match error {
        EngineError::Interrupted(_) => Unreadable::Interrupted,
        error => Unreadable::Rows(Problem::new(error.to_string())),
    }
}

/// A file's columns, which are read when the first row is asked for.
struct Columns<'a> {
    file: PathBuf,
    format: FileFormat,
    context: &'a Context<'a>,
    input: Input,
    names: Row,
    /// The texts of each column, and the text of each row.
    read: Option<Ordered>,
    next: usize,
}

impl<'a> Columns<'a> {
    fn open(file: &Path, format: FileFormat, context: &'a Context<'a>) -> Result<Self, EngineError> {
        let input = Input::open(file, &reading(None))?;
        let names = input.columns.iter().map(String::as_str).collect();
        Ok(Self { file: file.to_owned(), format, context, input, names, read: None, next: 0 })
    }

    /// Memory: four bytes for each cell.
    fn read(&self) -> Result<Ordered, EngineError> {
        let columns = self.input.columns.iter().enumerate();
        let requests: Vec<ColumnRequest> =
            columns.map(|(index, name)| ColumnRequest::as_recorded(index, name)).collect();
        self.input.read_in_order(&requests, self.context)
    }
}

impl Source for Columns<'_> {
    fn columns(&self) -> &Row {
        &self.names
    }

    fn next(&mut self, row: &mut Row) -> Result<bool, Unreadable> {
        let read = match self.read.take() {
            Some(read) => read,
            None => self.read().map_err(unreadable)?,
        };
        let read = self.read.insert(read);
        row.clear();
        for (values, codes) in read.values.iter().zip(&read.codes) {
            let Some(code) = codes.get(self.next) else { return Ok(false) };
            row.push_field(values.get(*code as usize).map_or("", String::as_str));
        }
        self.next += 1;
        Ok(!row.is_empty())
    }

    /// Whether the engine would write another file of the same cells and types.
    fn has_needless_bytes(&self) -> bool {
        !self.format.is_as_written(&self.file, b',', self.context).unwrap_or(false)
    }
}
