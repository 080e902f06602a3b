//! Pairs of items.

use rayon::prelude::*;

use super::bits::{Bits, Suspects, bit};
use super::group::Group;
use crate::watch::Watch;

/// Which suspect pairs that somebody has are had by a number of persons that is `wanted`.
///
/// By items a in parallel: of each item b behind a among the persons who have a, the number of persons. Each row of the
/// table is one task's. Σ C(|set|, 2) steps.
pub(crate) fn table(
    group: &Group,
    suspects: &Suspects,
    wanted: impl Fn(u32) -> bool + Sync,
    watch: &Watch<'_>,
) -> Bits {
    let mut table = Bits::none(group.ranks());
    let (row, words) = table.rows_mut();
    words.par_chunks_mut(row).enumerate().for_each_init(
        || Partners::new(group.ranks()),
        |partners, (item, row)| {
            if !suspects.any(item) || watch.stopped() {
                return;
            }
            partners.count(group, item, suspects.behind(item));
            partners.take(|partner, count| {
                if wanted(count) {
                    row[partner / 64] |= 1 << (partner % 64);
                }
            });
        },
    );
    table
}

/// How many persons have each item beside a given one.
pub(crate) struct Partners {
    counts: Vec<u32>,
    met: Vec<u32>,
}

impl Partners {
    pub(crate) fn new(ranks: usize) -> Self {
        Self { counts: vec![0; ranks], met: Vec::new() }
    }

    pub(crate) fn count(&mut self, group: &Group, item: usize, only: Option<&[u64]>) {
        for having in group.having(item) {
            match only {
                None => having.behind.iter().for_each(|&partner| self.one(partner)),
                Some(row) => {
                    having
                        .behind
                        .iter()
                        .filter(|&&partner| bit(row, partner))
                        .for_each(|&partner| self.one(partner));
                }
            }
        }
    }

    fn one(&mut self, partner: u32) {
        let count = &mut self.counts[partner as usize];
        if *count == 0 {
            self.met.push(partner);
        }
        *count += 1;
    }

    /// The least number of persons who have a pair with `item` as the rarer one.
    pub(crate) fn least(&mut self, group: &Group, item: usize) -> Option<u32> {
        self.count(group, item, None);
        let mut least = None::<u32>;
        self.take(|_, count| least = Some(least.map_or(count, |least| least.min(count))));
        least
    }

    /// Hands out each partner with its count, and forgets them.
    pub(crate) fn take(&mut self, mut each: impl FnMut(usize, u32)) {
        for partner in self.met.drain(..) {
            let partner = partner as usize;
            each(partner, std::mem::take(&mut self.counts[partner]));
        }
    }
}
