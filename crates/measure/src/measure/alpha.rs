//! The α of (α, k)-anonymity.
//!
//! # Definition
//! α = max over classes E and values s of |{records of E with s}| / |E|: the surest guess that membership of a
//! class allows. The table is (α, k)-anonymous for this α and every larger one, and k as in
//! [`crate::measure::class_size`].
//!
//! # Errors
//! None. A table without classes has no α.
//!
//! # Complexity
//! O(cells) time, O(1) memory.
//!
//! # References
//! R. Wong, J. Li, A. Fu, K. Wang, "(α, k)-anonymity: an enhanced k-anonymity model for privacy-preserving data
//! publishing", KDD 2006, Definitions 2 and 3.
//!
//! # Deviations
//! The paper bounds one sensitive value and names the bound on every value the general model; this is the
//! general one.

use crate::measure::Sensitive;
use crate::measure::grouped::{largest, size_of};

/// The least α. Range: 1 / values to 1.
///
/// ```
/// use velamen_measure::measure::{Sensitive, alpha::alpha};
/// let s = Sensitive { classes: vec![vec![(0, 3), (1, 1)], vec![(1, 5), (2, 5)]], ..Sensitive::default() };
/// assert_eq!(alpha(&s), Some(0.75));
/// ```
pub fn alpha(sensitive: &Sensitive) -> Option<f64> {
    largest(sensitive.classes.iter().filter_map(|class| {
        let most = class.iter().map(|&(_, count)| count).max().filter(|&most| most > 0)?;
        Some(most as f64 / size_of(class) as f64)
    }))
}
