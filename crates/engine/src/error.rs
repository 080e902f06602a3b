//! What can go wrong between files and tables. No message holds a cell value.

use std::path::{Path, PathBuf};

use thiserror::Error;
use velamen_core::context::Interrupted;
use velamen_core::error::{self as mistake, Class, Code, Mistake, Problem};

use crate::hint::Hint;
use crate::packing::Damaged;

/// An error of reading, encoding or writing.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The run was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The operating system refused.
    #[error("{}: cannot {action}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: `read`, `write`, …
        action: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// The content is not what it should be.
    #[error("{}: {problem}{}", path.display(), and_hint(problem))]
    Data {
        /// The file.
        path: PathBuf,
        /// Where and what.
        problem: DataProblem,
    },
    /// More distinct combinations than were allowed.
    #[error("there are more than {most} distinct combinations")]
    TooMany {
        /// How many were allowed.
        most: u64,
    },
    /// Longer distinct values than were allowed.
    #[error("the distinct values have more than {most} bytes")]
    TooLong {
        /// How many bytes were allowed, those of all columns together.
        most: u64,
    },
    /// More records than can be counted, or keys wider than can be held.
    #[error("{0}")]
    Limit(Problem),
}

impl EngineError {
    pub(crate) fn io(
        path: &std::path::Path,
        action: &'static str,
    ) -> impl Fn(std::io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| match source.get_ref().and_then(|inner| inner.downcast_ref::<Damaged>()) {
            Some(damaged) => Self::data(&path, DataProblem::Format(damaged.problem())),
            None => Self::Io { path: path.clone(), action, source },
        }
    }

    pub(crate) fn data(path: &std::path::Path, problem: DataProblem) -> Self {
        Self::Data { path: path.to_owned(), problem }
    }
}

impl EngineError {
    /// The code of the variant.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Interrupted(_) => Code::INTERRUPTED,
            Self::Io { source, .. } => Code::of_io(source),
            Self::Data { problem, .. } => problem.code(),
            Self::TooMany { .. } => Code::TOO_MANY_COMBINATIONS,
            Self::TooLong { .. } => Code::VALUES_TOO_LONG,
            Self::Limit(_) => Code::COUNTING_LIMIT,
        }
    }
}

impl From<EngineError> for Mistake {
    fn from(error: EngineError) -> Self {
        let code = error.code();
        let mistake = match error {
            EngineError::Interrupted(_) => Self::interrupted(),
            EngineError::Io { path, action, source } => return of_io(&path, action, &source),
            EngineError::Data { path, problem } => of_problem(&problem).at(mistake::Place::file(&path)),
            EngineError::Limit(problem) => Self::data(problem),
            EngineError::TooMany { .. } | EngineError::TooLong { .. } => Self::too_large(error.to_string()),
        };
        mistake.coded(code)
    }
}

/// A problem with its advice in fields.
fn of_problem(problem: &DataProblem) -> Mistake {
    let mut mistake = Mistake::data(problem.what());
    if let Some(expected) = problem.expected() {
        mistake = mistake.expected(expected);
    }
    if let Some(mend) = problem.mend() {
        mistake = mistake.mend(mend);
    }
    match problem.hint() {
        Some(hint) => mistake.hint(hint),
        None => mistake,
    }
}

/// What kept a file from being read or written. A source of records that is no file gives the mistake itself.
fn of_io(path: &Path, action: &str, source: &std::io::Error) -> Mistake {
    let given = source.get_ref().and_then(|inner| inner.downcast_ref::<Mistake>());
    let Some(given) = given else { return Mistake::io(path, action, source) };
    let place = mistake::Place::file(path);
    match given.class() {
        Class::Io => Mistake::unusable(format!("cannot {action}: {given}")).at(place).coded(given.code()),
        _ => given.clone().at(place),
    }
}

/// Where a record stands: both counted from 1, the header being line 1 of a file that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The data record.
    pub record: u64,
    /// The line, for text formats.
    pub line: Option<u64>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line} (record {})", self.record),
            None => write!(f, "record {}", self.record),
        }
    }
}

