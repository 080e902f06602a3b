//! Jobs: a recipe is parsed, planned, run and reported here. Front ends hold no rules.

mod anonymize;
mod audit;
mod catalog;
pub mod chart;
mod compare;
pub mod demo;
mod error;
mod folders;
pub mod leak;
mod manifest;
mod measure;
mod output_file;
mod published;
#[cfg(feature = "sql")]
mod query;
pub mod recipe;
pub mod report;
pub mod reproduce;
pub mod synth;
mod table;
mod truthful;
mod utility;
mod verify;

pub use anonymize::{Outcome, RunOptions, anonymize};
pub use audit::{Audit, AuditOptions, Claim, Finding, audit};
pub use compare::{Comparison, compare};
pub use error::JobError;
pub use folders::custodian_of;
pub use manifest::{DataFile, Manifest, Promised};
pub use measure::{ReleaseMeasures, measure_file, measure_release};
#[cfg(feature = "sql")]
pub use query::{Cell, Guarantee, QueryAnswer, QueryColumn, QueryOptions, query};
pub use truthful::{Summary, write_truthful};
pub use verify::verify;
