//! Velamen as a library: a table and a recipe in, a certified release out.
//!
//! # A table in memory
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use velamen::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use velamen::{Batches, Job, Recipe, Session};
//!
//! let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 33, 38, 52, 54, 57]));
//! let found: ArrayRef = Arc::new(StringArray::from(vec!["flu", "cold", "flu", "flu", "cold", "cold"]));
//! let batch = RecordBatch::try_from_iter([("age", ages), ("diagnosis", found)])?;
//!
//! let recipe = Recipe::in_memory(r#"
//!     [attributes.age]
//!     role = "quasi-identifier"
//!     hierarchy = { interval = [10, 20], min = 0, max = 99 }
//!     [attributes.diagnosis]
//!     role = "sensitive"
//!     [[privacy]]
//!     model = "k-anonymity"
//!     k = 3
//!     [method]
//!     name = "optimal"
//! "#)?;
//! let recipe = recipe.over(Batches { schema: batch.schema(), batches: vec![batch] }).resolve(Path::new("recipe"))?;
//!
//! let (manifest, released) = Job::new()?.run(|context| {
//!     let mut table = Session::open(&recipe, Path::new("recipe"), false, context)?.read(context)?;
//!     let certified = table.search(context)?.in_memory(context)?.certify(context)?;
//!     Ok((certified.manifest().clone(), certified.batches()?))
//! })?;
//!
//! assert_eq!((manifest.records, manifest.classes), (6, 2));
//! let ages = released.batches[0].column_by_name("age").expect("a released column");
//! assert_eq!(ages.len(), 6);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # A recipe's file
//! ```no_run
//! use std::path::Path;
//!
//! use velamen::{Job, Overrides, Recipe, RunOptions, anonymize};
//!
//! let path = Path::new("recipe.toml");
//! let recipe = Recipe::load(path, &Overrides::default())?.resolve(path)?;
//! let outcome = Job::of(&recipe)?.run(|context| anonymize(&recipe, path, &RunOptions::default(), context))?;
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
//! Nothing here prints, draws from a global generator, or shows a cell of the data in an error.

pub use arrow_array;
pub use arrow_schema;
pub use velamen_checker::{Finding, State};
pub use velamen_core::context::{Context, Progress, Silent};
pub use velamen_core::lattice::Node;
pub use velamen_dp::Seed;
pub use velamen_engine::source::Batches;
pub use velamen_job::{
    After, Certified, ClassRecords, Folders, Front, FrontEvent, HeldTable, Job, Kept, Loaded, Made, Memory,
    Outcome, RunOptions, Searched, Session, Solution, anonymize, conclusion, records, verify,
};
pub use velamen_recipe::{Class, Code, JobError as Error, Mistake, Overrides, Recipe, Resolved};
pub use velamen_report::Manifest;
