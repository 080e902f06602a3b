//! The persons of one class, their items numbered by how rare they are.

use rayon::prelude::*;

use super::Asked;
use crate::Sets;

/// Pairs that one task counts.
const CHUNK: usize = 1 << 16;

/// Stands for an item without a rank: too rare.
const NO_RANK: u32 = u32::MAX;

/// Of which items the sets must be looked at again: somebody who had the item has lost something.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Touched {
    pub(super) pairs: bool,
    pub(super) triples: bool,
}

/// The persons of one class. Items are ranks: the rarest is 0, and of equally rare ones the one of the lower code comes first.
/// So a person's rarest item comes first, too.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) sets: Sets,
    /// The node of each rank.
    names: Vec<u32>,
    /// How many persons have each rank.
    pub(super) counts: Vec<u32>,
    pub(super) touched: Vec<Touched>,
}

impl Group {
    /// The class of persons with these nodes: what fewer than k have is gone.
    pub(super) fn new(image: Sets, asked: &Asked) -> Self {
        let mut names = image.items().to_vec();
        names.par_sort_unstable();
        names.dedup();
        let number = |node: &u32| names.binary_search(node).unwrap_or(0) as u32;
        let sets =
            Sets::gather(image.persons(), |person, items| items.extend(image.of(person).iter().map(number)));
        let touched = vec![Touched { pairs: true, triples: true }; names.len()];
        let mut group = Self { sets, names, counts: Vec::new(), touched };
        while group.rank(asked) {}
        group
    }

    /// How many different items there are.
    pub(super) fn ranks(&self) -> usize {
        self.names.len()
    }

    /// Removes the pairs that are not `alive`, then what fewer than k persons are left with, and ranks anew.
    pub(super) fn keep(&mut self, alive: &[bool], asked: &Asked) {
        self.touch(alive);
        self.sets = Sets::gather(self.sets.persons(), |person, items| {
            let range = self.sets.range(person);
            let kept = self.sets.of(person).iter().zip(&alive[range]).filter(|&(_, &alive)| alive);
            items.extend(kept.map(|(&item, _)| item));
        });
        while self.rank(asked) {}
    }

    /// Marks all items that a person had who loses one.
    fn touch(&mut self, alive: &[bool]) {
        for person in 0..self.sets.persons() {
            if alive[self.sets.range(person)].iter().all(|&alive| alive) {
                continue;
            }
            for &item in self.sets.of(person) {
                self.touched[item as usize] = Touched { pairs: true, triples: true };
            }
        }
    }

    /// Numbers items by (persons, code) and drops those of fewer than k persons. Whether a set was too large: it has lost
    /// its rarest items, and everything must be counted once more.
    fn rank(&mut self, asked: &Asked) -> bool {
        let counts = self.counted();
        let mut order: Vec<u32> =
            (0..counts.len() as u32).filter(|&item| counts[item as usize] >= asked.k.max(1)).collect();
        order.par_sort_unstable_by_key(|&item| (counts[item as usize], self.names[item as usize]));
        let mut ranks = vec![NO_RANK; counts.len()];
        for (rank, &item) in (0..).zip(&order) {
            ranks[item as usize] = rank;
        }
        let before = self.sets.persons();
        let large = (0..before).into_par_iter().any(|person| {
            let ranked = self.sets.of(person).iter().filter(|&&item| ranks[item as usize] != NO_RANK);
            ranked.count() > asked.largest_set
        });
        self.sets = Sets::gather(before, |person, items| {
            let start = items.len();
            let ranked = self.sets.of(person).iter().map(|&item| ranks[item as usize]);
            items.extend(ranked.filter(|&rank| rank != NO_RANK));
            items[start..].sort_unstable();
            let surplus = (items.len() - start).saturating_sub(asked.largest_set);
            items.drain(start..start + surplus);
        });
        self.names = order.iter().map(|&item| self.names[item as usize]).collect();
        self.counts = order.iter().map(|&item| counts[item as usize]).collect();
        self.touched = order.iter().map(|&item| self.touched[item as usize]).collect();
        large
    }

    /// How many persons have each item. Sums of whole numbers: equal in whatever order they are added.
    fn counted(&self) -> Vec<u32> {
        let count = |mut counts: Vec<u32>, items: &[u32]| {
            items.iter().for_each(|&item| counts[item as usize] += 1);
            counts
        };
        let add = |mut one: Vec<u32>, other: Vec<u32>| {
            one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
            one
        };
        let zeros = || vec![0; self.names.len()];
        self.sets.items().par_chunks(CHUNK).fold(zeros, count).reduce(zeros, add)
    }

    /// The nodes that each person is left with, ascending.
    pub(super) fn named(&self) -> Sets {
        Sets::gather(self.sets.persons(), |person, nodes| {
            let start = nodes.len();
            nodes.extend(self.sets.of(person).iter().map(|&rank| self.names[rank as usize]));
            nodes[start..].sort_unstable();
        })
    }

    /// The node of each rank.
    pub(super) fn names(&self) -> &[u32] {
        &self.names
    }
}
