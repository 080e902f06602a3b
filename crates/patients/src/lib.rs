//! Linked tables: from a folder and a recipe to a release in which persons are protected over all tables.
//!
//! ```text
//! folder + recipe ─► Plan ─► rows in memory ─► person columns ─► rules until nothing is removed ─► tables ─► checker ─► publish
//! ```
//! What is promised and how it is kept: `docs/linked-tables.md`.

mod archive;
mod attack;
mod beside;
mod by_person;
mod checked;
mod compact;
mod days;
mod documents;
mod estimate;
mod fhir;
mod figures;
mod filed;
mod formats;
mod humans;
mod icd10;
mod identifier_like;
mod keep;
mod key_texts;
mod loaded;
mod looks;
mod outline;
mod persons;
mod plan;
mod profile;
pub mod recipe;
mod release;
mod risk;
mod run;
mod several;
mod shape;
mod shared_days;
mod shown;
mod stop;
mod uuid;
mod verify;
mod written;

pub use archive::entries_of_zip;
pub use attack::{AttackAsked, Found, LinkedAttack, MOST_TARGETS, Targets, Traces, attack};
pub use documents::{check_meaning, check_title, plain, summary};
pub use estimate::{EstimatedBy, KeptShare, LinkedEstimate, estimate};
pub use figures::{LinkedFigures, figures};
pub use outline::{Outline, TableOutline, outline};
pub use plan::Plan;
pub use profile::{FolderColumn, FolderProfile, TableProfile, profile};
pub use recipe::{LinkedRecipe, given_file, is_linked};
pub use risk::{AloneShares, LinkedRisk, risk_of_recipe, risk_of_release};
pub use run::{Outcome, Survived, anonymize, check};
pub use shape::shape_of;
pub use verify::{load, verify, verify_with, write_report};
