//! What is said of tables and releases that are there: profile, compare, diff, query, risk, attack, audit, leak, measure.

pub mod advise;
mod attack;
mod audit;
pub mod compare;
mod counted;
pub mod diff;
pub mod evidence;
pub mod guide;
mod information;
pub mod leak;
mod measure;
pub mod operation;
pub mod profile;
#[cfg(feature = "sql")]
mod query;
pub mod risk;

pub use attack::{Attack, AttackOptions, AttackRequest, Attacks, Repeated, attack};
pub use audit::{
    Audit, AuditOptions, Claim, Finding, Inside, KeptTables, Tables, Unlike, audit, empty_folder,
};
pub use compare::{CompareOptions, Comparison, Section, compare};
pub use information::{Against, Information, Told, information};
pub use measure::{ReleaseMeasures, measure_release, measure_table};
#[cfg(feature = "sql")]
pub use query::{AnswerCell, Guarantee, QueryAnswer, QueryColumn, QueryOptions, query};
