//! Methods that generalize for shields and keep as many distinct rows as they can.

pub(in crate::method) mod exhaustive_rows;
pub(in crate::method) mod greedy;
pub mod iab;
