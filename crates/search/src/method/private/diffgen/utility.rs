//! How good a specialization is: a score of which one record changes little.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::hierarchy::Hierarchy;

use super::taxonomy::Value;

/// The unit of scores that are no whole numbers.
const WHOLE: f64 = (1u64 << 20) as f64;

/// What a specialization is worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Utility {
    /// The records that have the most frequent class of their part: Σ over parts of the largest count of a class.
    #[default]
    Max,
    /// By how many bits the parts tell the class better than the whole.
    InformationGain,
}

/// The records of each part and class.
pub(super) type Counts = BTreeMap<(u32, u32), u64>;

impl Utility {
    /// By how much one record more moves a score at most, where there are so many classes.
    pub(super) fn sensitivity(self, classes: usize) -> u64 {
        match self {
            // The count of one class of one part moves by 1, and so does the largest at most.
            Self::Max => 1,
            // Scores are from 0 to log₂ of the classes.
            Self::InformationGain => ((classes.max(1) as f64).log2() * WHOLE).ceil().max(1.0) as u64,
        }
    }

    /// The score of a specialization, from the records of each part.
    pub(super) fn score(self, counts: &Counts, classes: usize) -> i64 {
        match self {
            Self::Max => i64::try_from(largest(counts)).unwrap_or(i64::MAX),
            Self::InformationGain => {
                let most = self.sensitivity(classes) as f64;
                (gain(counts) * WHOLE).floor().clamp(0.0, most) as i64
            }
        }
    }
}

/// Σ over parts of the largest count of a class.
fn largest(counts: &Counts) -> u64 {
    let mut of_part: BTreeMap<u32, u64> = BTreeMap::new();
    for (&(part, _), &count) in counts {
        let largest = of_part.entry(part).or_default();
        *largest = count.max(*largest);
    }
    of_part.values().fold(0, |sum, count| sum.saturating_add(*count))
}

/// H(class) − Σ over parts of (records of the part / all) · H(class in the part), in bits; 0 without records.
fn gain(counts: &Counts) -> f64 {
    let (mut classes, mut parts) = (BTreeMap::new(), BTreeMap::new());
    for (&(part, class), &count) in counts {
        *classes.entry(class).or_insert(0.0) += count as f64;
        *parts.entry(part).or_insert(0.0) += count as f64;
    }
    let all: f64 = classes.values().sum();
    if all <= 0.0 {
        return 0.0;
    }
    let bits = |count: f64, of: f64| if count > 0.0 { count / all * (of / count).log2() } else { 0.0 };
    let before: f64 = classes.values().map(|count| bits(*count, all)).sum();
    let after: f64 = counts.iter().map(|((part, _), count)| bits(*count as f64, parts[part])).sum();
    before - after
}

/// The records of each part and class, from those of each leaf and class.
pub(super) fn counts(leaves: &Counts, hierarchy: &Hierarchy, whole: Value, parts: &[Value]) -> Counts {
    let mut counts = Counts::new();
    // The parts of a value are of one level.
    let Some(level) = parts.first().map(|part| part.level) else { return counts };
    let within = leaves.iter().filter(|((leaf, _), _)| hierarchy.code(whole.level, *leaf) == whole.code);
    for (&(leaf, class), &count) in within {
        *counts.entry((hierarchy.code(level, leaf), class)).or_default() += count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(counts: &[[u64; 2]]) -> Counts {
        let parts = (0..).zip(counts);
        parts.flat_map(|(part, counts)| (0..).zip(counts).map(move |(c, n)| ((part, c), *n))).collect()
    }

    /// Two classes: by hand, H(3/8) = 0.954434 and the parts leave (5/8)·H(1/5) + (3/8)·H(2/3 : 1/3) = 0.795565.
    #[test]
    fn scores_are_those_of_the_definition() {
        let counts = of(&[[4, 1], [1, 2]]);
        assert_eq!(Utility::Max.score(&counts, 2), 6);
        assert_eq!(Utility::InformationGain.score(&counts, 2), (0.158_868_4 * WHOLE) as i64);
        assert_eq!(Utility::InformationGain.score(&of(&[[4, 0], [0, 4]]), 2), WHOLE as i64);
        assert_eq!(
            (Utility::InformationGain.score(&Counts::new(), 2), Utility::Max.score(&Counts::new(), 2)),
            (0, 0)
        );
    }

    /// All tables of up to three records in each of four cells: one record more moves no score by more than the sensitivity, and
    /// some by just that.
    #[test]
    fn one_record_moves_no_score_by_more_than_the_sensitivity() {
        for utility in [Utility::Max, Utility::InformationGain] {
            let mut reached = 0;
            for number in 0..4u64.pow(4) {
                let cell = |digit: u64| number >> (2 * digit) & 3;
                let before = [[cell(0), cell(1)], [cell(2), cell(3)]];
                for place in 0..4 {
                    let mut after = before;
                    after[place / 2][place % 2] += 1;
                    let moved = utility.score(&of(&before), 2).abs_diff(utility.score(&of(&after), 2));
                    assert!(moved <= utility.sensitivity(2), "{utility:?} {before:?}: {moved}");
                    reached = reached.max(moved);
                }
            }
            assert_eq!(reached, utility.sensitivity(2), "{utility:?}");
        }
    }
}
