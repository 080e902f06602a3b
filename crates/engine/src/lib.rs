//! Tables in and out, in process: files of several formats to a frequency table, releases to files.
//!
//! Reading encodes cells straight to dictionary codes on all cores and counts distinct
//! combinations, so memory follows these and not the rows.

mod combine;
mod dictionary;
mod encode;
mod error;
mod format;
pub mod formula;
mod grouper;
mod limit;
mod short;
pub mod sink;
mod sketch;
pub mod source;
mod survey;

pub use dictionary::ColumnRequest;
pub use error::{DataProblem, EngineError, Place};
pub use format::{Compression, FileFormat, Format};
pub use limit::Most;
pub use sketch::STANDARD_ERROR;
pub use survey::{Survey, SurveyedColumn};
