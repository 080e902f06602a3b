//! A distribution over many attributes that follows noisy counts of few of them at a time, and records drawn from it.
//!
//! Attributes are numbers, values are codes from 0: nothing here knows of tables with names, methods or budgets. Sums run in a
//! fixed order, and exponentials and logarithms are those of one crate in Rust: equal measurements give equal records on
//! every platform and any number of threads.

mod across;
mod agreed;
mod block;
mod carried;
mod fit;
mod grown;
mod margin;
mod measurement;
mod model;
mod records;
mod station;
mod tree;
mod wright;

pub use fit::Fit;
pub use grown::Grown;
pub use measurement::Measurement;
pub use model::Model;
pub use records::{draw, in_proportion, shuffle};
pub use tree::{Set, cells, cliques};
