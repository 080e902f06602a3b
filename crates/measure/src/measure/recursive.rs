//! The c of recursive (c, l)-diversity.
//!
//! # Definition
//! A class whose counts in descending order are r1 ≥ r2 ≥ … ≥ rm is recursively (c, l)-diverse iff
//! r1 < c · (r_l + … + r_m). The figure is max over classes of r1 / (r_l + … + r_m): the table is recursively
//! (c, l)-diverse for every c *above* it. The least whole such c is its integer part plus one.
//!
//! # Parameters
//! l, by default the table's distinct l, the largest for which some c exists.
//!
//! # Errors
//! None. No c exists (`None`) for a class with fewer than l values, for l = 0, and for a table without classes.
//!
//! # Complexity
//! O(cells) expected time (selection, no sort), O(largest class's cells) memory.
//!
//! # References
//! A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity",
//! ACM Transactions on Knowledge Discovery from Data 1(1), 2007, Definition 4.2.
//!
//! # Deviations
//! None from the paper. For l = 1 the figure is α and says nothing new.

use std::cmp::Ordering;

use crate::measure::Sensitive;
use crate::measure::grouped::times;

/// r1 and r_l + … + r_m of the class that needs the largest c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ratio {
    /// Count of the class's most frequent value.
    pub first: u64,
    /// Counts from the l-th most frequent value on, summed; never 0.
    pub tail: u64,
}

impl Ratio {
    /// The bound that every allowed c exceeds. Range: above 0 to n − 1; to 1 for l = 1.
    pub fn c(self) -> f64 {
        self.first as f64 / self.tail as f64
    }

    /// The least allowed whole c. Range: 1 to n.
    pub fn whole_c(self) -> u64 {
        self.first / self.tail + 1
    }

    fn order(self, other: Self) -> Ordering {
        times(self.first, other.tail).cmp(&times(other.first, self.tail))
    }
}

/// The ratio that bounds c for this l, exact.
///
/// ```
/// use velamen_measure::measure::{Sensitive, recursive::ratio};
/// let s = Sensitive { classes: vec![vec![(0, 2), (1, 5), (2, 1)]], ..Sensitive::default() };
/// assert_eq!(ratio(&s, 2).map(|r| (r.first, r.tail)), Some((5, 3)));
/// assert_eq!(ratio(&s, 4), None);
/// ```
pub fn ratio(sensitive: &Sensitive, l: u64) -> Option<Ratio> {
    let skip = usize::try_from(l).ok()?.checked_sub(1)?;
    let mut counts = Vec::new();
    let mut worst: Option<Ratio> = None;
    for class in &sensitive.classes {
        counts.clear();
        counts.extend(class.iter().map(|&(_, count)| count).filter(|&count| count > 0));
        let here = of_class(&mut counts, skip)?;
        worst = Some(worst.filter(|seen| seen.order(here).is_ge()).unwrap_or(here));
    }
    worst
}

fn of_class(counts: &mut [u64], skip: usize) -> Option<Ratio> {
    if counts.len() <= skip {
        return None;
    }
    counts.select_nth_unstable_by(skip, |a, b| b.cmp(a));
    let first = counts[..=skip].iter().copied().max()?;
    let tail = counts[skip..].iter().fold(0, |sum: u64, &count| sum.saturating_add(count));
    Some(Ratio { first, tail })
}
