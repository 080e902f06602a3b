//! The privacy parameters that any table satisfies.
//!
//! # Summary
//! A check of a model asks "does this table hold for k = 5?". This module answers the question the other way
//! round: which k, α, l, c, t, β and δ does the table hold for? It takes any table, released by this program or
//! by another, as sizes and counts only: what the values say does not matter, their order does.
//!
//! # Parameters
//! [`Grouped`]: the size of every equivalence class and, per sensitive attribute, the counts of its values in
//! every class. [`Options`]: the l of recursive (c, l)-diversity.
//!
//! # Returns
//! [`Measures`]: plain data, serialised in kebab-case. Every figure is an `Option` that is `None` where no
//! number is right (an empty table, a c that no table of this shape can have); JSON shows `null`.
//!
//! # Errors
//! None: no input makes [`measure`] fail or panic. What makes a [`Grouped`] meaningless is found by
//! [`Grouped::check`].
//!
//! # Complexity
//! A *cell* is one (class, value) pair that occurs. All measures together take O(cells · log values) time, and
//! O(values + largest class's cells) memory beyond the input.
//!
//! # Example
//! ```
//! use velamen_measure::measure::{Grouped, Options, Sensitive, measure};
//!
//! // Two classes of 3 and 2 records; flu, flu, hiv and flu, hiv.
//! let diagnosis = Sensitive {
//!     name: "diagnosis".into(),
//!     values: vec!["flu".into(), "hiv".into()],
//!     numeric: false,
//!     classes: vec![vec![(0, 2), (1, 1)], vec![(0, 1), (1, 1)]],
//!     ..Sensitive::default()
//! };
//! let grouped = Grouped { sizes: vec![3, 2], sensitive: vec![diagnosis], ..Grouped::default() };
//! let measures = measure(&grouped, &Options::default());
//! assert_eq!(measures.k, Some(2));
//! let diagnosis = &measures.sensitive[0];
//! assert_eq!(diagnosis.alpha, Some(2.0 / 3.0));
//! assert_eq!(diagnosis.distinct_l, Some(2));
//! assert_eq!(diagnosis.recursive_c, Some(2.0)); // 2 flu against 1 hiv
//! ```
//!
//! # References
//! Each file names the paper of its measure. The figures that an independent checker computes are in
//! [`pycanon`].
//!
//! # Deviations
//! Listed in `docs/methods/measure.md`, measure by measure.

pub mod alpha;
mod attribute;
pub mod beta;
pub mod class_size;
pub mod closeness;
pub mod delta;
pub mod diversity;
mod explain;
mod grouped;
pub mod information;
mod measures;
mod people;
pub mod pycanon;
pub mod recursive;

pub use attribute::{AttributeMeasures, Options};
pub use explain::explain;
pub use grouped::{Grouped, Inconsistent, Pairs, Sensitive};
pub use measures::{Measures, measure};
