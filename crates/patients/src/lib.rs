//! Linked tables: from a folder and a recipe to a release in which persons are protected over all tables.
//!
//! ```text
//! folder + recipe ─► Plan ─► rows in memory ─► person columns ─► rules until nothing is removed ─► tables ─► checker ─► publish
//! ```
//! What is promised and how it is kept: `docs/linked-tables.md`.

mod attack;
mod beside;
mod days;
mod documents;
mod figures;
mod keep;
mod loaded;
mod persons;
mod plan;
mod profile;
pub mod recipe;
mod release;
mod run;
mod shape;
mod verify;

pub use attack::{AttackAsked, Found, LinkedAttack, MOST_TARGETS, Targets, Traces, attack};
pub use documents::summary;
pub use figures::{LinkedFigures, figures};
pub use plan::Plan;
pub use profile::{FolderColumn, FolderProfile, TableProfile, profile};
pub use recipe::{LinkedRecipe, given_file, is_linked};
pub use run::{Outcome, Survived, anonymize, check};
pub use verify::{load, verify, verify_with};
