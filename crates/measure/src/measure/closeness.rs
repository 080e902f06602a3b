//! t-closeness with the equal and the ordered distance.
//!
//! # Definition
//! t = max over classes of the earth mover's distance between the class's shares q and the table's shares p of
//! the m values that occur in the table.
//!
//! * equal distance: ½ Σ |q_i − p_i|.
//! * ordered distance: Σ_i |Σ_{j≤i} (q_j − p_j)| / (m − 1), values in canonical order; 0 for m = 1.
//!
//! # Errors
//! None. A table without classes has no t.
//!
//! # Complexity
//! * equal: O(cells) time. The positive and the negative differences have the same sum. So Σ over the values
//!   *of the class* with q > p is the whole distance, and what is absent from the class is never looked at.
//! * ordered: O(cells · log values + values) time. Between two values of the class the cumulated q stands still
//!   while the cumulated p climbs. So the run's terms change sign once: a binary search finds where, prefix
//!   sums of the cumulated p give both parts.
//!
//! O(values) memory for both. Both sums are of whole numbers (multiples of 1 / (n·|E|)) and exact up to the one
//! division at the end, while n²·values < 2^128.
//!
//! # References
//! N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007,
//! Section 4.
//!
//! # Deviations
//! None. The hierarchical distance needs a hierarchy, which a table alone does not have.

use crate::measure::Sensitive;
use crate::measure::grouped::{Totals, largest, size_of, times};

/// The least t for the equal distance. Range: 0 to 1 − 1/n.
///
/// ```
/// use velamen_measure::measure::{Sensitive, closeness::equal};
/// let s = Sensitive { classes: vec![vec![(0, 1), (1, 1)], vec![(1, 2)]], ..Sensitive::default() };
/// assert_eq!(equal(&s), Some(0.25));
/// ```
pub fn equal(sensitive: &Sensitive) -> Option<f64> {
    let totals = sensitive.totals();
    largest(sensitive.classes.iter().filter_map(|class| {
        let size = size_of(class);
        let surplus = class.iter().fold(0u128, |sum, &(code, count)| {
            let (here, expected) = (times(count, totals.all), times(totals.counts[code as usize], size));
            sum.saturating_add(here.saturating_sub(expected))
        });
        (size > 0).then(|| surplus as f64 / times(size, totals.all) as f64)
    }))
}

/// The least t for the ordered distance. Range: 0 to 1.
///
/// ```
/// use velamen_measure::measure::{Sensitive, closeness::ordered};
/// // Salaries 3 to 11, the first class of the paper's Table 3 holds 3, 4, 5.
/// let classes = [[0, 1, 2], [3, 5, 8], [4, 6, 7]].map(|codes| codes.map(|code| (code, 1)).to_vec());
/// let s = Sensitive { classes: classes.to_vec(), ..Sensitive::default() };
/// assert_eq!(ordered(&s), Some(0.375));
/// ```
pub fn ordered(sensitive: &Sensitive) -> Option<f64> {
    let totals = sensitive.totals();
    let climb = Climb::new(&totals);
    largest(sensitive.classes.iter().filter_map(|class| {
        let size = size_of(class);
        if size == 0 {
            return None;
        }
        let denominator = times(size, totals.all) as f64 * climb.steps() as f64;
        Some(climb.distance(class, size, totals.all) as f64 / denominator)
    }))
}

/// The table's cumulated counts of the values that occur, and their prefix sums.
struct Climb {
    /// Per code: how many occurring values have a smaller code.
    rank: Vec<usize>,
    /// Per rank: records up to and with this value. Ascending.
    cumulated: Vec<u64>,
    /// `prefix[i]` = sum of the first i of `cumulated`.
    prefix: Vec<u128>,
}

impl Climb {
    fn new(totals: &Totals) -> Self {
        let mut rank = Vec::with_capacity(totals.counts.len());
        let (mut cumulated, mut prefix) = (Vec::new(), vec![0u128]);
        let (mut records, mut sum) = (0u64, 0u128);
        for &count in &totals.counts {
            rank.push(cumulated.len());
            if count > 0 {
                records = records.saturating_add(count);
                sum += u128::from(records);
                cumulated.push(records);
                prefix.push(sum);
            }
        }
        Self { rank, cumulated, prefix }
    }

    /// m − 1, and 1 for m = 1, where every distance is 0.
    fn steps(&self) -> usize {
        self.cumulated.len().saturating_sub(1).max(1)
    }

    /// n·|E| times Σ |cumulated q − cumulated p|.
    fn distance(&self, class: &[(u32, u64)], size: u64, all: u64) -> u128 {
        let (mut from, mut here, mut sum) = (0, 0u64, 0u128);
        for &(code, count) in class.iter().filter(|&&(_, count)| count > 0) {
            let to = self.rank[code as usize].max(from);
            sum = sum.saturating_add(self.run(from, to, times(here, all), size));
            here = here.saturating_add(count);
            from = to;
        }
        sum.saturating_add(self.run(from, self.cumulated.len(), times(here, all), size))
    }

    /// Σ |level − cumulated·size| over the ranks from..to.
    fn run(&self, from: usize, to: usize, level: u128, size: u64) -> u128 {
        let split = from + self.cumulated[from..to].partition_point(|&records| times(records, size) <= level);
        let part = |from: usize, to: usize| {
            let climbed = (self.prefix[to] - self.prefix[from]).saturating_mul(u128::from(size));
            (level.saturating_mul((to - from) as u128), climbed)
        };
        let (below, above) = (part(from, split), part(split, to));
        below.0.saturating_sub(below.1).saturating_add(above.1.saturating_sub(above.0))
    }
}
