//! The code of each variant of the errors of the crates below.

use velamen_core::hierarchy::HierarchyError;
use velamen_database::DatabaseError;
use velamen_engine::{DataProblem, EngineError};
use velamen_search::method::MethodError;

use super::Code;

/// An error whose variants have codes.
pub trait Coded {
    /// The code of the variant.
    fn code(&self) -> Code;
}

impl Coded for EngineError {
    fn code(&self) -> Code {
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

impl Coded for DataProblem {
    fn code(&self) -> Code {
        match self {
            Self::Empty => Code::EMPTY_FILE,
            Self::NoRecords => Code::NO_RECORDS,
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
            Self::Format(_) => Code::FORMAT,
            Self::DerivedTwice { .. } | Self::NoSource { .. } => Code::DERIVED_COLUMN,
            Self::Source { .. } => Code::DERIVED_SOURCE,
            Self::BeforeBirth { .. } => Code::BEFORE_BIRTH,
        }
    }
}

impl Coded for MethodError {
    fn code(&self) -> Code {
        match self {
            Self::Interrupted(_) => Code::INTERRUPTED,
            Self::Infeasible(_) => Code::INFEASIBLE,
            Self::OutOfBudget(_) => Code::OUT_OF_BUDGET,
            Self::Broken(_) => Code::BROKEN_SEARCH,
            Self::Unfit(_) => Code::TABLE_DOES_NOT_FIT,
            Self::Recipe(_) => Code::METHOD_DOES_NOT_FIT,
        }
    }
}

impl Coded for HierarchyError {
    fn code(&self) -> Code {
        match self {
            Self::Empty => Code::HIERARCHY_EMPTY,
            Self::Ragged { .. } => Code::HIERARCHY_RAGGED,
            Self::DuplicateLeaf { .. } => Code::HIERARCHY_DUPLICATE,
            Self::AmbiguousParent { .. } => Code::HIERARCHY_AMBIGUOUS,
            Self::TooManyLevels => Code::HIERARCHY_TOO_HIGH,
            Self::Parameters(_) => Code::HIERARCHY_PARAMETERS,
        }
    }
}

impl Coded for DatabaseError {
    fn code(&self) -> Code {
        match self {
            Self::Recipe(_) => Code::DATABASE_ADDRESS,
            Self::Data(_) => Code::DATABASE_RECORDS,
            Self::Io(_) => Code::DATABASE,
            Self::NotBuilt => Code::NOT_BUILT,
            Self::Interrupted => Code::INTERRUPTED,
        }
    }
}
