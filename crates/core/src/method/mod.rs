//! Methods: from a frequency table to a [`Plan`](crate::plan::Plan).

pub mod best_first;
pub mod clustering;
pub mod contingency_table;
pub mod datafly;
pub mod evaluate;
pub mod exhaustive;
pub mod full_domain;
pub mod genetic;
pub mod h_ceiling;
pub mod iab;
pub mod ipa;
mod judge;
pub mod local_recoding;
pub mod mdav;
pub mod mondrian;
pub mod optimal;
pub mod safe_pub;
pub mod search;
pub mod top_down;
pub mod wildcards;

use thiserror::Error;

use crate::context::Interrupted;

/// Why a method gives no plan.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MethodError {
    /// The run was asked to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// No node of the lattice keeps the promise.
    #[error("the promise cannot be met: {0}")]
    Infeasible(String),
    /// The parameters do not fit the table.
    #[error("{0}")]
    Unfit(String),
}
