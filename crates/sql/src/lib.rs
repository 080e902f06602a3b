//! Recipients' queries: SQL read, refused or taken apart, and evaluated. The only crate that names
//! DataFusion, and empty without the feature `datafusion`.
//!
//! `parse` takes one SELECT and nothing else: what is refused never reaches the engine. A query whose
//! answer can be bounded becomes a `Request`: aggregates, conditions and groups, each a `Scalar` over
//! columns. `Engine` evaluates scalars over values that the caller lists, and runs whole queries on
//! tables in memory. There are no files here, no network, and no rule about what a release means.

#[cfg(feature = "datafusion")]
mod condition;
#[cfg(feature = "datafusion")]
mod engine;
#[cfg(feature = "datafusion")]
mod error;
#[cfg(feature = "datafusion")]
mod guard;
#[cfg(feature = "datafusion")]
mod request;
#[cfg(feature = "datafusion")]
mod scalar;
#[cfg(feature = "datafusion")]
mod table;

/// The engine itself, for what the cluster has to say to it.
#[cfg(feature = "datafusion")]
pub use datafusion;

#[cfg(feature = "datafusion")]
pub use condition::Condition;
#[cfg(feature = "datafusion")]
pub use engine::{Answer, Engine, Leaves, Limits};
#[cfg(feature = "datafusion")]
pub use error::SqlError;
#[cfg(feature = "datafusion")]
pub use guard::{Source, Statement, parse};
#[cfg(feature = "datafusion")]
pub use request::{Aggregate, Kind, Output, Request};
#[cfg(feature = "datafusion")]
pub use scalar::{ColumnInfo, Scalar, Use};
#[cfg(feature = "datafusion")]
pub use table::{Column, Values};
