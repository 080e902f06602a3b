//! What stops a worker: a record that cannot be read, or has no derived value.

use velamen_core::error::Problem;

use crate::dictionary::BadCell;
use crate::error::EngineError;

/// What stopped a worker, still relative to its part.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Counted from 1.
    pub(crate) record: u64,
    /// Counted from 1, for text formats.
    pub(crate) line: Option<u64>,
    pub(crate) kind: FaultKind,
}

/// What is wrong.
#[derive(Debug)]
pub(crate) enum FaultKind {
    /// Fields found and expected.
    Ragged(usize, usize),
    Cell {
        request: usize,
        cell: BadCell,
        value: Vec<u8>,
    },
    /// A cell of which a derived column needs another value.
    Source {
        derived: usize,
        source: usize,
        expected: String,
        /// Whether it should be a day.
        is_day: bool,
        value: Vec<u8>,
    },
    /// An age below 0.
    BeforeBirth {
        derived: usize,
    },
    OpenQuote,
    /// What the record is not.
    Malformed(Problem),
    /// Nothing to do with a place.
    Other(Box<EngineError>),
}

impl Fault {
    pub(crate) fn underivable(Underivable { row, kind }: Underivable) -> Self {
        Self { record: row as u64 + 1, line: None, kind }
    }

    /// The same in a part of which so many records were read before.
    pub(crate) fn after(self, records: u64) -> Self {
        Self { record: self.record + records, ..self }
    }
}

impl<E: Into<EngineError>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self { record: 0, line: None, kind: FaultKind::Other(Box::new(error.into())) }
    }
}

/// A record that has no derived value, counted from 0 in the batch.
pub(crate) struct Underivable {
    pub(crate) row: usize,
    pub(crate) kind: FaultKind,
}
