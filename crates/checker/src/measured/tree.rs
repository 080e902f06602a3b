//! Tables over few attributes each, in a tree: what two of them share is in all between them.

use std::collections::{BTreeMap, BTreeSet};

/// A table with its neighbours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    /// The attributes, ascending.
    pub(super) set: Vec<usize>,
    /// The table above; the first one has none.
    pub(super) parent: Option<usize>,
    /// Those below.
    pub(super) children: Vec<usize>,
}

/// A bucket for each attribute, the first one above all: attributes leave one after the other, the one with the smallest table
/// first, and those that shared a table with it share one from then on. `None` where a table is beyond all numbers.
pub(super) fn buckets(sizes: &[usize], sets: &[Vec<usize>]) -> Option<Vec<Bucket>> {
    let mut near: BTreeMap<usize, BTreeSet<usize>> = (0..sizes.len()).map(|a| (a, BTreeSet::new())).collect();
    for set in sets {
        for a in set {
            near.get_mut(a)?.extend(set.iter().filter(|b| *b != a));
        }
    }
    let mut left: Vec<(usize, BTreeSet<usize>)> = Vec::new();
    while let Some(next) = least(&near, sizes) {
        let others = near.remove(&next)?;
        for a in &others {
            let of = near.get_mut(a)?;
            of.extend(others.iter().filter(|b| *b != a));
            of.remove(&next);
        }
        left.push((next, others));
    }
    // The last to leave is the first of the tree.
    left.reverse();
    let places: BTreeMap<usize, usize> = left.iter().map(|(attribute, _)| *attribute).zip(0..).collect();
    let mut buckets: Vec<Bucket> = Vec::with_capacity(left.len());
    for (place, (attribute, others)) in left.iter().enumerate() {
        let above = others.iter().filter_map(|a| places.get(a).copied()).max();
        let parent = if place == 0 { None } else { above.or(Some(0)) };
        if let Some(bucket) = parent.and_then(|parent| buckets.get_mut(parent)) {
            bucket.children.push(place);
        }
        let set: BTreeSet<usize> = others.iter().copied().chain([*attribute]).collect();
        buckets.push(Bucket { set: set.into_iter().collect(), parent, children: Vec::new() });
    }
    Some(buckets)
}

/// The attribute of the smallest table.
fn least(near: &BTreeMap<usize, BTreeSet<usize>>, sizes: &[usize]) -> Option<usize> {
    let cells = |(a, others): &(&usize, &BTreeSet<usize>)| -> f64 {
        others.iter().chain([*a]).filter_map(|a| sizes.get(*a)).map(|&size| size as f64).product()
    };
    near.iter().min_by(|a, b| cells(a).total_cmp(&cells(b))).map(|(attribute, _)| *attribute)
}

/// The cells of a table; `None` where they do not fit.
pub(super) fn cells(set: &[usize], sizes: &[usize]) -> Option<usize> {
    set.iter().try_fold(1usize, |cells, a| cells.checked_mul(*sizes.get(*a)?))
}

/// By cell of a table over a set, its cell in a table over a part of it, in the part's order; the last attribute's values come
/// fastest in both.
pub(super) fn places(set: &[usize], part: &[usize], sizes: &[usize]) -> Option<Vec<u32>> {
    let steps: Vec<usize> = set
        .iter()
        .map(|a| match part.iter().position(|b| b == a) {
            Some(at) => cells(part.get(at.checked_add(1)?..)?, sizes),
            None => Some(0),
        })
        .collect::<Option<_>>()?;
    let mut found = vec![0u32];
    for (a, step) in set.iter().zip(steps) {
        let size = *sizes.get(*a)?;
        let mut next = Vec::with_capacity(found.len().checked_mul(size)?);
        for place in found {
            for value in 0..size {
                next.push(place.checked_add(u32::try_from(value.checked_mul(step)?).ok()?)?);
            }
        }
        found = next;
    }
    Some(found)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    #[test]
    fn what_two_tables_share_is_in_all_between_them() {
        let sizes = [3, 4, 2, 5, 2, 6];
        let sets = [vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 3], vec![3, 5]].map(|set: Vec<usize>| set);
        let buckets = buckets(&sizes, &sets).unwrap();
        assert_eq!(buckets.len(), 6);
        for set in &sets {
            assert!(buckets.iter().any(|bucket| set.iter().all(|a| bucket.set.contains(a))), "{set:?}");
        }
        for attribute in 0..6 {
            let has = |place: usize| buckets[place].set.contains(&attribute);
            let tops = (0..6).filter(|&place| has(place) && !buckets[place].parent.is_some_and(has)).count();
            assert_eq!(tops, 1, "{attribute} is in one part of the tree");
        }
        assert_eq!(buckets.iter().filter(|bucket| bucket.parent.is_none()).count(), 1);
    }

    #[test]
    fn places_follow_the_order_of_the_part() {
        let sizes = [2, 3, 2];
        assert_eq!(places(&[0, 1], &[1], &sizes).unwrap(), [0, 1, 2, 0, 1, 2]);
        assert_eq!(places(&[0, 1], &[1, 0], &sizes).unwrap(), [0, 2, 4, 1, 3, 5]);
        assert_eq!(places(&[0, 2], &[], &sizes).unwrap(), [0; 4]);
        assert_eq!(cells(&[0, 1, 2], &sizes), Some(12));
        assert_eq!(cells(&[0, 1], &[usize::MAX, 2]), None);
    }
}
