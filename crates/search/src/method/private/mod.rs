//! Methods with differential privacy, published or our own.

pub mod aim;
pub mod contingency_table;
pub mod diffgen;
#[cfg(test)]
mod door_tests;
mod doorway;
pub mod dsat;
mod invented;
pub mod ipa;
pub mod mst;
mod noisy_counts;
pub mod safe_pub;
