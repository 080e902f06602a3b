//! What an analyst estimates from a table, and how far the estimates of two tables agree.
//!
//! A leaf: it knows columns of numbers, weights and counts, and nothing of tables, releases or files. Every function is
//! deterministic. The figures are compared with those of R in the tests; `tests/reference.R` holds the R code.

mod agreement;
mod cox;
mod design;
mod estimate;
mod formula;
mod groups;
mod linear;
mod logistic;
mod matrix;
mod pool;
mod special;
mod survival;

pub use agreement::{Agreement, overlap};
pub use cox::{Ties, cox};
pub use design::{Column, INTERCEPT, Records};
pub use estimate::{Estimate, NotEstimable, Scale};
pub use formula::{Formula, FormulaError, Outcome, Term};
pub use groups::{correlation, difference_of_means, difference_of_proportions, mean, odds_ratio, proportion};
pub use linear::linear;
pub use logistic::logistic;
pub use pool::pooled;
pub use survival::kaplan_meier;
