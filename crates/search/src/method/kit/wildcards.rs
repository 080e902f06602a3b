//! Missing values that match any value.
//!
//! Two classes of a node are *compatible* if their codes agree wherever neither is missing. A class is
//! kept iff the models hold of the records of all kept classes that are compatible with it, itself
//! included: the records that nobody can tell from its own in the release. That is the largest such
//! set of classes, reached by taking away classes that fail until none does; which exists because
//! classes that hold together with some kept classes hold together with more.
//!
//! **What is lost at a node is lost at every node below.** Codes that agree, or of which one is missing,
//! still do further up, where a missing value stays missing until it becomes `*` like all others. So
//! records that are kept at a node have, at any node above, no fewer compatible records of the same set in their
//! class. The largest set there contains that set. A model that survives larger numbers of records,
//! such as k-anonymity, thus is monotone with suppression: [`Superset`](crate::model::Monotonicity).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// Classes of a node as this file sees them.
#[derive(Debug, Default)]
pub(in crate::method) struct Classes {
    /// Per attribute the code of a missing value, where it occurs.
    pub(in crate::method) missing: Vec<Option<u32>>,
    /// The codes of each class.
    pub(in crate::method) codes: Vec<Vec<u32>>,
    /// Their records.
    pub(in crate::method) sizes: Vec<u64>,
}

/// Per class the records that nobody can tell from its own, where a missing value can stand for any:
/// `codes` by class, `missing` by attribute.
///
/// Time: O(classes · attributes · patterns of missing values).
#[must_use]
pub fn indistinguishable(missing: Vec<Option<u32>>, codes: Vec<Vec<u32>>, sizes: Vec<u64>) -> Vec<u64> {
    let kept = vec![true; sizes.len()];
    Classes { missing, codes, sizes }.compatible(&kept)
}

/// Which attributes of a class are missing.
type Pattern = Vec<bool>;

impl Classes {
    /// Which classes are kept. Time: O(classes · attributes · patterns of missing values · rounds).
    pub(in crate::method) fn kept(&self, holds: impl Fn(u64) -> bool) -> Vec<bool> {
        let mut kept = vec![true; self.sizes.len()];
        loop {
            let compatible = self.compatible(&kept);
            let failing = |class: &usize| kept[*class] && !holds(compatible[*class]);
            let failing: Vec<usize> = (0..kept.len()).filter(failing).collect();
            if failing.is_empty() {
                return kept;
            }
            failing.into_iter().for_each(|class| kept[class] = false);
        }
    }

    /// Per class the records of the kept classes that are compatible with it.
    fn compatible(&self, kept: &[bool]) -> Vec<u64> {
        let mut by_pattern: BTreeMap<Pattern, Vec<usize>> = BTreeMap::new();
        for class in 0..self.sizes.len() {
            by_pattern.entry(self.pattern(class)).or_default().push(class);
        }
        let mut totals = vec![0; self.sizes.len()];
        for (pattern, classes) in &by_pattern {
            for (other, candidates) in &by_pattern {
                let candidates = candidates.iter().filter(|class| kept[**class]);
                self.add(&mut totals, classes, candidates, pattern, other);
            }
        }
        totals
    }

