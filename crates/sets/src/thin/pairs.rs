//! Rare pairs, and which items of a person must go for them.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::count::bits::{Bits, Suspects, bit};
use crate::count::group::{Group, Loss};
use crate::count::pairs::table;
use crate::watch::{Stopped, Watch};

/// Persons that one task looks at.
const CHUNK: usize = 1024;

/// What persons lose, sorted, if of each rare pair of a person one item goes.
pub(super) fn losses(
    group: &Group,
    suspects: &Suspects,
    k: u32,
    watch: &Watch<'_>,
) -> Result<Vec<Loss>, Stopped> {
    let rare = table(group, suspects, |count| count < k, watch);
    watch.check()?;
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
