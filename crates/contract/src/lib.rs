//! What a release promises, as types that all who make, write, read and check a release share.
//!
//! Data only: nothing here searches, judges, measures or reads a file. A parameter of a promise is read by its name here
//! and nowhere else, so that whoever asks for it asks by a type.

mod asked_for;
mod cells;
mod language;
pub mod linked;
pub mod manifest;
mod measurements;
pub mod metric;
pub mod model;
mod promised;
mod promises;
mod reconstruction;
mod spent;
mod statement;

pub use asked_for::{AskedFor, Parameters, asked_for};
pub use cells::{CUTS, EACH, EachStated, HISTOGRAMS, HistogramSeries, INFORMATIVE, step_of};
pub use language::Language;
pub use measurements::{ChosenSet, MEASUREMENTS, MeasuredTable, Measurements, PERSON, RECORD, UNIT};
pub use promised::Promised;
pub use promises::{Noise, PlacedCounterfeits, PopulationRows, PromisedAttribute, Promises};
pub use spent::Spent;
pub use statement::{CounterfeitLimits, Limits, Statement, Unlimited};
