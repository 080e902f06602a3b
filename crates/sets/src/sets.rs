//! Sets of items by person, in one flat array.

use std::ops::Range;

use rayon::prelude::*;

/// Persons that one task makes the sets of.
const CHUNK: usize = 4096;

/// Persons' distinct items, ascending, in one flat array.
///
/// Memory: 4 bytes an item and 8 a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sets {
    /// Where each person's items begin, and at last where they end.
    offsets: Vec<usize>,
    items: Vec<u32>,
}

impl Sets {
    /// The sets of persons `0..persons` from pairs of a person and an item, in any order and as often as they come.
    ///
    /// Complexity: O(n log n) for n pairs, in parallel, in place.
    ///
    /// # Panics
    /// If a person is not below `persons`, or if there are 2³² pairs or more.
    #[must_use]
    pub fn from_pairs(persons: usize, mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.par_sort_unstable();
        pairs.dedup();
        let last = pairs.last().map_or(0, |&(person, _)| person as usize + 1);
        assert!(last <= persons, "person {} of {persons}", last.saturating_sub(1));
        assert!(u32::try_from(pairs.len()).is_ok(), "{} pairs: at most 2^32 - 1", pairs.len());
        let mut offsets = vec![0; persons + 1];
        for &(person, _) in &pairs {
            offsets[person as usize + 1] += 1;
        }
        add_up(&mut offsets);
        Self { offsets, items: pairs.into_iter().map(|(_, item)| item).collect() }
    }

    /// The sets of `persons` persons, each as `fill` appends it, by ranges of persons in parallel.
    pub(crate) fn gather(persons: usize, fill: impl Fn(usize, &mut Vec<u32>) + Sync) -> Self {
        let parts: Vec<_> =
            (0..persons.div_ceil(CHUNK)).into_par_iter().map(|chunk| part(chunk, persons, &fill)).collect();
        let mut offsets = Vec::with_capacity(persons + 1);
        offsets.push(0);
        let mut items = Vec::with_capacity(parts.iter().map(|(_, items)| items.len()).sum());
        for (lengths, part) in parts {
            offsets.extend(lengths);
            items.extend(part);
        }
        add_up(&mut offsets);
        Self { offsets, items }
    }

    /// Of each item below [`Sets::domain`] the persons who have it, ascending.
    pub(crate) fn turned(&self) -> Self {
        let mut offsets = vec![0; self.domain() + 1];
        for &item in &self.items {
            offsets[item as usize + 1] += 1;
        }
        add_up(&mut offsets);
        let mut next = offsets.clone();
        let mut persons = vec![0; self.len()];
        for person in 0..self.persons() {
            for &item in self.of(person) {
                persons[next[item as usize]] = person as u32;
                next[item as usize] += 1;
            }
        }
        Self { offsets, items: persons }
    }

    /// Whose item stands at a place of [`Sets::items`].
    pub(crate) fn person(&self, place: usize) -> usize {
        self.offsets.partition_point(|&offset| offset <= place) - 1
    }

    /// How many persons there are, those without items included.
    #[must_use]
    pub fn persons(&self) -> usize {
        self.offsets.len() - 1
    }

    /// A person's items, ascending.
    #[must_use]
    pub fn of(&self, person: usize) -> &[u32] {
        &self.items[self.range(person)]
    }

    /// Where a person's items stand in [`Sets::items`].
    #[must_use]
    pub fn range(&self, person: usize) -> Range<usize> {
        self.offsets[person]..self.offsets[person + 1]
    }

    /// All persons' items, person by person.
    #[must_use]
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// How many pairs of a person and an item there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nobody has an item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// One more than the largest item; 0 if there is none.
    #[must_use]
    pub fn domain(&self) -> usize {
        self.items.par_iter().max().map_or(0, |&item| item as usize + 1)
    }
}

/// The lengths of the sets of one chunk of persons, and their items.
fn part(chunk: usize, persons: usize, fill: impl Fn(usize, &mut Vec<u32>)) -> (Vec<usize>, Vec<u32>) {
    let (mut lengths, mut items) = (Vec::with_capacity(CHUNK), Vec::new());
    for person in chunk * CHUNK..persons.min((chunk + 1) * CHUNK) {
        let before = items.len();
        fill(person, &mut items);
        lengths.push(items.len() - before);
    }
    (lengths, items)
}

/// Turns lengths, behind a first 0, into offsets.
fn add_up(lengths: &mut [usize]) {
    let mut sum = 0;
    for length in lengths {
        sum += *length;
        *length = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_sets() {
        let sets = Sets::from_pairs(4, vec![(2, 9), (0, 4), (2, 1), (0, 4), (2, 9)]);
        assert_eq!(sets.persons(), 4);
        assert_eq!(
            (0..4).map(|person| sets.of(person).to_vec()).collect::<Vec<_>>(),
            [vec![4], vec![], vec![1, 9], vec![]]
        );
        assert_eq!((sets.range(2), sets.len(), sets.domain()), (1..3, 3, 10));
    }

    #[test]
    fn nobody_has_nothing() {
        let sets = Sets::from_pairs(0, Vec::new());
        assert_eq!((sets.persons(), sets.len(), sets.domain()), (0, 0, 0));
        assert!(sets.is_empty());
    }

    #[test]
    fn gathered_sets_are_in_the_order_of_persons() {
        let persons = 2 * CHUNK + 3;
        let sets =
            Sets::gather(persons, |person, items| items.extend((0..person % 3).map(|item| item as u32)));
        assert!((0..persons).all(|person| sets.of(person).len() == person % 3));
    }

    #[test]
    #[should_panic(expected = "person 3 of 3")]
    fn a_person_too_many_is_refused() {
        let _ = Sets::from_pairs(3, vec![(3, 0)]);
    }
}
