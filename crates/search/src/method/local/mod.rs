//! Methods whose classes have released values of their own.

pub mod clustering;
pub mod mdav;
pub mod mondrian;
