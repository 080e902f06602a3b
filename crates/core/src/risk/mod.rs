//! Attacks on what we publish, and estimates of risk.

pub mod audit;
pub mod minimality;
pub mod uniqueness;
