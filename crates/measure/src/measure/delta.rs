//! δ-disclosure privacy.
//!
//! # Definition
//! With q a value's share in a class and p its share in the table, δ-disclosure privacy asks |log2(q / p)| < δ of
//! every value present in the class. The figure is the largest |log2(q / p)|: the model holds for every δ *above*
//! it, not for δ itself.
//!
//! # Errors
//! None. A table without classes has no δ.
//!
//! # Complexity
//! O(cells) time, O(values) memory.
//!
//! # References
//! J. Brickell, V. Shmatikov, "The cost of privacy: destruction of data-mining utility in anonymized data
//! publishing", KDD 2008, Definition 2.
//!
//! # Deviations
//! The paper speaks of every value of the table, so that a value absent from one class makes δ infinite; as
//! everywhere in the field, absent values are left out. The strict reading has a finite δ iff distinct l equals
//! the number of values. The paper leaves the base of the logarithm open: 2 here.

use crate::measure::Sensitive;
use crate::measure::grouped::{largest, size_of, times};

/// The bound that every allowed δ exceeds. Range: 0 to log2 n.
///
/// ```
/// use velamen_measure::measure::{Sensitive, delta::delta};
/// let s = Sensitive { classes: vec![vec![(0, 1), (1, 1)], vec![(1, 2)]], ..Sensitive::default() };
/// assert_eq!(delta(&s), Some(1.0)); // value 0: a half against a quarter
/// ```
pub fn delta(sensitive: &Sensitive) -> Option<f64> {
    log_ratio(sensitive, f64::log2)
}

/// The largest |log(q / p)| for a logarithm.
pub(crate) fn log_ratio(sensitive: &Sensitive, log: fn(f64) -> f64) -> Option<f64> {
    let totals = sensitive.totals();
    largest(sensitive.classes.iter().flat_map(|class| {
        let size = size_of(class);
        let totals = &totals;
        class.iter().filter(|&&(_, count)| count > 0).map(move |&(code, count)| {
            let (here, expected) = (times(count, totals.all), times(totals.counts[code as usize], size));
            log(here as f64 / expected as f64).abs()
        })
    }))
}
