//! How tables write numbers, dates and what is missing.

pub mod dates;
pub mod missing;
pub mod number;
