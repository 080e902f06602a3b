//! Numbering a class's items by how rare they are.

use rayon::prelude::*;

use crate::Sets;
use crate::asked::Asked;

/// Pairs that one task counts.
const CHUNK: usize = 1 << 16;

/// Stands for an item without a rank: too rare.
const NO_RANK: u32 = u32::MAX;

/// Sets of ranks. The rarest item is 0, and of equally rare ones that of the lower code comes first, so that a person's
/// rarest item comes first, too.
#[derive(Debug)]
pub(crate) struct Ranked {
    pub(crate) sets: Sets,
    /// The node of each rank.
    pub(crate) names: Vec<u32>,
    /// How many persons have each rank.
    pub(crate) counts: Vec<u32>,
}

impl Ranked {
    /// The ranks of these nodes. What fewer than k have is gone; a set above `largest_set` has lost its rarest items.
    pub(crate) fn of(image: &Sets, asked: &Asked) -> Self {
        let mut names = image.items().to_vec();
        names.par_sort_unstable();
        names.dedup();
        let number = |node: &u32| names.binary_search(node).unwrap_or(0) as u32;
        let sets =
            Sets::gather(image.persons(), |person, items| items.extend(image.of(person).iter().map(number)));
        let counts = counted(&sets, names.len());
        let mut ranked = Self { sets, names, counts };
        while ranked.again(asked) {}
        ranked
    }

    /// Ranks by the counts so far. Whether a set was too large, so that others may now be too rare.
    fn again(&mut self, asked: &Asked) -> bool {
        let enough = |&item: &u32| self.counts[item as usize] >= asked.k.max(1);
        let mut order: Vec<u32> = (0..self.counts.len() as u32).filter(enough).collect();
        order.par_sort_unstable_by_key(|&item| (self.counts[item as usize], self.names[item as usize]));
        let mut ranks = vec![NO_RANK; self.counts.len()];
        (0..).zip(&order).for_each(|(rank, &item)| ranks[item as usize] = rank);
        let ranked = Sets::gather(self.sets.persons(), |person, items| {
            let start = items.len();
            let ranked = self.sets.of(person).iter().map(|&item| ranks[item as usize]);
            items.extend(ranked.filter(|&rank| rank != NO_RANK));
            items[start..].sort_unstable();
            let surplus = (items.len() - start).saturating_sub(asked.largest_set);
            items.drain(start..start + surplus);
        });
        let whole: u64 = order.iter().map(|&item| u64::from(self.counts[item as usize])).sum();
        let cut = whole > ranked.len() as u64;
        self.names = order.iter().map(|&item| self.names[item as usize]).collect();
        self.counts = if cut {
            counted(&ranked, order.len())
        } else {
            order.iter().map(|&item| self.counts[item as usize]).collect()
        };
        self.sets = ranked;
        cut
    }
}

/// How many persons have each item. Sums of whole numbers: equal in whatever order they are added.
fn counted(sets: &Sets, items: usize) -> Vec<u32> {
    let zeros = || vec![0; items];
    sets.items().par_chunks(CHUNK).fold(zeros, count).reduce(zeros, add)
}

fn count(mut counts: Vec<u32>, items: &[u32]) -> Vec<u32> {
    items.iter().for_each(|&item| counts[item as usize] += 1);
    counts
}

fn add(mut one: Vec<u32>, other: Vec<u32>) -> Vec<u32> {
    one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
    one
}