/// What may be wrong with a header that has fewer names than one of the first records has cells.
const TITLE: &str = "if a title stands above the line with the names, leave those lines out: `skip-lines = N` under [input], or --skip-lines";

/// How text in another encoding can be read.
const SAY_ENCODING: &str = "say how the text is encoded, for example `encoding = \"windows-1252\"` under [input], or \
                            --encoding, as older exports of Excel are in Western Europe; or save it as UTF-8";

/// How to part what a mark says from what a missing value does.
const MARK_MEANS: &str = "if it means a missing value, write `null = [\"*\"]` under [input], else give it another name in the data";

/// Who can say which record it is.
const IN_PROCESS: &str = "(a run in process names the record)";

/// What is wrong with a table's content.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what the message prints")]
pub enum DataProblem {
    Empty,
    NoRecords,
    EmptyHeader {
        column: usize,
        is_line: bool,
        /// Whether so few names stand there that it is a title, or a line for spreadsheets such as `sep=;`.
        is_title: bool,
    },
    DuplicateHeader {
        first: usize,
        column: usize,
        is_line: bool,
    },
    NoHeader {
        like: usize,
        columns: usize,
        /// Whether the same line stands among the records, too.
        again: bool,
    },
    HeaderEncoding,
    Utf16,
    Ragged {
        place: Place,
        found: usize,
        expected: usize,
    },
    Encoding {
        place: Place,
        column: String,
    },
    NotInHierarchy {
        place: Place,
        column: String,
        expected: Box<str>,
        value: Option<String>,
        lacks: Box<Lacks>,
    },
    SomewhereNotInHierarchy {
        column: String,
        expected: String,
        value: Option<String>,
        hint: Option<Hint>,
    },
    Mark {
        place: Place,
        column: String,
    },
    SomewhereMark {
        column: String,
    },
    DerivedTwice {
        name: String,
    },
    NoCondition {
        lacking: String,
        columns: String,
    },
    NoneKept,
    NoSource {
        name: String,
        lacking: String,
        columns: String,
    },
    Source {
        place: Place,
        column: String,
        expected: Box<str>,
        is_day: bool,
        value: Option<Box<str>>,
    },
    BeforeBirth {
        place: Place,
        column: String,
    },
    OpenQuote {
        line: u64,
    },
    RecordTooLong {
        limit: usize,
    },
    NameTooLong {
        limit: usize,
    },
    Unpacks,
    NotPlain,
    NestedColumn {
        column: String,
        kind: String,
    },
    Changed,
    Format(Problem),
}

