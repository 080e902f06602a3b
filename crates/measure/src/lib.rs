//! Figures of tables and releases: risks and attacks, privacy measures, fidelity, profiles of columns, answers with bounds.
//!
//! Pure functions of what they are given, without models, metrics and methods: what is measured does not hang on how
//! it was made.

pub mod answer;
mod error_bar;
pub mod fidelity;
pub mod measure;
pub mod profile;
pub mod risk;

pub use error_bar::ErrorBars;
