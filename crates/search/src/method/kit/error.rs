//! Errors of methods.

use thiserror::Error;
use velamen_core::context::Interrupted;

/// Why a method gives no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MethodError {
    /// The run was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// No node of the lattice keeps the promise.
    #[error("the promise cannot be met: {0}")]
    Infeasible(String),
    /// The search ended with its budget, before it found a release.
    #[error("{0}")]
    OutOfBudget(String),
    /// What was found does not keep the promise.
    #[error("{0}")]
    Broken(String),
    /// The parameters do not fit the table.
    #[error("{0}")]
    Unfit(String),
    /// The recipe asks for what the method cannot do with this table's columns.
    #[error("{0}")]
    Recipe(String),
}
