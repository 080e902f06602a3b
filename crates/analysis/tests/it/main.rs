//! Tests of the crate from outside.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]
#![allow(clippy::excessive_precision, reason = "figures stand as R printed them")]

mod against_r;
mod laws;
