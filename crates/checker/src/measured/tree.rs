//! The tree of cliques that records are drawn along, by its description: which cliques there are, which comes after which, and
//! which values are drawn given which others.

use std::collections::{BTreeMap, BTreeSet};

/// Attributes by number, ascending.
pub(super) type Set = Vec<usize>;

/// Cells of a table over these attributes.
pub(super) fn cells(set: impl IntoIterator<Item = usize>, sizes: &[usize]) -> u128 {
    let size = |a: usize| sizes.get(a).copied().unwrap_or(0) as u128;
    set.into_iter().fold(1u128, |cells, a| cells.saturating_mul(size(a)))
}

/// A clique, and the place of the one before it that it is joined to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hung {
    pub(super) set: Set,
    pub(super) parent: Option<usize>,
}

/// The cliques in the order of the draws: those of eliminating, one after the other, the attribute with the fewest cells together
/// with its neighbours; and after the first always the one that shares most attributes with one that is there.
pub(super) fn hung(sets: &[Set], sizes: &[usize]) -> Vec<Hung> {
    let mut left = eliminated(sets, sizes);
    let mut tree: Vec<Hung> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        // Earlier cliques win ties, both as what is joined and as what it is joined to.
        let mut best: (usize, usize, Option<usize>) = (0, 0, None);
        for (place, clique) in left.iter().enumerate() {
            let (common, parent) = most_shared(clique, &tree);
            if place == 0 || common > best.0 {
                best = (common, place, parent);
            }
        }
        tree.push(Hung { set: left.remove(best.1), parent: best.2 });
    }
    tree
}

/// How many attributes a clique shares with one of a tree at most, and with which first.
fn most_shared(clique: &Set, tree: &[Hung]) -> (usize, Option<usize>) {
    let mut most = (0, None);
    for (place, other) in tree.iter().enumerate() {
        let common = clique.iter().filter(|a| other.set.contains(a)).count();
        if most.1.is_none() || common > most.0 {
            most = (common, Some(place));
        }
    }
    most
}

/// The cliques that are part of no earlier one, in the order in which elimination makes them.
pub(super) fn eliminated(sets: &[Set], sizes: &[usize]) -> Vec<Set> {
    // By attribute that is left, itself and those that are joined to it.
    let mut near: BTreeMap<usize, BTreeSet<usize>> =
        (0..sizes.len()).map(|attribute| (attribute, BTreeSet::from([attribute]))).collect();
    for set in sets {
        join(&mut near, set);
    }
    let mut found: Vec<Set> = Vec::new();
    loop {
        let cheapest = near.iter().map(|(&a, clique)| (cells(clique.iter().copied(), sizes), a)).min();
        let made = cheapest.and_then(|(_, next)| near.remove(&next).map(|made| (next, made)));
        let Some((next, made)) = made else { return found };
        let made: Set = made.into_iter().collect();
        join(&mut near, &made);
        near.values_mut().for_each(|others| {
            others.remove(&next);
        });
        if !found.iter().any(|other| made.iter().all(|a| other.contains(a))) {
            found.push(made);
        }
    }
}

/// Joins attributes to each other, as far as they are left.
fn join(near: &mut BTreeMap<usize, BTreeSet<usize>>, set: &Set) {
    for attribute in set {
        if let Some(others) = near.get_mut(attribute) {
            others.extend(set);
        }
    }
}

/// A step of the draws: in which clique, which attribute, given which others of the clique.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) clique: usize,
    pub(super) attribute: usize,
    pub(super) known: Set,
}

/// All steps: clique by clique, attribute by attribute, each that is not there yet.
pub(super) fn steps(tree: &[Hung]) -> Vec<Step> {
    let mut drawn: BTreeSet<usize> = BTreeSet::new();
    let mut steps = Vec::new();
    for (clique, Hung { set, .. }) in tree.iter().enumerate() {
        for &attribute in set {
            let known = set.iter().copied().filter(|a| drawn.contains(a)).collect();
            if drawn.insert(attribute) {
                steps.push(Step { clique, attribute, known });
            }
        }
    }
    steps
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "a test may fail by a panic")]
mod tests {
    use super::*;

    #[test]
    fn a_circle_becomes_two_triangles_that_share_a_chord() {
        let sets: Vec<Set> = vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3]];
        let tree = hung(&sets, &[2, 3, 2, 9]);
        assert_eq!(tree.len(), 2);
        assert_eq!(tree[0], Hung { set: vec![0, 1, 2], parent: None });
        assert_eq!(tree[1], Hung { set: vec![0, 2, 3], parent: Some(0) });
        let steps = steps(&tree);
        let known: Vec<(usize, Set)> = steps.into_iter().map(|step| (step.attribute, step.known)).collect();
        assert_eq!(known, [(0, vec![]), (1, vec![0]), (2, vec![0, 1]), (3, vec![0, 2])]);
    }

    #[test]
    fn lonely_attributes_are_joined_to_nothing_they_share() {
        let tree = hung(&[vec![1]], &[5, 2, 3]);
        let sets: Vec<&Set> = tree.iter().map(|hung| &hung.set).collect();
        assert_eq!(sets, [&vec![1], &vec![2], &vec![0]]);
        let parents: Vec<Option<usize>> = tree.iter().map(|hung| hung.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(0)], "the first is before all");
        assert_eq!(cells([0, 2], &[5, 2, 3]), 15);
        assert!(steps(&tree).iter().all(|step| step.known.is_empty()));
    }

    /// Cliques with those that they are joined to.
    fn joined(sets: &[Set], sizes: &[usize]) -> Vec<(Set, Option<usize>)> {
        hung(sets, sizes).into_iter().map(|hung| (hung.set, hung.parent)).collect()
    }

    #[test]
    fn a_clique_is_joined_to_that_of_which_it_shares_most() {
        // Eliminated from both ends: 01, 34, 12, 23.
        let chain = [vec![0, 1], vec![1, 2], vec![2, 3], vec![3, 4]];
        let due = [(vec![0, 1], None), (vec![1, 2], Some(0)), (vec![2, 3], Some(1)), (vec![3, 4], Some(2))];
        assert_eq!(joined(&chain, &[2, 3, 5, 3, 2]), due);
        // The first of those that share as much.
        let star = [vec![0, 1], vec![1, 2], vec![1, 3]];
        let due = [(vec![0, 1], None), (vec![1, 2], Some(0)), (vec![1, 3], Some(0))];
        assert_eq!(joined(&star, &[2, 3, 2, 2]), due);
    }
}
