//! Climbing: families of items that lose much are released as their parent.

use super::cut::Cut;
use super::{Attempt, Objective, Task};
use crate::Tree;
use crate::asked::REMOVED;
use crate::watch::Stopped;

/// The most cuts that are tried, the items themselves included.
const CUTS: u32 = 8;

/// With [`Objective::Levels`] a family climbs if it loses more than LOST of OF of its pairs.
const LOST: u64 = 35;
const OF: u64 = 100;

/// The cut of least loss, how it is thinned, and how many were tried. Among equals the first, which is the finest.
///
/// From each cut the next follows: all nodes below a parent whose children lost much are released as that parent.
pub(super) fn climb(
    task: Task<'_>,
    tree: &Tree,
    objective: Objective,
) -> Result<(Cut, Attempt, u32), Stopped> {
    let mut best = Tried::at(task, tree, objective, Cut::none())?;
    let mut next = best.next(tree, objective);
    let mut tried = 1;
    while let Some(cut) = next.take().filter(|_| tried < CUTS) {
        let one = Tried::at(task, tree, objective, cut)?;
        tried += 1;
        next = one.next(tree, objective);
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
    /// The sum of what the kept pairs still say, by the objective.
    worth: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    all: u64,
    lost: u64,
}

/// The children of a node.
#[derive(Debug, Clone, Copy, Default)]
struct Family {
    pairs: Tally,
    /// What the pairs that are kept have lost by climbing so far.
    penalty: f64,
}

impl Objective {
    fn worth(self, tree: &Tree, item: u32, node: u32) -> f64 {
        match self {
            Self::Levels => tree.worth(item, node),
            Self::Leaves => 1.0 - tree.penalty(node),
        }
    }

    /// Whether all of a family is to be released as the parent: much of it is lost, or more than as the parent.
    fn climbs(self, tree: &Tree, parent: u32, family: &Family) -> bool {
        let Tally { all, lost } = family.pairs;
        match self {
            Self::Levels => lost * OF > all * LOST,
            Self::Leaves => lost > 0 && lost as f64 + family.penalty > all as f64 * tree.penalty(parent),
        }
    }
}

impl Tried {
    fn at(task: Task<'_>, tree: &Tree, objective: Objective, cut: Cut) -> Result<Self, Stopped> {
        let attempt = task.attempt(&cut)?;
        let items = tallies(task, &attempt);
        let kept = |(item, tally): (u32, &Tally)| {
            (tally.all - tally.lost) as f64 * objective.worth(tree, item, cut.node(item))
        };
        let worth = (0..).zip(&items).map(kept).sum();
        Ok(Self { cut, attempt, items, worth })
    }

    /// The next cut; none if no family lost much.
    fn next(&self, tree: &Tree, objective: Objective) -> Option<Cut> {
        let mut families = vec![Family::default(); tree.len()];
        for (item, tally) in (0..).zip(&self.items) {
            let node = self.cut.node(item);
            if let Some(parent) = tree.parent(node) {
                let family = &mut families[parent as usize];
                family.pairs.all += tally.all;
                family.pairs.lost += tally.lost;
                family.penalty += (tally.all - tally.lost) as f64 * tree.penalty(node);
            }
        }
        let climbing: Vec<bool> =
            (0..).zip(&families).map(|(parent, family)| objective.climbs(tree, parent, family)).collect();
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
