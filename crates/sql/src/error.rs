//! What can be wrong with a query.

use thiserror::Error;
use velamen_core::error::Problem;

/// An error of a query. No message holds a value of a table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SqlError {
    /// Something that is not one SELECT over the release.
    #[error("{0}")]
    Refused(Problem),
    /// Not SQL, or SQL over columns or functions that are not there.
    #[error("{0}")]
    Wrong(Problem),
    /// A SELECT whose answer cannot be bounded.
    #[error("{0}")]
    NoBounds(Problem),
    /// More work, memory or time than is allowed.
    #[error("{0}")]
    Limit(Problem),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}
