//! Sets of attributes, and the tree of cliques over them.

use std::collections::BTreeSet;

/// Attributes, ascending.
pub type Set = Vec<usize>;

/// The cells of a table over a set; `u128::MAX` where they do not fit.
#[must_use]
pub fn cells(set: &[usize], sizes: &[usize]) -> u128 {
    set.iter().fold(1, |cells: u128, &a| cells.saturating_mul(sizes[a] as u128))
}

/// The largest cliques of a chordal graph in which each set's attributes are all joined: attributes are eliminated one after
/// the other, the one with the smallest new clique first, the lower number where two are equal.
///
/// # Complexity
/// O(attributes² + Σ over eliminated attributes of neighbours²).
#[must_use]
pub fn cliques(sets: &[Set], sizes: &[usize]) -> Vec<Set> {
    let mut near: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sizes.len()];
    for set in sets {
        for &a in set {
            near[a].extend(set.iter().filter(|&&b| b != a));
        }
    }
    let mut left: BTreeSet<usize> = (0..sizes.len()).collect();
    // Only an eliminated attribute's neighbours get other cliques.
    let mut costs: Vec<u128> = (0..sizes.len()).map(|a| joined(a, &near, sizes)).collect();
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    while let Some(next) = left.iter().copied().min_by_key(|&a| (costs[a], a)) {
        let neighbours = near[next].clone();
        let clique: BTreeSet<usize> = neighbours.iter().copied().chain([next]).collect();
        for &a in &neighbours {
            near[a].extend(&neighbours);
            near[a].remove(&next);
            near[a].remove(&a);
            costs[a] = joined(a, &near, sizes);
        }
        left.remove(&next);
        if !found.iter().any(|other| clique.is_subset(other)) {
            found.push(clique);
        }
    }
    found.into_iter().map(|clique| clique.into_iter().collect()).collect()
}

/// Cells of the clique that eliminating an attribute makes.
fn joined(attribute: usize, near: &[BTreeSet<usize>], sizes: &[usize]) -> u128 {
    let clique: Set = near[attribute].iter().copied().chain([attribute]).collect();
    cells(&clique, sizes)
}

/// For each clique its parent in a tree in which what two cliques share is in all between them, and the cliques from the root
/// on, each after its parent: the first is the root, and next comes whatever shares most with one that is there.
pub(crate) fn spanning(cliques: &[Set]) -> (Vec<Option<usize>>, Vec<usize>) {
    let mut parents = vec![None; cliques.len()];
    let mut order: Vec<usize> = vec![0];
    // What each other clique shares with the tree at most, and with which clique of it.
    let mut best: Vec<(usize, usize)> =
        cliques.iter().map(|clique| (shared(clique, &cliques[0]).len(), 0)).collect();
    let mut left: BTreeSet<usize> = (1..cliques.len()).collect();
    while let Some(next) = left.iter().copied().max_by_key(|&j| (best[j].0, usize::MAX - j)) {
        left.remove(&next);
        parents[next] = Some(best[next].1);
        order.push(next);
        for &j in &left {
            let common = shared(&cliques[j], &cliques[next]).len();
            if common > best[j].0 {
                best[j] = (common, next);
            }
        }
    }
    (parents, order)
}

/// What two sets share.
pub(crate) fn shared(a: &Set, b: &Set) -> Set {
    a.iter().copied().filter(|attribute| b.contains(attribute)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_becomes_two_triangles() {
        let sets: Vec<Set> = vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3]];
        let found = cliques(&sets, &[2, 3, 2, 9]);
        // The largest attribute's clique is made last; one chord is added.
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
        assert!(sets.iter().all(|set| found.iter().any(|clique| shared(set, clique) == *set)));
    }

    #[test]
    fn lonely_attributes_are_cliques_of_their_own() {
        assert_eq!(cliques(&[vec![1]], &[5, 2, 3]), [vec![1], vec![2], vec![0]]);
        assert_eq!(cells(&[0, 2], &[5, 2, 3]), 15);
        assert_eq!(cells(&[0, 1, 2, 3, 4, 5], &[usize::MAX; 6]), u128::MAX);
    }

    #[test]
    fn what_two_cliques_share_is_in_all_between_them() {
        let sizes = [2, 3, 4, 2, 3, 2, 5, 2];
        let sets: Vec<Set> =
            vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3], vec![3, 4, 5], vec![5, 6], vec![2, 6]];
        let found = cliques(&sets, &sizes);
        let (parents, order) = spanning(&found);
        assert_eq!(order.len(), found.len());
        for attribute in 0..sizes.len() {
            // The cliques with it are connected: all but one have a parent with it.
            let with: Vec<usize> = (0..found.len()).filter(|&c| found[c].contains(&attribute)).collect();
            let roots = with.iter().filter(|&&c| parents[c].is_none_or(|p| !found[p].contains(&attribute)));
            assert_eq!(roots.count(), 1, "{attribute}");
        }
    }
}
