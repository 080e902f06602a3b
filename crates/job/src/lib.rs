//! job
pub mod chart;
pub mod report;
