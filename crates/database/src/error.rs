//! What can go wrong with a database, by class. No message holds a cell value.

use thiserror::Error;
use velamen_core::error::{Class, Code, Mistake};

/// An error of a database.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// An address, a name or a query is wrong: the recipe's mistake.
    #[error("{0}")]
    Recipe(String),
    /// The records are not what they should be.
    #[error("{0}")]
    Data(String),
    /// The database cannot be reached, or refuses.
    #[error("{0}")]
    Io(String),
    /// The program was built without connectors.
    #[error("this build reaches no database; build one that does: cargo build --release --features database")]
    NotBuilt,
    /// The run was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl DatabaseError {
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
        let (code, said) = (error.code(), error.to_string());
        let mistake = match error {
            DatabaseError::Interrupted => Self::interrupted(),
            DatabaseError::Data(_) => Self::data(said),
            DatabaseError::Recipe(_) => Self::new(Class::Recipe, said),
            DatabaseError::Io(_) | DatabaseError::NotBuilt => Self::unusable(said),
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
