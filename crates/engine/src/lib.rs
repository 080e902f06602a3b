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
mod hint;
mod limit;
mod short;
pub mod sink;
mod sketch;
pub mod source;
mod survey;

pub use dictionary::{ColumnRequest, Outside};
pub use error::{DataProblem, EngineError, Lacks, Place, Unlisted};
pub use format::{Compression, FileFormat, Format};
pub use hint::Hint;
pub use limit::Most;
pub use sketch::STANDARD_ERROR;
pub use survey::{Survey, SurveyedColumn};
