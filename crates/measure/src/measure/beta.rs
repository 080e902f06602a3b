//! Basic and enhanced β-likeness.
//!
//! # Definition
//! With q a value's share in a class and p its share in the table, its gain is (q − p) / p. Basic β-likeness
//! asks gain ≤ β, enhanced β-likeness gain ≤ min(β, −ln p), of every value with q > p in every class.
//!
//! * basic β = max gain, 0 if no class shows a value more often than the table does.
//! * enhanced β = basic β, if every value with q > p has gain ≤ −ln p; no β otherwise. The second bound does not
//!   depend on β, so a table that breaks it is enhanced β-like for no β at all.
//!
//! # Errors
//! None. A table without classes has no β.
//!
//! # Complexity
//! O(cells) time, O(values) memory. The gain (count·n − total·|E|) / (total·|E|) is computed from whole numbers.
//!
//! # References
//! J. Cao, P. Karras, "Publishing microdata with a robust privacy guarantee", PVLDB 5(11), 2012, Definitions 2
//! and 3.
//!
//! # Deviations
//! None from the paper. The paper asks β > 0; 0 here says that every β > 0 holds.

use crate::measure::Sensitive;
use crate::measure::grouped::{Totals, largest, size_of, times};

/// The least β of basic β-likeness. Range: 0 to n − 1.
///
/// ```
/// use velamen_measure::measure::{Sensitive, beta::basic};
/// let s = Sensitive { classes: vec![vec![(0, 1), (1, 1)], vec![(1, 2)]], ..Sensitive::default() };
/// assert_eq!(basic(&s), Some(1.0)); // value 0: a half against a quarter
/// ```
pub fn basic(sensitive: &Sensitive) -> Option<f64> {
    let totals = sensitive.totals();
    let best = largest(gains(sensitive, &totals).map(|gain| gain.gain));
    best.or_else(|| (totals.all > 0).then_some(0.0))
}

/// The least β of enhanced β-likeness, `None` also where no β holds. Range: 0 to −ln min p.
pub fn enhanced(sensitive: &Sensitive) -> Option<f64> {
    let totals = sensitive.totals();
    let held = gains(sensitive, &totals).all(|gain| gain.gain <= gain.ceiling);
    if held { basic(sensitive) } else { None }
}

struct Gain {
    /// (q − p) / p.
    gain: f64,
    /// −ln p.
    ceiling: f64,
}

/// Of every value in every class that shows it more often than the table.
fn gains<'a>(sensitive: &'a Sensitive, totals: &'a Totals) -> impl Iterator<Item = Gain> + 'a {
    sensitive.classes.iter().flat_map(move |class| {
        let size = size_of(class);
        class.iter().filter_map(move |&(code, count)| {
            let total = totals.counts[code as usize];
            let (here, expected) = (times(count, totals.all), times(total, size));
            (here > expected).then(|| Gain {
                gain: (here - expected) as f64 / expected as f64,
                ceiling: (totals.all as f64 / total as f64).ln(),
            })
        })
    })
}
