//! What can go wrong with a database, by class. No message holds a cell value.

use thiserror::Error;
use velamen_core::error::{Class, Code, Mistake, Problem};

const NOT_BUILT: &str = "this build reaches no database";
const BUILD: &str = "build one that does: cargo build --release --features database";

/// An error of a database.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// An address, a name or a query is wrong: the recipe's mistake.
    #[error("{0}")]
    Recipe(Problem),
    /// The records are not what they should be.
    #[error("{0}")]
    Data(Problem),
    /// The database cannot be reached, or refuses.
    #[error("{0}")]
    Io(Problem),
    /// The program was built without connectors.
    #[error("{NOT_BUILT}; {BUILD}")]
    NotBuilt,
    /// The run was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl DatabaseError {
    /// What is wrong.
    #[must_use]
    pub fn problem(self) -> Problem {
        match self {
            Self::Recipe(problem) | Self::Data(problem) | Self::Io(problem) => problem,
            Self::NotBuilt => Problem::new(NOT_BUILT).mend(BUILD),
            Self::Interrupted => Problem::new("interrupted"),
        }
    }

    /// The code of the variant.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Recipe(_) => Code::DATABASE_ADDRESS,
            Self::Data(_) => Code::DATABASE_RECORDS,
            Self::Io(_) => Code::DATABASE,
            Self::NotBuilt => Code::NOT_BUILT,
            Self::Interrupted => Code::INTERRUPTED,
        }
    }
}

impl From<DatabaseError> for Mistake {
    fn from(error: DatabaseError) -> Self {
        let code = error.code();
        let mistake = match error {
            DatabaseError::Interrupted => Self::interrupted(),
            DatabaseError::Data(problem) => Self::data(problem),
            DatabaseError::Recipe(problem) => Self::new(Class::Recipe, problem),
            DatabaseError::Io(problem) => Self::unusable(problem),
            DatabaseError::NotBuilt => Self::unusable(NOT_BUILT).mend(BUILD),
        };
        mistake.coded(code)
    }
}

/// As a mistake, which readers of the records know.
#[cfg(feature = "connectors")]
impl From<DatabaseError> for std::io::Error {
    fn from(error: DatabaseError) -> Self {
        Self::other(Mistake::from(error))
    }
}
