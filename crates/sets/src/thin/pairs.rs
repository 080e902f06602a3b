//! Pairs of items: which are too rare, and which items of a person must go for it.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::bits::{Bits, Suspects, bit};
use super::group::{Group, Loss};
use super::{Stopped, Watch};

/// Persons that one task looks at.
const CHUNK: usize = 1024;

/// Which suspect pairs that somebody has are had by a number of persons that is `wanted`.
///
/// By items a in parallel: of each item b behind a among the persons who have a, the number of persons. Each row of the
/// table is one task's. Σ C(|set|, 2) steps.
pub(super) fn table(
    group: &Group,
    suspects: &Suspects,
    wanted: impl Fn(u32) -> bool + Sync,
    watch: Watch<'_>,
) -> Result<Bits, Stopped> {
    let mut table = Bits::none(group.ranks());
    let (row, words) = table.rows_mut();
    words.par_chunks_mut(row).enumerate().try_for_each_init(
        || Partners::new(group.ranks()),
        |partners, (item, row)| {
            if !suspects.any(item) {
                return Ok(());
            }
            watch.check()?;
            partners.count(group, item, suspects.behind(item));
            partners.take(|partner, count| {
                if wanted(count) {
                    row[partner / 64] |= 1 << (partner % 64);
                }
            });
            Ok(())
        },
    )?;
    Ok(table)
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

    fn count(&mut self, group: &Group, item: usize, only: Option<&[u64]>) {
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

    /// Hands out each partner with its count, and forgets them.
    fn take(&mut self, mut each: impl FnMut(usize, u32)) {
        for partner in self.met.drain(..) {
            let partner = partner as usize;
            each(partner, std::mem::take(&mut self.counts[partner]));
        }
    }
}

/// What persons lose, sorted, if of each rare pair of a person one item goes.
pub(super) fn losses(
    group: &Group,
    suspects: &Suspects,
    k: u32,
    watch: Watch<'_>,
) -> Result<Vec<Loss>, Stopped> {
    let rare = table(group, suspects, |count| count < k, watch)?;
    let concerned = concerned(group, &rare);
    let losses = concerned
        .par_chunks(CHUNK)
        .map(|persons| {
            watch.check()?;
            let mut cover = Cover::default();
            let mut losses = Vec::new();
            for &person in persons {
                let set = group.of(person as usize);
                cover.of(set, &rare, |at| losses.push((person, set[at])));
            }
            losses.sort_unstable();
            Ok(losses)
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(losses.concat())
}

/// Who has a rare pair.
fn concerned(group: &Group, rare: &Bits) -> Vec<u32> {
    let flags: Vec<AtomicBool> = (0..group.persons()).map(|_| AtomicBool::new(false)).collect();
    (0..group.ranks()).into_par_iter().for_each(|item| {
        let row = rare.row(item);
        if row.iter().all(|&word| word == 0) {
            return;
        }
        for having in
            group.having(item).filter(|having| having.behind.iter().any(|&partner| bit(row, partner)))
        {
            flags[having.person as usize].store(true, Ordering::Relaxed);
        }
    });
    (0..).zip(flags).filter_map(|(person, flag)| flag.into_inner().then_some(person)).collect()
}

/// Of one person's items how many rare pairs each is in.
#[derive(Debug, Default)]
struct Cover {
    violations: Vec<u32>,
}

impl Cover {
    /// While a rare pair is whole, the item in most of them goes; among equals the rarest, then that of the lowest code.
    fn of(&mut self, items: &[u32], rare: &Bits, mut remove: impl FnMut(usize)) {
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
