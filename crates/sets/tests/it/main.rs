//! The crate from outside: results beside their definitions.

mod apriori;
mod betrayed;
mod brute_force;
mod tables;
