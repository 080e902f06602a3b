//! What can go wrong with a database, by class. No message holds a cell value.

use thiserror::Error;

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

#[cfg(feature = "connectors")]
impl From<DatabaseError> for std::io::Error {
    fn from(error: DatabaseError) -> Self {
        Self::other(error)
    }
}
