//! Tables in and out, from outside: one binary, a module for each thing that is guarded.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod common;
mod derived;
mod faults;
mod in_memory;
mod lists;
mod round_trip;
mod sieve;
mod workbooks;