    /// Adds to each class the candidates that agree with it on what both patterns have.
    fn add<'a>(
        &self,
        totals: &mut [u64],
        classes: &[usize],
        candidates: impl Iterator<Item = &'a usize>,
        pattern: &Pattern,
        other: &Pattern,
    ) {
        let shared: Vec<usize> = (0..pattern.len()).filter(|&q| !pattern[q] && !other[q]).collect();
        let seen = |class: usize| -> Vec<u32> { shared.iter().map(|&q| self.codes[class][q]).collect() };
        let mut records: FxHashMap<Vec<u32>, u64> = FxHashMap::default();
        for &class in candidates {
            *records.entry(seen(class)).or_default() += self.sizes[class];
        }
        for &class in classes {
            totals[class] += records.get(&seen(class)).copied().unwrap_or(0);
        }
    }

    fn pattern(&self, class: usize) -> Pattern {
        self.codes[class].iter().zip(&self.missing).map(|(code, missing)| *missing == Some(*code)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(codes: &[[u32; 2]], sizes: &[u64]) -> Classes {
        let codes = codes.iter().map(|codes| codes.to_vec()).collect();
        Classes { missing: vec![Some(0), Some(0)], codes, sizes: sizes.to_vec() }
    }

    #[test]
    fn a_missing_value_matches_any() {
        let table = classes(&[[0, 1], [1, 1], [2, 1], [2, 2]], &[1, 2, 3, 4]);
        assert_eq!(table.compatible(&[true; 4]), [6, 3, 4, 4]);
        assert_eq!(table.kept(|records| records >= 4), [true, false, true, true]);
    }

    #[test]
    fn what_is_suppressed_hides_nobody() {
        // At 4 the last two fail, and then so does the first, which held with them.
        let table = classes(&[[0, 1], [1, 1], [2, 1]], &[2, 1, 1]);
        assert_eq!(table.kept(|records| records >= 3), [true; 3]);
        assert_eq!(table.kept(|records| records >= 4), [false; 3]);
    }

    /// Up to 12 classes of three attributes, the first and last of which can be missing.
    fn random(draw: &mut impl FnMut(u64) -> u64) -> Classes {
        let mut codes: Vec<Vec<u32>> = (0..12).map(|_| (0..3).map(|_| draw(4) as u32).collect()).collect();
        codes.sort();
        codes.dedup();
        let sizes: Vec<u64> = codes.iter().map(|_| 1 + draw(4)).collect();
        Classes { missing: vec![Some(0), None, Some(0)], codes, sizes }
    }

    /// Numbers below a bound, from a fixed start.
    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut state = 7u64;
        move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    #[test]
    fn sums_equal_those_over_all_pairs() {
        let mut draw = numbers();
        for _ in 0..200 {
            let table = random(&mut draw);
            let agree = |a: &Vec<u32>, b: &Vec<u32>| {
                (0..3).all(|q| a[q] == b[q] || (q != 1 && (a[q] == 0 || b[q] == 0)))
            };
            let naive = |a: &Vec<u32>| -> u64 {
                table.codes.iter().zip(&table.sizes).filter(|(b, _)| agree(a, b)).map(|(_, n)| n).sum()
            };
            let expected: Vec<u64> = table.codes.iter().map(naive).collect();
            assert_eq!(table.compatible(&vec![true; table.sizes.len()]), expected);
        }
    }

    #[test]
    fn what_is_kept_is_kept_further_up() {
        let mut draw = numbers();
        let mut kept_some = 0;
        for _ in 0..500 {
            let (table, k) = (random(&mut draw), 3 + draw(12));
            // One attribute goes to `*`, or its values 2 and 3 become one; missing values stay.
            let (q, to_top) = (draw(3) as usize, draw(2) == 0);
            let raised = |codes: &Vec<u32>| {
                let mut codes = codes.clone();
                codes[q] = if to_top { 9 } else { codes[q].min(2) };
                codes
            };
            let mut above: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
            for (codes, size) in table.codes.iter().zip(&table.sizes) {
                *above.entry(raised(codes)).or_default() += size;
            }
            let (codes, sizes): (Vec<_>, Vec<_>) = above.into_iter().unzip();
            let above = Classes { missing: table.missing.clone(), codes, sizes };
            let (kept, kept_above) = (table.kept(|n| n >= k), above.kept(|n| n >= k));
            for (codes, _) in table.codes.iter().zip(&kept).filter(|(_, kept)| **kept) {
                let place = above.codes.iter().position(|other| *other == raised(codes));
                assert!(kept_above[place.unwrap()], "{table:?}");
                kept_some += 1;
            }
        }
        assert!(kept_some > 500);
    }
}
