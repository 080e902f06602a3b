//! The largest k of which sets are kᵐ-anonymous.

use rayon::prelude::*;

use crate::Sets;
use crate::asked::Asked;
use crate::classes::{members, of_members};
use crate::count::group::Group;
use crate::count::pairs::Partners;
use crate::count::square::Square;

/// The largest k for which each set of at most m items that one person has, k persons of the class have; none if no released
/// person has an item.
///
/// It is the least support of a set of at most m items that somebody has. Complexity: Σ C(|set|, m).
///
/// # Panics
/// If `m` is not 1, 2 or 3, or if `classes` does not have one entry a person.
#[must_use]
pub fn largest_k(sets: &Sets, classes: &[u32], m: u8) -> Option<u32> {
    assert!((1..=3).contains(&m), "sets of {m} items: expected 1, 2 or 3");
    assert_eq!(classes.len(), sets.persons(), "one class a person");
    members(classes).par_iter().filter_map(|members| least(&whole(sets, members), m)).min()
}

/// A class with all of its items.
pub(crate) fn whole(sets: &Sets, members: &[u32]) -> Group {
    Group::new(&of_members(sets, members), &Asked { k: 1, m: 3, largest_set: usize::MAX })
}

/// The least support of a set of at most m items of a class. A larger set has no more persons than its items, but not
/// everybody has so many.
fn least(group: &Group, m: u8) -> Option<u32> {
    let one = (0..group.ranks()).into_par_iter().map(|item| group.having(item).count() as u32).min();
    let two = if m >= 2 { least_pair(group) } else { None };
    let three = if m >= 3 { least_triple(group) } else { None };
    [one, two, three].into_iter().flatten().min()
}

fn least_pair(group: &Group) -> Option<u32> {
    let room = || Partners::new(group.ranks());
    (0..group.ranks())
        .into_par_iter()
        .map_init(room, |partners, item| partners.least(group, item))
        .flatten()
        .min()
}

fn least_triple(group: &Group) -> Option<u32> {
    let room = || Square::<u32>::new(group.ranks());
    (0..group.ranks())
        .into_par_iter()
        .map_init(room, |square, item| square.least(group, item))
        .flatten()
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OUT;

    #[test]
    fn each_size_has_its_own_k() {
        let all =
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (2, 0), (2, 2), (3, 1), (3, 2), (4, 0), (4, 1), (4, 2)];
        let sets = Sets::from_pairs(5, all.to_vec());
        assert_eq!([1, 2, 3].map(|m| largest_k(&sets, &[0; 5], m)), [Some(4), Some(3), Some(2)]);
        assert_eq!(largest_k(&sets, &[0, 0, OUT, OUT, 0], 1), Some(2));
        assert_eq!(largest_k(&sets, &[0, 0, 1, 1, 0], 1), Some(1));
    }

    #[test]
    fn nobody_has_nothing() {
        assert_eq!(largest_k(&Sets::from_pairs(2, Vec::new()), &[0, 0], 3), None);
    }
}
