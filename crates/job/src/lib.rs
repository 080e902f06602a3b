//! Jobs: a recipe is parsed, planned, run and reported here. Front ends hold no rules.

mod anonymize;
mod catalog;
pub mod chart;
pub mod demo;
mod error;
mod folders;
mod manifest;
mod measure;
mod output_file;
pub mod recipe;
pub mod report;
pub mod reproduce;
pub mod synth;
mod table;
mod truthful;
mod verify;

pub use anonymize::{Outcome, RunOptions, anonymize};
pub use error::JobError;
pub use folders::custodian_of;
pub use manifest::{DataFile, Manifest, Promised};
pub use measure::measure_file;
pub use truthful::{Summary, write_truthful};
pub use verify::verify;
