//! Jobs: a recipe is parsed, planned, run and reported here. Front ends hold no rules.

mod attack;
mod audit;
mod budget;
mod catalog;
pub mod chart;
#[cfg(feature = "cluster")]
mod cluster;
pub mod compare;
pub mod database;
pub mod demo;
mod engine;
mod error;
pub mod estimate;
mod flat;
mod folders;
pub mod hierarchy;
mod identifier_like;
mod identity;
mod last;
pub mod leak;
mod manifest;
mod matching;
mod measure;
mod nearly_unique;
mod output_file;
mod outputs;
mod preset;
pub mod profile;
mod public_report;
mod published;
#[cfg(feature = "sql")]
mod query;
pub mod recipe;
pub mod report;
pub mod reproduce;
pub mod risk;
mod safe_harbor;
mod session;
pub mod synth;
mod table;
mod truthful;
mod utility;
mod verify;

pub use attack::{Attack, AttackOptions, AttackRequest, Attacks, Repeated, attack};
pub use audit::{Audit, AuditOptions, Claim, Finding, Kept, Tables, audit, empty_folder};
pub use budget::{Account, Ledger, LedgerEntry};
#[cfg(feature = "cluster")]
pub use cluster::{run_executor, run_scheduler};
pub use compare::{CompareOptions, Comparison, Section, compare};
pub use error::JobError;
pub use manifest::{DataFile, Manifest, Promised};
pub use measure::{ReleaseMeasures, measure_file, measure_release};
pub use outputs::refuse_dash;
pub use public_report::write_report;
#[cfg(feature = "sql")]
pub use query::{Cell, Guarantee, QueryAnswer, QueryColumn, QueryOptions, query};
pub use recipe::custodian_of;
pub use session::{
    Certified, Front, FrontEvent, Loaded, Made, Outcome, RunOptions, Searched, Session, Solution, anonymize,
};
pub use truthful::{Summary, write_truthful};
#[cfg(feature = "cluster")]
pub use velamen_cluster::{Executor, Node, Scheduler};
pub use verify::{conclusion, verify};
