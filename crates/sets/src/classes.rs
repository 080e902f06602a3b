//! The classes that persons are counted in.

use rayon::prelude::*;

use crate::Sets;

/// The class of persons who are not released: they count for nothing.
pub const OUT: u32 = u32::MAX;

/// The persons of each class, ascending; classes by their number.
pub(crate) fn members(classes: &[u32]) -> Vec<Vec<u32>> {
    let mut order: Vec<(u32, u32)> =
        classes.iter().copied().zip(0..).filter(|&(class, _)| class != OUT).collect();
    order.par_sort_unstable();
    order
        .chunk_by(|one, next| one.0 == next.0)
        .map(|class| class.iter().map(|&(_, person)| person).collect())
        .collect()
}

/// How many released persons have each item below [`Sets::domain`]. O(pairs).
///
/// # Panics
/// If `classes` does not have one entry a person.
#[must_use]
pub fn counts(sets: &Sets, classes: &[u32]) -> Vec<u32> {
    assert_eq!(classes.len(), sets.persons(), "one class a person");
    let mut counts = vec![0; sets.domain()];
    for person in (0..sets.persons()).filter(|&person| classes[person] != OUT) {
        sets.of(person).iter().for_each(|&item| counts[item as usize] += 1);
    }
    counts
}

/// The sets of some persons alone.
pub(crate) fn of_members(sets: &Sets, members: &[u32]) -> Sets {
    Sets::gather(members.len(), |member, items| items.extend_from_slice(sets.of(members[member] as usize)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_outside_are_in_no_class() {
        assert_eq!(members(&[7, OUT, 2, 7]), [vec![2], vec![0, 3]]);
        assert!(members(&[OUT, OUT]).is_empty());
    }

    #[test]
    fn who_is_out_has_no_item() {
        let sets = Sets::from_pairs(3, vec![(0, 0), (1, 0), (1, 2), (2, 2)]);
        assert_eq!(counts(&sets, &[0, OUT, 4]), [1, 0, 1]);
    }
}
