//! Pairs of items: which are too rare, and which items of a person must go for it.

use rayon::prelude::*;

use super::group::Group;
use super::postings::{Postings, Spot};
use super::{Stopped, Watch};

/// Persons that one task looks at.
const CHUNK: usize = 1024;

/// A yes or no for each pair of ranks, one bit each.
#[derive(Debug)]
pub(super) struct PairTable {
    row: usize,
    words: Vec<u64>,
}

impl PairTable {
    /// Which pairs that somebody has are had by a number of persons that is `wanted`. The rarer item of a pair must be
    /// one that is `asked` for.
    ///
    /// By items a in parallel: of each item b behind a among the persons who have a, the number of persons. Each row of the
    /// table is one task's.
    pub(super) fn new(
        group: &Group,
        asked: impl Fn(usize) -> bool,
        wanted: impl Fn(u32) -> bool + Sync,
        watch: Watch<'_>,
    ) -> Result<Self, Stopped> {
        let postings = Postings::of(group, 1, asked);
        let row = group.ranks().div_ceil(64).max(1);
        let mut words = vec![0; row * group.ranks()];
        words.par_chunks_mut(row).enumerate().try_for_each_init(
            || Partners::new(group.ranks()),
            |partners, (item, row)| {
                watch.check()?;
                partners.count(group.sets.items(), postings.spots(item));
                partners.take(|partner, count| {
                    if wanted(count) {
                        row[partner / 64] |= 1 << (partner % 64);
                    }
                });
                Ok(())
            },
        )?;
        Ok(Self { row, words })
    }

    /// The answer for two ranks, of which `rarer` is the lower.
    pub(super) fn has(&self, rarer: u32, commoner: u32) -> bool {
        let word = self.words[rarer as usize * self.row + commoner as usize / 64];
        word >> (commoner % 64) & 1 == 1
    }
}

/// How many persons have each item beside a given one.
struct Partners {
    counts: Vec<u32>,
    met: Vec<u32>,
}

impl Partners {
    fn new(ranks: usize) -> Self {
        Self { counts: vec![0; ranks], met: Vec::new() }
    }

    fn count(&mut self, items: &[u32], spots: &[Spot]) {
        for spot in spots {
            for &partner in spot.behind(items) {
                let count = &mut self.counts[partner as usize];
                if *count == 0 {
                    self.met.push(partner);
                }
                *count += 1;
            }
        }
    }

    /// Hands out each partner with its count, and forgets them.
    fn take(&mut self, mut each: impl FnMut(usize, u32)) {
        for partner in self.met.drain(..) {
            let partner = partner as usize;
            each(partner, std::mem::take(&mut self.counts[partner]));
        }
    }
}

/// Which pairs of a person and an item stay, if of each rare pair of a person one item goes. None if there is no rare pair.
pub(super) fn thin(group: &mut Group, k: u32, watch: Watch<'_>) -> Result<Option<Vec<bool>>, Stopped> {
    let rare = PairTable::new(group, |item| group.touched[item].pairs, |count| count < k, watch)?;
    group.touched.iter_mut().for_each(|touched| touched.pairs = false);
    let persons: Vec<usize> = (0..group.sets.persons()).collect();
    let removed = persons
        .par_chunks(CHUNK)
        .map(|persons| {
            watch.check()?;
            let mut removed = Vec::new();
            let mut cover = Cover::default();
            for &person in persons {
                let start = group.sets.range(person).start;
                cover.of(group.sets.of(person), &rare, |at| removed.push(start + at));
            }
            Ok(removed)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut alive = vec![true; group.sets.len()];
    removed.iter().flatten().for_each(|&at| alive[at] = false);
    Ok(removed.iter().any(|part| !part.is_empty()).then_some(alive))
}

/// Of one person's items how many rare pairs each is in.
#[derive(Debug, Default)]
struct Cover {
    violations: Vec<u32>,
}

impl Cover {
    /// While a rare pair is whole, the item in most of them goes; among equals the rarest, then the one of the lowest code.
    fn of(&mut self, items: &[u32], rare: &PairTable, mut remove: impl FnMut(usize)) {
        self.violations.clear();
        self.violations.resize(items.len(), 0);
        for (later, &commoner) in items.iter().enumerate() {
            for (earlier, &rarer) in items[..later].iter().enumerate() {
                let one = u32::from(rare.has(rarer, commoner));
                self.violations[earlier] += one;
                self.violations[later] += one;
            }
        }
        while let Some(worst) = self.worst() {
            remove(worst);
            self.violations[worst] = 0;
            for (other, violations) in self.violations.iter_mut().enumerate().filter(|(_, left)| **left > 0) {
                let (earlier, later) = (worst.min(other), worst.max(other));
                *violations -= u32::from(rare.has(items[earlier], items[later]));
            }
        }
    }

    /// The first of the items with the most violations.
    fn worst(&self) -> Option<usize> {
        let most = self.violations.iter().copied().max().filter(|&most| most > 0)?;
        self.violations.iter().position(|&violations| violations == most)
    }
}
