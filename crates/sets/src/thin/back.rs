//! Putting back: removed items return where all pairs stay those of k persons.

use rayon::prelude::*;

use super::Task;
use super::cut::{Cut, append_distinct};
use crate::Sets;
use crate::asked::{Asked, REMOVED};
use crate::count::bits::Suspects;
use crate::count::group::Group;
use crate::count::pairs::table;
use crate::watch::Stopped;

/// Puts removed nodes back, by code, each if the person then has no pair that fewer than k persons of the class have, and no
/// more than `largest_set` nodes. How many pairs of a person and a node came back.
///
/// A node may come back to a person iff each pair that it makes with the person's others is already that of k persons. What
/// comes back makes no such pair rare and no other one frequent, so that persons do not depend on each other, and after
/// one pass no single node can come back any more. For m = 1 nothing ever can: what was removed, nobody has left.
pub(super) fn put_back(task: Task<'_>, cut: &Cut, released: &mut [u32]) -> Result<usize, Stopped> {
    let back: Vec<_> = task
        .members
        .par_iter()
        .map(|persons| class(task, cut, persons, released))
        .collect::<Result<_, _>>()?;
    let mut count = 0;
    for (persons, back) in task.members.iter().zip(back) {
        count += back.len();
        for (member, &person) in persons.iter().enumerate().filter(|&(member, _)| !back.of(member).is_empty())
        {
            let range = task.sets.range(person as usize);
            for (&item, released) in task.sets.of(person as usize).iter().zip(&mut released[range]) {
                let node = cut.node(item);
                if back.of(member).binary_search(&node).is_ok() {
                    *released = node;
                }
            }
        }
    }
    Ok(count)
}

/// The nodes that come back to each person of a class, ascending.
fn class(task: Task<'_>, cut: &Cut, persons: &[u32], released: &[u32]) -> Result<Sets, Stopped> {
    let kept = Sets::gather(persons.len(), |member, nodes| {
        let released = &released[task.sets.range(persons[member] as usize)];
        append_distinct(released.iter().copied().filter(|&node| node != REMOVED), nodes);
    });
    let image = task.image(persons, cut);
    let unlimited = Asked { largest_set: usize::MAX, ..*task.asked };
    let group = Group::new(&kept, &unlimited);
    let frequent = table(&group, &Suspects::All, |count| count >= task.asked.k, task.watch);
    task.watch.check()?;
    let mut ranks: Vec<(u32, u32)> = group.names().iter().copied().zip(0..).collect();
    ranks.sort_unstable();
    let rank = |node: &u32| ranks.binary_search_by_key(node, |&(node, _)| node).ok().map(|at| ranks[at].1);
    Ok(Sets::gather(persons.len(), |member, back| {
        if image.of(member).len() == group.of(member).len() {
            return;
        }
        let mut has = group.of(member).to_vec();
        for node in image.of(member) {
            let Some(rank) = rank(node).filter(|rank| !has.contains(rank)) else { continue };
            let fits = |&other: &u32| frequent.has(rank.min(other), rank.max(other));
            if has.len() < task.asked.largest_set && has.iter().all(fits) {
                has.push(rank);
                back.push(*node);
            }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Watch;

    const R: u32 = REMOVED;

    /// What is released of these sets after putting back, if that was released before.
    fn after(persons: &[&[u32]], largest_set: usize, released: &[u32]) -> Vec<u32> {
        let pairs =
            (0..).zip(persons).flat_map(|(person, items)| items.iter().map(move |&item| (person, item)));
        let sets = Sets::from_pairs(persons.len(), pairs.collect());
        let asked = Asked { k: 2, m: 2, largest_set };
        let (members, watch) = ([(0..persons.len() as u32).collect()], Watch::never());
        let task = Task { sets: &sets, members: &members, asked: &asked, watch: &watch };
        let mut released = released.to_vec();
        put_back(task, &Cut::none(), &mut released).expect("nobody stops");
        released
    }

    #[test]
    fn a_pair_of_k_persons_is_enough() {
        let persons: [&[u32]; 3] = [&[0, 1], &[0, 1], &[0, 1]];
        assert_eq!(after(&persons, 128, &[0, R, 0, 1, 0, 1]), [0, 1, 0, 1, 0, 1]);
        assert_eq!(after(&persons, 1, &[0, R, 0, 1, 0, 1]), [0, R, 0, 1, 0, 1]);
    }

    #[test]
    fn what_came_back_counts_for_what_comes_next() {
        let persons: [&[u32]; 5] = [&[0, 1], &[0], &[0], &[1], &[1]];
        assert_eq!(after(&persons, 128, &[R, R, 0, 0, 1, 1]), [0, R, 0, 0, 1, 1]);
    }
}
