//! A random sample of records, of which only large classes are given.

use std::collections::BTreeMap;

use crate::{Rational, Stream, thin};

/// The labels that a class's records share.
pub type ClassName = Vec<String>;

/// Classes by their names, and their records.
pub type ClassCounts = BTreeMap<ClassName, u64>;

/// The law: each record is kept by itself with probability 1 − e^−ε, and classes of fewer than k records of the sample are
/// dropped.
///
/// The k for which that is (ε, δ)-differentially private is the method's to know (Bild, Kuhn and Prasser 2018).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleLaw {
    /// ε.
    pub epsilon: Rational,
    /// k, from 1.
    pub least: u64,
}

impl SampleLaw {
    /// The records of each class in the sample, where they are at least k. `records` are drawn from in their order: the number
    /// of a class, and how many of it.
    pub(crate) fn draw(self, records: &[(usize, u64)], stream: &mut Stream) -> BTreeMap<usize, u64> {
        let mut kept: BTreeMap<usize, u64> = BTreeMap::new();
        for &(class, count) in records {
            let drawn = thin(count, self.epsilon, stream);
            if drawn > 0 {
                *kept.entry(class).or_default() += drawn;
            }
        }
        kept.retain(|_, count| *count >= self.least);
        kept
    }
}

/// The records of each class.
pub(crate) fn by_class(records: &[(usize, u64)]) -> BTreeMap<usize, u64> {
    let mut counts = BTreeMap::new();
    for &(class, count) in records.iter().filter(|(_, count)| *count > 0) {
        *counts.entry(class).or_default() += count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn small_classes_are_dropped() {
        let law = SampleLaw { epsilon: Rational::new(40, 1).unwrap(), least: 5 };
        let mut stream = Seed::from_number(91).stream(0);
        // Of ε = 40 every record is kept, but for a probability of 1e-16.
        let records = [(1, 3), (2, 4), (1, 2), (3, 0)];
        assert_eq!(law.draw(&records, &mut stream), BTreeMap::from([(1, 5)]));
        assert_eq!(by_class(&records), BTreeMap::from([(1, 5), (2, 4)]));
    }
}
