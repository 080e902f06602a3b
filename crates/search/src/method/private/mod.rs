//! Methods with differential privacy, published or our own.

pub mod contingency_table;
pub mod ipa;
mod noisy_counts;
pub mod safe_pub;