impl DataProblem {
    /// What is wrong, without what was expected and how to mend it.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::Empty => "the file is empty".into(),
            Self::NoRecords => "the table has a header but no record".into(),
            Self::EmptyHeader { column, .. } => format!("column {column} has no name"),
            Self::DuplicateHeader { first, column, .. } => {
                format!("columns {first} and {column} have the same name")
            }
            Self::NoHeader { again: true, .. } => {
                "the first line stands again among the records: it is a record, or the names of the columns, which exports in pages repeat"
                    .into()
            }
            Self::NoHeader { like, columns, .. } => format!(
                "the first line looks like a record and not like the names of columns: {like} of {columns} names look like \
                 values"
            ),
            Self::HeaderEncoding => "the header is not UTF-8".into(),
            Self::Utf16 => "the file is UTF-16".into(),
            Self::Ragged { place, found, .. } => format!("{place}: {found} fields"),
            Self::Encoding { place, column } => format!("{place}, column `{column}`: not UTF-8"),
            Self::NotInHierarchy { place, column, value, .. } => {
                format!("{place}, column `{column}`: the value is not in the attribute's hierarchy{}", shown(value))
            }
            Self::SomewhereNotInHierarchy { column, value, .. } => {
                format!("column `{column}`: a value is not in the attribute's hierarchy{}", shown(value))
            }
            Self::Mark { place, column } => {
                format!("{place}, column `{column}`: the value is `*`, which a release writes for suppressed cells")
            }
            Self::SomewhereMark { column } => {
                format!("column `{column}`: a value is `*`, which a release writes for suppressed cells")
            }
            Self::DerivedTwice { name } => {
                format!("derived column `{name}`: the table has a column of that name")
            }
            Self::NoCondition { lacking, .. } => format!("[[where]]: the table has no column `{lacking}`"),
            Self::NoneKept => "no record meets what [[where]] asks for".into(),
            Self::NoSource { name, lacking, .. } => {
                format!("derived column `{name}`: the table has no column `{lacking}`")
            }
            Self::Source { place, column, expected, value, .. } => {
                format!("{place}, column `{column}`: the value{} is not {expected}", shown(value))
            }
            Self::BeforeBirth { place, column } => {
                format!("{place}, column `{column}`: the day of the age lies before the birth")
            }
            Self::OpenQuote { line } => format!("line {line}: a quoted field is never closed"),
            Self::RecordTooLong { limit } => format!("a record is longer than {limit} bytes"),
            Self::NameTooLong { limit } => format!("the name of a column is longer than {limit} bytes"),
            Self::Unpacks => "a part of the file unpacks to more than 64 MB and 1,000 times its packed size, which readers \
                              would have to hold at once"
                .into(),
            Self::NotPlain => "this is a pipe or a device, not a plain file".into(),
            Self::NestedColumn { column, kind } => {
                format!("column `{column}` has the type {kind}, which is no plain value")
            }
            Self::Changed => "the file was changed while it was read".into(),
            Self::Format(problem) => problem.text().to_owned(),
        }
    }

    /// What was expected, where that can be said.
    #[must_use]
    pub fn expected(&self) -> Option<String> {
        match self {
            Self::Empty => Some("a header line with the attributes' names".into()),
            Self::Ragged { expected, .. } => Some(format!("{expected} as in the header")),
            Self::NotInHierarchy { expected, lacks, .. } => {
                Some(format!("{expected}{}", counted(lacks.unlisted)))
            }
            Self::Format(problem) => problem.expectation().map(str::to_owned),
            Self::SomewhereNotInHierarchy { expected, .. } => Some(format!("{expected} {IN_PROCESS}")),
            _ => None,
        }
    }

    /// How to mend it, where that can be said.
    #[must_use]
    pub fn mend(&self) -> Option<String> {
        let mend: &str = match self {
            Self::EmptyHeader { is_title: true, .. } => TITLE,
            Self::EmptyHeader { is_line, .. } => {
                return Some(format!("name every column{}", or_no_header(*is_line)));
            }
            Self::NoHeader { again: true, .. } => "if it is names, delete the repeated lines",
            Self::DuplicateHeader { is_line, .. } => {
                return Some(format!("rename one of them{}", or_no_header(*is_line)));
            }
            Self::SomewhereMark { .. } => return Some(format!("{MARK_MEANS} {IN_PROCESS}")),
            Self::Format(problem) => return problem.remedy().map(str::to_owned),
            Self::NoSource { columns, .. } | Self::NoCondition { columns, .. } => {
                return Some(format!("its columns are: {columns}"));
            }
            Self::NoneKept => "ask for values that occur, spelled as in the table",
            Self::Source { is_day, .. } => return Some(mend_source(*is_day)),
            Self::HeaderEncoding | Self::Encoding { .. } => SAY_ENCODING,
            Self::Utf16 => {
                "write `encoding = \"utf-16le\"` under [input], or --encoding, or save it as UTF-8"
            }
            Self::Ragged { place, found, expected } if place.record <= 5 && found > expected => TITLE,
            Self::Mark { .. } => MARK_MEANS,
            Self::DerivedTwice { .. } => "give the derived one another name",
            Self::BeforeBirth { .. } => {
                "mend the record, or give the wrong date a value of `null` under [input]"
            }
            Self::RecordTooLong { .. } => "is the delimiter or a quote wrong?",
            Self::NameTooLong { .. } => "is a quote in the header not closed?",
            Self::Unpacks => "if the file is not damaged, write it again in smaller parts or without packing",
            Self::NotPlain => "write `-` for a table from standard input, or save it as a file first",
            Self::NestedColumn { .. } => "drop it or cast it before",
            Self::Changed => "run again when nobody writes to it",
            _ => return None,
        };
        Some(mend.to_owned())
    }
}

