//! What is said of tables and releases that are there: profile, risk, measure, attack, compare, leak, diff, audit, evidence.
//!
//! ```
//! use std::sync::Arc;
//!
//! use velamen::arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use velamen::assess::ReadOptions;
//! use velamen::assess::risk::{RiskRequest, risk};
//! use velamen::{Batches, Job};
//!
//! let ages: ArrayRef = Arc::new(Int64Array::from(vec![31, 31, 52, 52, 57]));
//! let sexes: ArrayRef = Arc::new(StringArray::from(vec!["F", "F", "M", "M", "F"]));
//! let batch = RecordBatch::try_from_iter([("age", ages), ("sex", sexes)])?;
//! let request = RiskRequest {
//!     table: Batches { schema: batch.schema(), batches: vec![batch] }.into(),
//!     read: ReadOptions::default(),
//!     qis: vec!["age".into(), "sex".into()],
//!     person: None,
//!     population: None,
//!     before: None,
//!     threshold: None,
//!     special_uniques: 0,
//!     rows: 0,
//!     show_values: false,
//! };
//! let found = Job::new()?.run(|context| risk(&request, context))?;
//! assert_eq!((found.figures.classes, found.figures.uniques), (3, 1));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

pub use velamen_assess::*;
pub use velamen_engine::source::ReadOptions;
pub use velamen_recipe::Origin;
