//! The run: a recipe's table is read, searched, released, read back, checked and published; a release is verified.

mod after;
mod budget;
pub mod catalog;
#[cfg(feature = "cluster")]
mod cluster;
pub mod database;
mod engine;
pub mod estimate;
pub mod flat;
mod folders;
pub mod hierarchy;
mod identifier_like;
mod identity;
mod impossible;
mod last;
pub mod output_file;
pub mod outputs;
mod pool;
mod preset;
mod public_report;
pub mod published;
mod safe_harbor;
pub mod session;
pub mod table;
pub mod truthful;
pub mod utility;
mod verify;

pub use after::After;
pub use budget::{Account, Ledger, LedgerEntry};
#[cfg(feature = "cluster")]
pub use cluster::{run_executor, run_scheduler};
pub use folders::Folders;
pub use outputs::refuse_dash;
pub use pool::Job;
pub use public_report::write_report;
pub use session::{
    Certified, ClassRecords, Front, FrontEvent, Kept, Loaded, Made, Outcome, RunOptions, Searched, Session,
    Solution, anonymize,
};
pub use truthful::{Summary, write_truthful};
#[cfg(feature = "cluster")]
pub use velamen_cluster::{Executor, Node, Scheduler};
pub use verify::{conclusion, verify};
