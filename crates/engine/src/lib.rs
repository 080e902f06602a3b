//! Tables in and out, in process: files of several formats, or Arrow batches in memory, to a frequency table;
//! releases to files, or to bytes in memory.
//!
//! Reading encodes cells straight to dictionary codes on all cores and counts distinct
//! combinations, so memory follows these and not the rows.

mod combine;
mod derive;
mod dictionary;
mod encode;
mod error;
mod fault;
pub mod format;
pub mod formula;
mod grouper;
mod guard;
mod hint;
mod limit;
mod packing;
mod rewrite;
mod scratch;
mod short;
mod sieve;
pub mod sink;
mod sketch;
pub mod source;
mod survey;
mod tally;
mod worker;

pub use derive::Derived;
pub use dictionary::{ColumnRequest, Outside};
pub use error::{DataProblem, EngineError, Lacks, Place, SHOW_VALUES, Unlisted};
pub use format::FileFormat;
pub use guard::guarded;
pub use hint::Hint;
pub use limit::Most;
pub use packing::{Compression, most_unpacked};
pub use scratch::Scratch;
pub use sieve::{CellTest, Condition, KeptRecords};
pub use sketch::STANDARD_ERROR;
pub use survey::{Survey, SurveyedColumn};
pub use worker::Worker;
