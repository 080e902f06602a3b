//! The table as the cluster reads it: where it lies, its columns, and how they become text.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use velamen_core::error::Problem;
use velamen_engine::source::{CountedRecords, Input};
use velamen_engine::{ColumnRequest, Compression};
use velamen_sql::datafusion::arrow::datatypes::{DataType, Field, Schema};
use velamen_sql::datafusion::error::Result;
use velamen_sql::datafusion::prelude::{CsvReadOptions, ParquetReadOptions, SessionContext};

use crate::error::ClusterError;
use crate::location::{is_remote, plain};

/// The name under which the cluster knows it.
pub(crate) const NAME: &str = "t";

/// The columns of a part of the release: a line, and how often it stands there.
pub(crate) const LINE: &str = "line";
pub(crate) const TIMES: &str = "times";

/// A table that the cluster reads as it is read in process.
#[derive(Debug, Clone)]
pub(crate) struct ClusterTable {
    /// An absolute path, or an object's URL.
    location: String,
    schema: Arc<Schema>,
    text: Option<Text>,
    /// The requested columns.
    pub(crate) cells: Vec<ClusterColumn>,
}

/// How delimited text is to be read.
#[derive(Debug, Clone, Copy)]
struct Text {
    delimiter: u8,
    header: bool,
    line_ends: bool,
}

/// A column and how its cells become text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClusterColumn {
    pub(crate) name: String,
    pub(crate) form: Spelling,
}

/// How cells are spelled for checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// Delimited text, where an empty cell and a missing one are the same.
    Delimited,
    Text,
    /// By its own printed form.
    Printed,
    /// As `Printed`, and grouped by it: GROUP BY takes 0 and -0 for the same number. 32 or 64 bits wide.
    Float(u8),
    /// By the number behind it, 32 or 64 bits wide.
    Number(u8),
}

impl ClusterTable {
    /// # Errors
    /// [`ClusterError::Refused`] where the cluster would read something else than is read in process.
    pub(crate) fn of(
        input: &Input,
        location: &Path,
        requests: &[ColumnRequest],
        counted: CountedRecords,
    ) -> Result<Self, ClusterError> {
        let delimited = input.format.is_delimited();
        check(input, counted)?;
        let kinds = input.kinds();
        let kind = |index: usize| kinds.as_ref().map_or(DataType::Utf8, |kinds| kinds[index].clone());
        let cells = requests.iter().map(|request| cell(request, delimited, &kind(request.index)));
        let cells = cells.collect::<Result<_, _>>()?;
        let all: Vec<usize> = match delimited {
            true => (0..input.columns.len()).collect(),
            false => requests.iter().map(|request| request.index).collect(),
        };
        let field = |&index: &usize| Field::new(column(input, delimited, index), kind(index), true);
        Ok(Self {
            location: absolute(location)?,
            schema: Arc::new(Schema::new(all.iter().map(field).collect::<Vec<_>>())),
            text: delimited.then(|| Text {
                delimiter: input.delimiter,
                header: input.has_header(),
                line_ends: counted.line_ends,
            }),
            cells,
        })
    }

    /// A part of a release, to be expanded.
    pub(crate) fn part(location: &Path) -> Result<Self, ClusterError> {
        let fields = vec![Field::new(LINE, DataType::Utf8, true), Field::new(TIMES, DataType::Int64, true)];
        Ok(Self {
            location: absolute(location)?,
            schema: Arc::new(Schema::new(fields)),
            text: None,
            cells: Vec::new(),
        })
    }

    /// Makes it known to a session; the cluster lists and opens the file itself.
    pub(crate) async fn register(&self, session: &SessionContext) -> Result<()> {
        let Some(text) = self.text else {
            let options = ParquetReadOptions::default().schema(&self.schema);
            let options = ParquetReadOptions { file_extension: "", ..options };
            return session.register_parquet(NAME, &self.location, options).await;
        };
        let mut options = CsvReadOptions::new().schema(&self.schema).file_extension("");
        options.delimiter = text.delimiter;
        options.has_header = text.header;
        options.newlines_in_values = text.line_ends;
        session.register_csv(NAME, &self.location, options).await
    }
}

/// The names of delimited columns are their places: headers can be anything.
fn column(input: &Input, delimited: bool, index: usize) -> String {
    if delimited { format!("c{index}") } else { input.columns[index].clone() }
}

fn cell(request: &ColumnRequest, delimited: bool, kind: &DataType) -> Result<ClusterColumn, ClusterError> {
    let form = match kind {
        _ if delimited => Spelling::Delimited,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Spelling::Text,
        DataType::Float32 => Spelling::Float(32),
        DataType::Float64 => Spelling::Float(64),
        DataType::Boolean | DataType::Decimal128(..) | DataType::Decimal256(..) => Spelling::Printed,
        kind if kind.is_integer() => Spelling::Printed,
        DataType::Date32 | DataType::Time32(_) => Spelling::Number(32),
        DataType::Date64 | DataType::Time64(_) | DataType::Timestamp(..) => Spelling::Number(64),
        _ => {
            return Err(ClusterError::Refused(
                Problem::new(format!(
                    "column `{}` has a type that the cluster does not group by",
                    request.name
                ))
                .mend("cast it before, or drop it"),
            ));
        }
    };
    let name = if delimited { format!("c{}", request.index) } else { request.name.clone() };
    Ok(ClusterColumn { name, form })
}

fn check(input: &Input, counted: CountedRecords) -> Result<(), ClusterError> {
    let refuse = |problem: Problem| Err(ClusterError::Refused(problem));
    if input.format.compression != Compression::None {
        return refuse(
            Problem::new("a table that is packed as a whole cannot be shared out among executors")
                .mend("unpack it"),
        );
    }
    if counted.marks {
        return refuse(
            "byte order marks stand in the middle of the table, which executors would drop".into(),
        );
    }
    Ok(())
}

/// Where every node finds it: nodes have other working folders.
fn absolute(path: &Path) -> Result<String, ClusterError> {
    let shown = |path: &PathBuf| path.to_str().map(str::to_owned);
    let unnamed = || ClusterError::Refused(format!("{}: the path is not UTF-8", path.display()).into());
    if is_remote(path) {
        return shown(&path.to_owned()).ok_or_else(unnamed);
    }
    let whole = path.canonicalize();
    let whole = whole
        .map_err(|error| ClusterError::Io(format!("{}: cannot open: {error}", path.display()).into()))?;
    let text = shown(&whole).ok_or_else(unnamed)?;
    plain(&text)?;
    Ok(text)
}
