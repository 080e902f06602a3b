//! Measures against other figures: one binary, a module for each thing that is guarded.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

mod measure_oracle;
mod measure_pycanon;
mod measure_shape;
mod people;
mod simulated_populations;
mod table;
