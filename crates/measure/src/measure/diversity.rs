//! Distinct and entropy l-diversity.
//!
//! # Definition
//! * distinct l = min over classes of the number of values. It is also the p of p-sensitive k-anonymity.
//! * entropy l = min over classes of exp(H), H = Σ q ln(1/q): the number of equally frequent values that would be
//!   as hard to guess. A real number; the table is entropy l-diverse for every l up to it, the largest whole one
//!   being its integer part.
//!
//! # Errors
//! None. A table without classes has neither.
//!
//! # Complexity
//! O(cells) time, O(1) memory. Where exp(H) comes within 1e-12 of a whole number, one factorisation by trial
//! division of every distinct count of that class more.
//!
//! # References
//! A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity",
//! ACM Transactions on Knowledge Discovery from Data 1(1), 2007, Definitions 3.2 and 4.1.
//!
//! # Deviations
//! None from the paper. The integer part is that of the true number, not of the rounded one: see [`Entropy`].

use std::collections::BTreeMap;

use crate::measure::Sensitive;
use crate::measure::grouped::{distinct_of, size_of};

/// The largest l of distinct l-diversity. Range: 1 to the number of values.
///
/// ```
/// use velamen_measure::measure::{Sensitive, diversity::distinct};
/// let s = Sensitive { classes: vec![vec![(0, 3), (1, 1)], vec![(2, 5)]], ..Sensitive::default() };
/// assert_eq!(distinct(&s), Some(1));
/// ```
pub fn distinct(sensitive: &Sensitive) -> Option<u64> {
    sensitive.classes.iter().map(|class| distinct_of(class)).filter(|&l| l > 0).min()
}

/// The largest l of entropy l-diversity.
///
/// In floating point, exp of the entropy of three equally frequent values may be just below 3. So a figure within
/// 1e-12 of a whole number l is decided in whole numbers: exp(H) = l iff |E|^|E| = l^|E| · Π count^count, that is
/// iff each prime occurs equally often on both sides. If equal, both figures are l; if not, the lower
/// neighbour is the integer part, for the side it lies on cannot be told and less is promised rather than more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entropy {
    /// exp(min H). Range: 1 to the number of values.
    pub l: f64,
    /// Its integer part.
    pub whole: u64,
}

/// Entropy l of the least diverse class.
///
/// ```
/// use velamen_measure::measure::{Sensitive, diversity::entropy};
/// let s = Sensitive { classes: vec![vec![(0, 7), (1, 7), (2, 7)]], ..Sensitive::default() };
/// assert_eq!(entropy(&s).map(|e| (e.l, e.whole)), Some((3.0, 3)));
/// ```
pub fn entropy(sensitive: &Sensitive) -> Option<Entropy> {
    let classes = sensitive.classes.iter().filter(|class| size_of(class) > 0);
    classes
        .map(|class| of_class(class))
        .reduce(|a, b| Entropy { l: a.l.min(b.l), whole: a.whole.min(b.whole) })
}

fn of_class(class: &[(u32, u64)]) -> Entropy {
    let size = size_of(class);
    let l = entropy_of(class, size).exp();
    let near = l.round();
    if (l - near).abs() > 1e-12 * near {
        return Entropy { l, whole: l as u64 };
    }
    let whole = near as u64;
    if is_exactly(class, size, whole) {
        Entropy { l: near, whole }
    } else {
        Entropy { l, whole: (whole - 1).max(1) }
    }
}

/// Σ q ln(1/q), summed with Neumaier's correction.
fn entropy_of(class: &[(u32, u64)], size: u64) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for &(_, count) in class.iter().filter(|&&(_, count)| count > 0) {
        let term = count as f64 / size as f64 * (size as f64 / count as f64).ln();
        let next = sum + term;
        lost += if sum >= term { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}

/// Whether exp(H) = l.
fn is_exactly(class: &[(u32, u64)], size: u64, l: u64) -> bool {
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for &(_, count) in class.iter().filter(|&&(_, count)| count > 0) {
        *counts.entry(count).or_default() += 1;
    }
    if counts.len() == 1 {
        return counts.values().next() == Some(&l);
    }
    let mut primes: BTreeMap<u64, i128> = BTreeMap::new();
    factor(size, i128::from(size), &mut primes);
    factor(l, -i128::from(size), &mut primes);
    for (&count, &values) in &counts {
        factor(count, -i128::from(count).saturating_mul(i128::from(values)), &mut primes);
    }
    primes.values().all(|&exponent| exponent == 0)
}

/// Adds `times` · (exponent of each prime in `number`).
fn factor(mut number: u64, times: i128, primes: &mut BTreeMap<u64, i128>) {
    let mut prime = 2;
    while prime <= number / prime {
        while number.is_multiple_of(prime) {
            number /= prime;
            *primes.entry(prime).or_default() += times;
        }
        prime += 1;
    }
    if number > 1 {
        *primes.entry(number).or_default() += times;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_counts(counts: &[u64]) -> Entropy {
        of_class(&counts.iter().map(|&count| (0, count)).collect::<Vec<_>>())
    }

    #[test]
    fn equally_frequent_values_give_their_number() {
        for m in 1..300usize {
            for count in [1, 7, 1000] {
                assert_eq!(of_counts(&vec![count; m]), Entropy { l: m as f64, whole: m as u64 });
            }
        }
    }

    #[test]
    fn a_whole_number_without_equal_counts_is_found() {
        assert_eq!(of_counts(&[4, 1, 1, 1, 1]), Entropy { l: 4.0, whole: 4 });
    }

    #[test]
    fn just_below_a_whole_number_is_below() {
        assert_eq!(of_counts(&[5_000_000_001, 4_999_999_999]).whole, 1);
        assert_eq!(of_counts(&[51, 49]).whole, 1);
    }
}
