//! Thinning: single items are removed from single persons until every small set of items is that of enough persons.
//!
//! # Definition
//! Of persons' sets D in one class, sup(S) is the number of persons whose set contains S. D is kᵐ-anonymous if sup(S) ≥ k or
//! sup(S) = 0 for every S of at most m items. Thinning removes pairs of a person and an item until that holds in each class.
//!
//! # Complexity
//! A round takes Σ C(|set|, m) steps, and there are few rounds, since each later one looks at what the one before can have
//! broken. Memory: some 30 bytes a pair, and v²/8 bytes for v items that k persons of a class have. For m = 3, each thread has a
//! triangle of at most v²/2 counters, of one byte if k ≤ 255.
//!
//! # References
//! Terrovitis, Mamoulis, Kalnis: "Privacy-preserving anonymization of set-valued data", PVLDB 1(1), 2008, for the model;
//! Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: "Anonymizing data with relational and transaction attributes", ECML
//! PKDD 2013, for the model inside classes. The method is our own.
//!
//! # Deviations
//! docs/methods/thin.md lists them.

mod back;
mod climb;
mod cut;
mod pairs;
mod rounds;
mod triples;

use rayon::prelude::*;

use crate::asked::{Asked, REMOVED};
use crate::classes::members;
use crate::watch::{Stopped, Watch};
use crate::{Sets, Tree};
use cut::Cut;

/// What climbing tries to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Objective {
    /// Levels: an item that is released c of h steps up counts 1 − c/h, a removed one 0 ([`Tree::worth`]). Few items climb.
    #[default]
    Levels,
    /// Leaves: an item that is released as a node above a share s of all leaves counts 1 − s, a removed one 0
    /// ([`Tree::penalty`]). Most items climb, since a chapter is a small share of all leaves. Papers on sets report it, as NCP.
    Leaves,
}

/// What became of each pair of a person and an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinned {
    /// In the order of [`Sets::items`]: the released node, which is the item itself or an ancestor, or [`REMOVED`].
    pub released: Vec<u32>,
    /// How many rounds the class of most rounds took.
    pub rounds: u32,
    /// How many cuts through the hierarchy were tried: 1 without one.
    pub cuts: u32,
    /// How many pairs of a person and a node were put back at the end.
    pub put_back: usize,
}

impl Thinned {
    /// How many pairs are released, as they were or as an ancestor.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.released.par_iter().filter(|&&node| node != REMOVED).count()
    }
}

/// One thinning at one cut.
struct Attempt {
    released: Vec<u32>,
    rounds: u32,
}

/// Persons and what is asked of them: what all steps read.
#[derive(Clone, Copy)]
struct Task<'a> {
    sets: &'a Sets,
    members: &'a [Vec<u32>],
    asked: &'a Asked,
    watch: &'a Watch<'a>,
}

/// Removes items from persons until every set of at most `asked.m` released items that a person of a class has, at least
/// `asked.k` persons of the class have. `classes` gives each person's class; persons [`OUT`](crate::OUT) are not released and
/// count for nothing.
///
/// With a `tree`, families of items that lose much are released as their parent, if less is lost so. The result does not
/// depend on the number of threads. `stop` is asked now and then, from any thread; if it says true, the search ends.
///
/// # Errors
/// [`Stopped`], if `stop` said so.
///
/// # Panics
/// If `asked.m` is above 3, or if `classes` does not have one entry a person.
pub fn thin(
    sets: &Sets,
    classes: &[u32],
    asked: &Asked,
    tree: Option<&Tree>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Thinned, Stopped> {
    thin_for(Objective::Levels, sets, classes, asked, tree, stop)
}

/// [`thin`] with another objective of climbing. Without a tree, it is the same.
///
/// # Errors
/// [`Stopped`], if `stop` said so.
///
/// # Panics
/// As [`thin`] does.
pub fn thin_for(
    objective: Objective,
    sets: &Sets,
    classes: &[u32],
    asked: &Asked,
    tree: Option<&Tree>,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Thinned, Stopped> {
    assert!(asked.m <= 3, "sets of {} items: at most 3", asked.m);
    assert_eq!(classes.len(), sets.persons(), "one class a person");
    let members = members(classes);
    let watch = Watch::new(stop);
    let task = Task { sets, members: &members, asked, watch: &watch };
    let (cut, mut best, cuts) = match tree {
        None => (Cut::none(), task.attempt(&Cut::none())?, 1),
        Some(tree) => climb::climb(task, tree, objective)?,
    };
    let put_back = if asked.m == 2 { back::put_back(task, &cut, &mut best.released)? } else { 0 };
    Ok(Thinned { released: best.released, rounds: best.rounds, cuts, put_back })
}

impl Task<'_> {
    /// Thins each class with items released as the cut says.
    fn attempt(self, cut: &Cut) -> Result<Attempt, Stopped> {
        let thinned: Vec<_> =
            self.members.par_iter().map(|persons| self.thin_class(persons, cut)).collect::<Result<_, _>>()?;
        let mut attempt = Attempt { released: vec![REMOVED; self.sets.len()], rounds: 0 };
        for (persons, (released, rounds)) in self.members.iter().zip(thinned) {
            attempt.rounds = attempt.rounds.max(rounds);
            self.place(persons, &released, &mut attempt.released);
        }
        Ok(attempt)
    }

    /// Writes what a class releases, person by person, where the pairs stand among those of all.
    fn place(self, persons: &[u32], released: &Sets, all: &mut [u32]) {
        for (member, &person) in persons.iter().enumerate() {
            all[self.sets.range(person as usize)].copy_from_slice(released.of(member));
        }
    }

    /// The nodes that the persons of a class release, in the order of their items, and the number of rounds.
    fn thin_class(self, persons: &[u32], cut: &Cut) -> Result<(Sets, u32), Stopped> {
        let image = self.image(persons, cut);
        let (group, rounds) = rounds::run(&image, self.asked, self.watch)?;
        let kept = group.named();
        let released = Sets::gather(persons.len(), |member, nodes| {
            let kept = kept.of(member);
            let node = |&item: &u32| Some(cut.node(item)).filter(|node| kept.binary_search(node).is_ok());
            let items = self.sets.of(persons[member] as usize);
            nodes.extend(items.iter().map(|item| node(item).unwrap_or(REMOVED)));
        });
        Ok((released, rounds))
    }

    /// The distinct nodes that the items of each of these persons are released as, if none is removed.
    fn image(self, persons: &[u32], cut: &Cut) -> Sets {
        Sets::gather(persons.len(), |member, nodes| {
            let items = self.sets.of(persons[member] as usize);
            cut::append_distinct(items.iter().map(|&item| cut.node(item)), nodes);
        })
    }
}

#[cfg(test)]
mod tests;
