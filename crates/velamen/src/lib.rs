//! Velamen as a library: a table and a recipe in, a certified release out.
//!
//! # A table in memory
//! ```
//! use std::sync::Arc;
//!
//! use velamen::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use velamen::recipe::{Definition, json};
//! use velamen::{Batches, Job, Recipe, RunOptions, Session};
//!
//! let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 33, 38, 52, 54, 57]));
//! let found: ArrayRef = Arc::new(StringArray::from(vec!["flu", "cold", "flu", "flu", "cold", "cold"]));
//! let batch = RecordBatch::try_from_iter([("age", ages), ("diagnosis", found)])?;
//!
//! let intervals = Definition::Interval { interval: vec![10.0, 20.0], min: 0.0, max: 99.0, decimals: 0 };
//! let recipe = Recipe::builder()
//!     .quasi_identifier("age", intervals)
//!     .sensitive("diagnosis")
//!     .privacy("k-anonymity", json!({ "k": 3 }))
//!     .method("optimal", json!({}))
//!     .build()?;
//! let recipe = recipe.over(Batches { schema: batch.schema(), batches: vec![batch] }).resolve()?;
//!
//! let (manifest, released) = Job::new()?.run(|context| {
//!     let mut table = Session::open(&recipe, &RunOptions::default(), context)?.read(context)?;
//!     let certified = table.search(context)?.in_memory(context)?.certify(context)?;
//!     Ok((certified.manifest().clone(), certified.batches()?))
//! })?;
//!
//! assert_eq!((manifest.records, manifest.classes), (6, 2));
//! let ages = released.batches[0].column_by_name("age").expect("a released column");
//! assert_eq!(ages.len(), 6);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//! The builder's parts are those of a recipe's file, and [`Recipe::in_memory`] takes the same as text.
//!
//! # A recipe's file
//! ```no_run
//! use std::path::Path;
//!
//! use velamen::{Job, Overrides, Recipe, RunOptions, anonymize};
//!
//! let recipe = Recipe::load(Path::new("recipe.toml"), &Overrides::default())?.resolve()?;
//! let outcome = Job::of(&recipe)?.run(|context| anonymize(&recipe, &RunOptions::default(), context))?;
//! println!("{} records in {}", outcome.manifest.records, outcome.release.display());
//! # Ok::<_, velamen::Error>(())
//! ```
//!
//! # The steps
//! [`Session`] opens a table, [`Loaded`] holds it for any number of searches, [`Searched`] is a decision, [`Made`] a
//! release that is written, [`Certified`] one that the checker passed. Only the last has outputs. [`Loaded::front`]
//! lists the releases that no other beats.
//!
//! A release's place is part of its type. One in [`Folders`] can be published:
//! ```
//! use velamen::{Certified, Context, Error, Folders};
//!
//! fn publish(certified: Certified<'_, Folders>, context: &Context<'_>) -> Result<(), Error> {
//!     certified.publish(context)
//! }
//! ```
//! One in [`Memory`] has no folder, and this does not compile:
//! ```compile_fail,E0599
//! use velamen::{Certified, Context, Error, Memory};
//!
//! fn publish(certified: Certified<'_, Memory>, context: &Context<'_>) -> Result<(), Error> {
//!     certified.publish(context)
//! }
//! ```
//! It has records and files, which one in folders has not:
//! ```compile_fail,E0599
//! use velamen::{Batches, Certified, Error, Folders};
//!
//! fn records(certified: Certified<'_, Folders>) -> Result<Batches, Error> {
//!     certified.batches()
//! }
//! ```
//!
//! # Features
//! Without features the library reads and writes CSV, TSV, NDJSON and Arrow, plain or packed with gzip, and makes, checks and
//! publishes releases without a page. What a build was made without is refused with the name of the feature:
//!
//! | feature | what it adds |
//! | --- | --- |
//! | `reports` | `report.html` in a release, the page of its custodian, and checking a page |
//! | `parquet`, `workbooks`, `zstd`, `encodings` | formats, packing and text of these kinds |
//! | `signatures` | `sign`: keys, signatures and attestations |
//! | `assess` | `assess`: profile, risk, attacks, comparison, with `reports` and `signatures` |
//! | `database` | PostgreSQL and SQLite |
//! | `full` | all of these but `database` |
//!
//! Nothing here prints, draws from a global generator, or shows a cell of the data in an error.

/// The page about the library, whose example must compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub struct Guide;

#[cfg(feature = "assess")]
pub mod assess;
pub mod recipe;
pub mod registries;

pub use arrow_array;
pub use arrow_schema;
pub use velamen_checker::{Finding, State};
pub use velamen_core::context::{Context, Progress, Silent};
pub use velamen_core::lattice::Node;
pub use velamen_dp::Seed;
pub use velamen_engine::source::Batches;
#[cfg(feature = "signatures")]
pub use velamen_job::sign;
pub use velamen_job::{
    After, Certified, Check, CheckOptions, ClassRecords, Folders, Front, FrontEvent, HeldTable, Job, Kept,
    Loaded, Made, Memory, Outcome, RunOptions, Searched, Session, Solution, anonymize, check, conclusion,
    records, verify,
};
pub use velamen_recipe::{
    Class, Code, JobError as Error, Mistake, Overrides, Recipe, RecipeBuilder, Resolved,
};
pub use velamen_report::Manifest;
