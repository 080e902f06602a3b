//! What a format is told of how a table is to be read, and what it finds out from the table's head.

use arrow_schema::DataType;

use super::heading;
use crate::dictionary::Outside;
use crate::error::DataProblem;

/// The most bytes of a column's name in a header.
const LONGEST_NAME: usize = 1000;

/// How a table is to be read, as far as its format has to know.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// The delimiter of delimited text, if it was given.
    pub delimiter: Option<u8>,
    /// The columns of delimited text without a header.
    pub columns: Option<Vec<String>>,
    /// Whether the first line is a record, so that columns of which `columns` says nothing are numbered.
    pub headerless: bool,
    /// Whether the first line is taken for the names of the columns, whatever it is.
    pub trusts_header: bool,
    /// Whether white space around the cells of delimited text is dropped.
    pub trim: bool,
    /// Whether names that look like formulas have an apostrophe more in front.
    pub escaped: bool,
    /// What becomes of records that cannot be read.
    pub outside: Outside,
    /// The columns of records that name their own, whatever they name.
    pub declared: Option<Vec<String>>,
    /// Which sheet of a workbook.
    pub sheet: Option<Sheet>,
    /// Whether lists of plain values are cells.
    pub lists: bool,
}

/// A sheet of a workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sheet {
    /// By its name.
    Name(String),
    /// By its place, counted from 1.
    Number(usize),
}

impl std::str::FromStr for Sheet {
    type Err = std::convert::Infallible;

    /// A whole number is a place, all else a name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number))
    }
}

impl Form {
    /// Whether the first line names the columns.
    pub(crate) fn has_header(&self) -> bool {
        self.columns.is_none() && !self.headerless
    }

    /// The names of so many columns without a header: those that were given, or their numbers.
    pub(crate) fn without_header(&self, width: usize) -> Vec<String> {
        let numbers = || (1..=width).map(|number| number.to_string()).collect();
        self.columns.clone().unwrap_or_else(numbers)
    }

    /// Refuses names that are rather a record, as some records below tell; where nothing may depend on a record,
    /// as the names tell alone.
    pub(crate) fn judge(&self, names: &[String], records: &[Vec<String>]) -> Result<(), DataProblem> {
        // A quote that is not closed makes records a part of a name, which messages would show.
        if names.iter().any(|name| name.len() > LONGEST_NAME) {
            return Err(DataProblem::NameTooLong { limit: LONGEST_NAME });
        }
        let like = match self.outside {
            _ if self.trusts_header => None,
            // A record by another delimiter, whole.
            _ if names.len() == 1 && heading::is_undivided(&names[0]) => Some(1),
            Outside::Apart => heading::values_by_themselves(names),
            Outside::Refused => heading::record_like(names, records),
        };
        let again = || records.iter().any(|record| record == names);
        like.map_or(Ok(()), |like| Err(DataProblem::NoHeader { like, columns: names.len(), again: again() }))
    }

    /// Whether every line of text is a record of its own.
    pub(crate) fn by_lines(&self) -> bool {
        self.outside == Outside::Apart
    }
}

/// What the head of a table says.
#[derive(Debug, Clone, Default)]
pub struct Header {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The columns' types; `None` where there are none, as in delimited text.
    pub kinds: Option<Vec<DataType>>,
    /// The delimiter of delimited text.
    pub delimiter: Option<u8>,
}

impl Header {
    /// The names and types of an Arrow schema.
    #[must_use]
    pub fn typed(schema: &arrow_schema::Schema) -> Self {
        let fields = schema.fields().iter();
        Self {
            columns: fields.clone().map(|field| field.name().clone()).collect(),
            kinds: Some(fields.map(|field| field.data_type().clone()).collect()),
            delimiter: None,
        }
    }
}

/// A file's records, without their cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CountedRecords {
    /// How many there are.
    pub records: u64,
    /// Whether a cell of delimited text holds a line end.
    pub line_ends: bool,
    /// Whether delimited text has a byte order mark elsewhere than at its start.
    pub marks: bool,
}
