//! The checker from outside: one binary, a module for each thing that is guarded.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod property_hierarchies;
mod shared;
