//! What the rest of Velamen talks about: tables of codes, hierarchies, lattice nodes, classes, plans and releases.
//!
//! Nothing here searches, judges or measures. This crate never reads a file, asks the clock, prints, or draws from
//! global randomness; equal inputs give equal results on any number of threads.

pub mod attribute;
pub mod classes;
pub mod context;
mod counterfeits;
pub mod derived;
pub mod doubts;
pub mod earlier;
pub mod error;
pub mod frequency;
pub mod hierarchy;
pub mod impossible;
pub mod key;
pub mod label;
pub mod lattice;
pub mod number;
pub mod people;
pub mod plan;
pub mod population;
pub mod recoding;
pub mod registry;
pub mod release;
pub mod safe_pub;
pub mod sample;
pub mod step;
pub mod streams;
pub mod uniqueness;
pub mod written;
