//! Climbing: families of items that lose much are released as their parent.

use super::cut::Cut;
use super::{Attempt, REMOVED, Task};
use crate::Tree;
use crate::watch::Stopped;

/// The most cuts that are tried, the items themselves included.
const CUTS: u32 = 8;

/// A family climbs if it loses more than LOST of OF of its pairs.
const LOST: u64 = 35;
const OF: u64 = 100;

/// The cut of least loss, how it is thinned, and how many were tried. Among equals the first, which is the finest.
///
/// From each cut the next follows: all nodes below a parent whose children lost more than 35 % of their pairs are released
/// as that parent.
pub(super) fn climb(task: Task<'_>, tree: &Tree) -> Result<(Cut, Attempt, u32), Stopped> {
    let mut best = Tried::at(task, tree, Cut::none())?;
    let mut next = best.next(tree);
    let mut tried = 1;
    while let Some(cut) = next.take().filter(|_| tried < CUTS) {
        let one = Tried::at(task, tree, cut)?;
        tried += 1;
        next = one.next(tree);
        if one.worth > best.worth {
            best = one;
        }
    }
    Ok((best.cut, best.attempt, tried))
}

/// A cut, and what it comes to.
struct Tried {
    cut: Cut,
    attempt: Attempt,
    /// Of each item how many persons have it, and how many lost it.
    items: Vec<Tally>,
    /// The sum of what the kept pairs still say: see [`Tree::worth`].
    worth: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    all: u64,
    lost: u64,
}

impl Tally {
    fn lost_much(self) -> bool {
        self.lost * OF > self.all * LOST
    }
}

impl Tried {
    fn at(task: Task<'_>, tree: &Tree, cut: Cut) -> Result<Self, Stopped> {
        let attempt = task.attempt(&cut)?;
        let items = tallies(task, &attempt);
        let kept =
            |(item, tally): (u32, &Tally)| (tally.all - tally.lost) as f64 * tree.worth(item, cut.node(item));
        let worth = (0..).zip(&items).map(kept).sum();
        Ok(Self { cut, attempt, items, worth })
    }

    /// The next cut; none if no family lost much.
    fn next(&self, tree: &Tree) -> Option<Cut> {
        let mut families = vec![Tally::default(); tree.len()];
        for (item, tally) in (0..).zip(&self.items) {
            if let Some(parent) = tree.parent(self.cut.node(item)) {
                families[parent as usize].all += tally.all;
                families[parent as usize].lost += tally.lost;
            }
        }
        let climbing: Vec<bool> = families.into_iter().map(Tally::lost_much).collect();
        climbing.contains(&true).then(|| self.cut.raised(tree, &climbing))
    }
}

/// What became of each item, over all classes.
fn tallies(task: Task<'_>, attempt: &Attempt) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); task.sets.domain()];
    for &person in task.members.iter().flatten() {
        let range = task.sets.range(person as usize);
        for (&item, &released) in task.sets.items()[range.clone()].iter().zip(&attempt.released[range]) {
            let tally = &mut tallies[item as usize];
            tally.all += 1;
            tally.lost += u64::from(released == REMOVED);
        }
    }
    tallies
}
