//! The crate from outside: results beside their definitions.

mod brute_force;
mod tables;
