//! How much of a large release the adversary judges.

use super::model::NONE;

/// How much is judged, and how much is learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// About so many records of the classes that can hold counterfeits are judged at most.
    pub judged: u64,
    /// Classes times values that a model is fitted to.
    pub fitted: usize,
}

impl Effort {
    /// Every record.
    pub const FULL: Self = Self { judged: u64::MAX, fitted: 1 << 17 };
    /// What each release can afford. Less is not learned: with a quarter of it the areas were 0.18 too low on a sample of 100,000.
    pub const SAMPLE: Self = Self { judged: 1 << 15, fitted: 1 << 17 };
}

/// A group of more than one by this many of the judged records is not judged as a whole.
const LARGE: u64 = 64;

/// The classes that are judged: all where these are few enough, else every j-th of the small groups, and of a large group
/// every j-th class, with j = ⌈records / judged⌉. Groups and classes are counted in their own order, which follows from
/// what is released.
///
/// `groups` has each class's group, `sizes` its records; only classes that can hold counterfeits count.
pub(super) fn judged(effort: Effort, groups: &[u32], sizes: &[u64], can_hold: &[bool]) -> Option<Vec<bool>> {
    let doubtful = || (0..sizes.len()).filter(|&class| can_hold[class]);
    let all: u64 = doubtful().map(|class| sizes[class]).sum();
    if all <= effort.judged {
        return None;
    }
    let apart = all.div_ceil(effort.judged.max(1)) as usize;
    let number = groups.iter().filter(|group| **group != NONE).max().map_or(0, |last| *last as usize + 1);
    let mut records = vec![0u64; number];
    doubtful().for_each(|class| records[groups[class] as usize] += sizes[class]);
    let large: Vec<bool> = records.iter().map(|records| *records > effort.judged / LARGE).collect();
    let mut small = 0;
    let place = large.iter().map(|large| {
        small += usize::from(!large);
        small - usize::from(!large)
    });
    let place: Vec<usize> = place.collect();
    let mut seen = vec![0usize; number];
    let mut judged = vec![false; sizes.len()];
    for class in doubtful() {
        let group = groups[class] as usize;
        let at = if large[group] { seen[group] } else { place[group] };
        seen[group] += 1;
        judged[class] = at % apart == 0;
    }
    Some(judged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_are_judged_whole_and_large_ones_in_part() {
        let effort = |judged| Effort { judged, fitted: 1 };
        // Group 0: 100 classes; groups 1 to 100: two classes each; the last class is in none.
        let groups: Vec<u32> =
            std::iter::repeat_n(0, 100).chain((1..=100).flat_map(|group| [group; 2])).chain([NONE]).collect();
        let sizes = vec![10u64; groups.len()];
        let can_hold: Vec<bool> = groups.iter().map(|group| *group != NONE).collect();
        assert_eq!(judged(effort(3000), &groups, &sizes, &can_hold), None);
        let found = judged(effort(1500), &groups, &sizes, &can_hold).unwrap();
        let whole = judged(effort(1500), &groups, &sizes, &can_hold);
        assert_eq!(whole.as_ref(), Some(&found));
        let of =
            |group: u32| (0..found.len()).filter(|&class| groups[class] == group && found[class]).count();
        assert_eq!((of(0), of(NONE)), (50, 0));
        assert!((1..=100).all(|group| [0, 2].contains(&of(group))));
        assert_eq!((1..=100).map(of).sum::<usize>(), 100);
    }
}
