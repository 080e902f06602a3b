//! Whom a few of their items single out.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::Sets;
use crate::classes::members;
use crate::count::bits::{Bits, Suspects};
use crate::count::group::Group;
use crate::count::pairs::table;
use crate::count::square::Square;
use crate::largest::whole;
use crate::watch::Watch;

/// Persons whom few of their items single out in their class: nobody else there has them all.
///
/// Entry j − 1 of each list is for j items.
#[derive(Debug, Clone, PartialEq)]
pub struct Alone {
    /// The released persons, those without items included.
    pub persons: usize,
    /// How many of them some set of at most j of their items singles out: what an adversary achieves who happens to know
    /// the most telling ones.
    pub by_best: Vec<usize>,
    /// How many of them j of their items single out on average, if each j are equally likely to be known (all items, of a
    /// person who has fewer).
    pub by_random: Vec<f64>,
}

impl Alone {
    /// The share of the persons whom some set of at most j of their items singles out.
    #[must_use]
    pub fn share_by_best(&self, j: usize) -> f64 {
        share(self.by_best[j - 1] as f64, self.persons)
    }

    /// The share of the persons whom j random ones of their items single out.
    #[must_use]
    pub fn share_by_random(&self, j: usize) -> f64 {
        share(self.by_random[j - 1], self.persons)
    }
}

fn share(figure: f64, of: usize) -> f64 {
    if of == 0 { 0.0 } else { figure / of as f64 }
}

/// Whom 1 to m of their items single out, by the best choice and by a random one.
///
/// Of the C(n, j) sets of j items of a person, let u(j) be the number of those that nobody else in the class has. The person
/// counts for u(j)/C(n, j) among `by_random`, and for 1 among `by_best` if any of u(1), …, u(j) is positive.
/// Complexity: Σ C(|set|, m).
///
/// # Panics
/// If `m` is above 3, or if `classes` does not have one entry a person.
#[must_use]
pub fn alone(sets: &Sets, classes: &[u32], m: u8) -> Alone {
    assert!(m <= 3, "sets of {m} items: at most 3");
    assert_eq!(classes.len(), sets.persons(), "one class a person");
    let members = members(classes);
    let unique: Vec<Vec<Unique>> =
        members.par_iter().map(|members| unique(&whole(sets, members), m)).collect();
    let all = || unique.iter().flatten();
    let sizes = 1..=usize::from(m);
    Alone {
        persons: members.iter().map(Vec::len).sum(),
        by_best: sizes.clone().map(|j| all().filter(|person| person.some(j)).count()).collect(),
        by_random: sizes.map(|j| all().map(|person| person.share(j)).sum()).collect(),
    }
}

/// Of one person how many sets of 1, 2 and 3 items nobody else has.
struct Unique {
    items: usize,
    sets: [u64; 3],
}

impl Unique {
    /// Whether some set of at most j items is the person's alone.
    fn some(&self, j: usize) -> bool {
        self.sets[..j].iter().any(|&sets| sets > 0)
    }

    /// The share of the sets of j items, or of all items, that are the person's alone.
    fn share(&self, j: usize) -> f64 {
        let j = j.min(self.items);
        if j == 0 {
            return 0.0;
        }
        let all = (0..j).fold(1, |all, at| all * (self.items - at) as u64 / (at as u64 + 1));
        self.sets[j - 1] as f64 / all as f64
    }
}

/// What each person of a class has alone.
fn unique(group: &Group, m: u8) -> Vec<Unique> {
    let single: Vec<bool> = (0..group.ranks()).map(|item| group.having(item).nth(1).is_none()).collect();
    let pairs = (m >= 2).then(|| table(group, &Suspects::All, |count| count == 1, &Watch::never()));
    let triples = if m >= 3 { triples(group) } else { Vec::new() };
    (0..group.persons())
        .into_par_iter()
        .map(|person| {
            let set = group.of(person);
            let ones = set.iter().filter(|&&item| single[item as usize]).count() as u64;
            let twos = pairs.as_ref().map_or(0, |pairs| pairs_among(set, pairs));
            let threes = triples.get(person).map_or(0, |triples| triples.load(Ordering::Relaxed));
            Unique { items: set.len(), sets: [ones, twos, threes] }
        })
        .collect()
}

/// How many pairs of a set are in the table.
fn pairs_among(set: &[u32], pairs: &Bits) -> u64 {
    let with = |at: usize| set[..at].iter().filter(|&&rarer| pairs.has(rarer, set[at])).count() as u64;
    (0..set.len()).map(with).sum()
}

/// How many triples each person of a class has alone. Sums of whole numbers: equal in whatever order they are added.
fn triples(group: &Group) -> Vec<AtomicU64> {
    let triples: Vec<AtomicU64> = (0..group.persons()).map(|_| AtomicU64::new(0)).collect();
    (0..group.ranks()).into_par_iter().with_max_len(1).for_each_init(
        || Square::<u8>::new(group.ranks()),
        |square, item| {
            for [place, ..] in square.rare(group, item, None, 2) {
                let (person, _) = group.loss(place as usize);
                triples[person as usize].fetch_add(1, Ordering::Relaxed);
            }
        },
    );
    triples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_choice_is_more_than_a_random_one() {
        // Person 0 alone has 2; 0 and 1 are shared; person 2 has nothing.
        let sets = Sets::from_pairs(3, vec![(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]);
        let alone = alone(&sets, &[0; 3], 3);
        assert_eq!((alone.persons, alone.by_best.as_slice()), (3, [1, 1, 1].as_slice()));
        assert_eq!(alone.by_random, [1.0 / 3.0, 2.0 / 3.0, 1.0]);
        assert_eq!(alone.share_by_best(1), 1.0 / 3.0);
    }

    #[test]
    fn each_class_is_counted_by_itself() {
        let sets = Sets::from_pairs(2, vec![(0, 0), (1, 0)]);
        assert_eq!(alone(&sets, &[0, 0], 1).by_best, [0]);
        assert_eq!(alone(&sets, &[0, 1], 1).by_best, [2]);
    }
}
