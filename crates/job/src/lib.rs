//! The run: a recipe's table is read, searched, released, read back, checked and published; a release is verified.

mod active;
mod after;
#[cfg(feature = "signatures")]
pub mod attestation;
mod budget;
pub mod catalog;
mod check;
mod checksums;
#[cfg(feature = "cluster")]
mod cluster;
mod conditions;
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
mod litter;
mod original;
pub mod output_file;
pub mod outputs;
pub mod person_numbers;
mod pool;
mod preset;
#[cfg(feature = "reports")]
mod public_report;
pub mod published;
mod recipients;
mod records;
mod safe_harbor;
pub mod session;
#[cfg(feature = "signatures")]
pub mod sign;
mod spellings;
pub mod table;
pub mod truthful;
pub mod utility;
mod verify;

pub use active::{has_formula, in_file, in_page};
pub use after::{After, read_as_then};
pub use budget::{Account, Ledger, LedgerEntry};
pub use check::{Check, CheckOptions, CheckReport, check};
pub use checksums::{SIGNATURE, SUMS, files_finding, sha256, write_sums};
#[cfg(feature = "cluster")]
pub use cluster::{certificates, run_executor, run_scheduler};
pub use folders::{CUSTODIAN_FILE, Folders};
pub use identity::SecretKey;
pub use original::original_of;
pub use outputs::refuse_dash;
pub use pool::Job;
#[cfg(feature = "reports")]
pub use public_report::{replace_page, write_report};
pub use records::{records, records_of};
pub use safe_harbor::AttributeUnderRule;
pub use session::{
    Certified, CheckedData, ClassPeople, ClassRecords, Front, FrontEvent, HeldTable, Kept, Left, LeftOf,
    Loaded, Made, Memory, Outcome, Paired, PairedColumn, PairedRow, RunOptions, Searched, Session, Solution,
    anonymize,
};
pub use truthful::{Summary, write_truthful};
#[cfg(feature = "cluster")]
pub use velamen_cluster::{Executor, Issued, ListeningNode, Protection, Scheduler};
pub use verify::recorded::{self, MANIFEST as RECORDED};
pub use verify::{Beside, conclusion, verify, verify_with};
