//! The heart of Velamen: methods, models, metrics and the checker.
//!
//! Pure functions of a [`FrequencyTable`](frequency::FrequencyTable), parameters and a seed. This
//! crate never reads a file, asks the clock, prints, or draws from global randomness; equal inputs
//! give equal results on any number of threads.

pub mod answer;
pub mod attribute;
pub mod classes;
pub mod context;
pub mod doubts;
pub mod fidelity;
pub mod frequency;
pub mod hierarchy;
pub mod key;
pub mod label;
pub mod lattice;
pub mod measure;
pub mod method;
pub mod metric;
pub mod model;
pub mod noisy;
pub mod plan;
pub mod population;
pub mod profile;
pub mod recoding;
pub mod registry;
pub mod release;
pub mod risk;
pub mod safe_pub;
pub mod sample;
mod streams;
pub mod uniqueness;
pub mod written;
