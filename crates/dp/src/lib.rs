//! The randomness that protects: a seed, independent streams of a cryptographically secure
//! generator (ChaCha20), and samplers that are exact (integer arithmetic, no floating point).
//!
//! A leaf of the workspace: nothing here knows of tables, models or methods.

mod sample;
mod seed;

pub use sample::{Empirical, TruncatedGeometric, below};
pub use seed::{Seed, SeedError, Stream};