/// How names that stood in a line can be mended, too.
fn or_no_header(is_line: bool) -> &'static str {
    if is_line { ", or write `header = false` under [input] if the first line is a record" } else { "" }
}

/// How to mend what a column cannot be derived from.
fn mend_source(is_day: bool) -> String {
    let format = if is_day { "; `format` under [derived] says how dates are written" } else { "" };
    format!("mend it, or name it in `null` of [input] if it means a missing value{format}")
}

impl std::fmt::Display for DataProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what())?;
        mistake::write_advice(f, self.expected().as_deref(), self.mend().as_deref())
    }
}

impl std::error::Error for DataProblem {}

/// How to see a value that no message shows.
pub const SHOW_VALUES: &str = "`velamen anonymize --show-values` shows the value";

impl DataProblem {
    /// The code of the variant.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Empty => Code::EMPTY_FILE,
            Self::NoRecords | Self::NoneKept => Code::NO_RECORDS,
            Self::EmptyHeader { .. } => Code::UNNAMED_HEADER,
            Self::DuplicateHeader { .. } => Code::DUPLICATE_HEADER,
            Self::NoHeader { .. } => Code::NO_HEADER,
            Self::HeaderEncoding => Code::HEADER_ENCODING,
            Self::Utf16 => Code::UTF_16,
            Self::Ragged { .. } => Code::RAGGED,
            Self::Encoding { .. } => Code::ENCODING,
            Self::NotInHierarchy { .. } | Self::SomewhereNotInHierarchy { .. } => Code::NOT_IN_HIERARCHY,
            Self::Mark { .. } | Self::SomewhereMark { .. } => Code::SUPPRESSION_MARK,
            Self::OpenQuote { .. } => Code::OPEN_QUOTE,
            Self::RecordTooLong { .. } | Self::NameTooLong { .. } => Code::RECORD_TOO_LONG,
            Self::NestedColumn { .. } => Code::NESTED_COLUMN,
            Self::Changed => Code::CHANGED,
            Self::Unpacks => Code::UNPACKS,
            Self::NotPlain => Code::NOT_PLAIN,
            Self::Format(_) | Self::NoCondition { .. } => Code::FORMAT,
            Self::DerivedTwice { .. } | Self::NoSource { .. } => Code::DERIVED_COLUMN,
            Self::Source { .. } => Code::DERIVED_SOURCE,
            Self::BeforeBirth { .. } => Code::BEFORE_BIRTH,
        }
    }

    /// What may be wrong, in a sentence of its own.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        let (hint, value) = match self {
            Self::NotInHierarchy { lacks, value, .. } => (lacks.hint, value),
            Self::SomewhereNotInHierarchy { hint, value, .. } => (*hint, value),
            _ => return None,
        };
        hint.map(Hint::text).or(value.is_none().then_some(SHOW_VALUES))
    }
}

/// What a hierarchy lacks of a column, as far as that was found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lacks {
    /// How much; counted after the first fault.
    pub unlisted: Option<Unlisted>,
    /// What may be wrong.
    pub hint: Option<Hint>,
}

/// How much of a column a hierarchy lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlisted {
    /// Different values.
    pub values: u64,
    /// Records that have one of them.
    pub records: u64,
}

fn counted(unlisted: Option<Unlisted>) -> String {
    let number = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let told = |Unlisted { values, records }: Unlisted| {
        format!(
            ". The hierarchy lacks {} of the column, in {}",
            number(values, "different value"),
            number(records, "record")
        )
    };
    unlisted.map(told).unwrap_or_default()
}

/// The hint of a problem, as it ends a message.
fn and_hint(problem: &DataProblem) -> String {
    problem.hint().map_or_else(String::new, |hint| format!(". Hint: {hint}"))
}

fn shown(value: &Option<impl std::fmt::Debug>) -> String {
    value.as_ref().map(|value| format!(" (value: {value:?})")).unwrap_or_default()
}
