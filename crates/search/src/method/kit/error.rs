//! Errors of methods.

use thiserror::Error;
use velamen_core::context::Interrupted;
use velamen_core::error::{Code, Mistake, Problem};
use velamen_dp::DoorError;

/// Why a method gives no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MethodError {
    /// The run was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// No node of the lattice keeps the promise.
    #[error("the promise cannot be met: {0}")]
    Infeasible(Problem),
    /// The search ended with its budget, before it found a release.
    #[error("{0}")]
    OutOfBudget(Problem),
    /// What was found does not keep the promise.
    #[error("{0}")]
    Broken(Problem),
    /// The parameters do not fit the table.
    #[error("{0}")]
    Unfit(Problem),
    /// The recipe asks for what the method cannot do with this table's columns.
    #[error("{0}")]
    Recipe(Problem),
}

impl MethodError {
    /// The code of the variant.
    #[must_use]
    pub fn code(&self) -> Code {
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

impl From<DoorError> for MethodError {
    fn from(error: DoorError) -> Self {
        Self::Unfit(Problem::new(error.to_string()).mend("raise epsilon"))
    }
}

impl From<MethodError> for Mistake {
    fn from(error: MethodError) -> Self {
        let code = error.code();
        let mistake = match error {
            MethodError::Interrupted(_) => Self::interrupted(),
            MethodError::Infeasible(problem) => Self::promise(problem.after("the promise cannot be met: ")),
            MethodError::Broken(problem) | MethodError::OutOfBudget(problem) => Self::promise(problem),
            MethodError::Recipe(problem) => Self::usage(problem),
            MethodError::Unfit(problem) => Self::data(problem),
        };
        mistake.coded(code)
    }
}
