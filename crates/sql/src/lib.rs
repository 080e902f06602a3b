//! Recipients' queries: SQL read, refused or taken apart, and evaluated. The only crate that names
//! DataFusion, and empty without the features `parser` and `datafusion`.
//!
//! `parse` takes one SELECT and nothing else: what is refused never reaches the engine. A query whose
//! answer can be bounded becomes a `Request`: aggregates, conditions and groups, each a `Scalar` over
//! columns. `Engine` evaluates scalars over values that the caller lists, and runs whole queries on
//! tables in memory; the feature `parser` alone has none. There are no files here, no network, and no rule about
//! what a release means.

#[cfg(feature = "parser")]
mod condition;
#[cfg(feature = "datafusion")]
mod engine;
#[cfg(feature = "parser")]
mod error;
#[cfg(feature = "parser")]
mod guard;
#[cfg(feature = "parser")]
mod request;
#[cfg(feature = "parser")]
mod scalar;
#[cfg(feature = "datafusion")]
mod table;

/// The engine itself, for what the cluster has to say to it.
#[cfg(feature = "datafusion")]
pub use datafusion;

#[cfg(feature = "parser")]
pub use condition::Condition;
#[cfg(feature = "datafusion")]
pub use engine::{Answer, Engine, Leaves, QueryLimits};
#[cfg(feature = "parser")]
pub use error::SqlError;
#[cfg(feature = "parser")]
pub use guard::{QueriedTable, Statement, parse};
#[cfg(feature = "parser")]
pub use request::{Aggregate, AggregateKind, Output, Request};
#[cfg(feature = "parser")]
pub use scalar::{ColumnInfo, Scalar, Use};
#[cfg(feature = "datafusion")]
pub use table::{ColumnValues, TableColumn};
