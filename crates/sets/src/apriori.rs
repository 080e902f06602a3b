//! kᵐ-anonymity by generalization alone: the published algorithm, as a baseline.
//!
//! # Definition
//! Each item is released as one node of the hierarchy, everywhere the same, and with an item all items below its node
//! (full-subtree, global recoding). Nothing is removed from single persons.
//!
//! # Complexity
//! For each size i up to m all sets of i nodes of persons' items and their ancestors are listed and sorted: with sets of
//! s items and a tree of h levels Σ C(s·h, i), and 12 bytes for each.
//!
//! # References
//! AA (apriori-based anonymization) with DA (direct anonymization) for each size, of Terrovitis, Mamoulis, Kalnis:
//! "Privacy-preserving anonymization of set-valued data", PVLDB 1(1), 2008.
//!
//! # Deviations
//! - The count tree is a sorted list of sets: its order is the tree's preorder, a run of equal sets is a leaf with its count,
//!   and skipping what has a generalized item is the paper's backtracking.
//! - Above each root stands a node that says nothing, [`REMOVED`]: a forest needs no common root, and there is always a
//!   solution.
//! - Of several generalizations of a rare set that make it frequent the one of least NCP is taken, as in the paper; among
//!   equals the one that is found first, which is the one that leaves the rarest items alone.

use crate::asked::REMOVED;
use crate::{Sets, Tree};

/// The nodes that items are released as, and what that loses.
#[derive(Debug, Clone, PartialEq)]
pub struct Recoded {
    /// The node of each item below the largest that occurs; [`REMOVED`] of one that is not released.
    pub nodes: Vec<u32>,
    /// The normalized certainty penalty: over all pairs of a person and an item the mean of |leaves below the node| / |leaves|,
    /// 0 for an item that is released as it is.
    pub ncp: f64,
}

impl Recoded {
    /// What each pair of a person and an item is released as, in the order of [`Sets::items`].
    #[must_use]
    pub fn released(&self, sets: &Sets) -> Vec<u32> {
        sets.items().iter().map(|&item| self.nodes[item as usize]).collect()
    }
}

/// Generalizes items until each set of at most m released nodes that one person has, k persons have.
///
/// # Panics
/// If `m` is above 3.
#[must_use]
pub fn apriori(sets: &Sets, k: u32, m: u8, tree: &Tree) -> Recoded {
    assert!(m <= 3, "sets of {m} items: at most 3");
    let mut recoding = Recoding::new(sets, tree);
    for size in 1..=usize::from(m) {
        recoding.direct(sets, k, size);
    }
    recoding.end(sets)
}

/// Stands for no item in a set of fewer than three.
const NONE: u32 = u32::MAX;

/// A set of up to three nodes as positions in the order of the count tree, ascending, [`NONE`] behind.
type Nodes = [u32; 3];

struct Recoding {
    /// The parent of each node. Above each root there is a silent node of its own, and nothing above that.
    parents: Vec<u32>,
    /// The first of the silent nodes, which come last.
    silent: u32,
    /// How many pairs are at or below each node, how many leaves.
    pairs: Vec<u64>,
    leaves: Vec<u64>,
    /// What all pairs at or below each node lose by now.
    lost: Vec<u64>,
    /// Whether all below a node are released as it, or as a node above it.
    closed: Vec<bool>,
    /// The nodes in the order of the count tree: those of most persons first. And the place of each in it.
    order: Vec<u32>,
    places: Vec<u32>,
}

impl Recoding {
    fn new(sets: &Sets, tree: &Tree) -> Self {
        let silent = tree.len().max(sets.domain()) as u32;
        let mut all = silent;
        let mut parents = Vec::with_capacity(silent as usize);
        for node in 0..silent {
            parents.push(tree.parent(node).unwrap_or(all));
            all += u32::from(tree.parent(node).is_none());
        }
        let all = all as usize;
        let mut inner = vec![false; all];
        parents.iter().for_each(|&parent| inner[parent as usize] = true);
        let mut recoding = Self {
            lost: vec![0; all],
            pairs: vec![0; all],
            leaves: vec![0; all],
            closed: vec![false; all],
            order: Vec::new(),
            places: vec![0; parents.len()],
            parents,
            silent,
        };
        for leaf in (0..silent).filter(|&node| !inner[node as usize]) {
            for node in recoding.up(leaf).collect::<Vec<_>>() {
                recoding.leaves[node as usize] += 1;
            }
        }
        for &item in sets.items() {
            for node in recoding.up(item).collect::<Vec<_>>() {
                recoding.pairs[node as usize] += 1;
            }
        }
        recoding.sort(sets);
        recoding
    }

    /// The order of the count tree: by the number of persons, so that a node comes before those below it.
    fn sort(&mut self, sets: &Sets) {
        let mut persons = vec![0_u64; self.places.len()];
        for person in 0..sets.persons() {
            self.extended(sets.of(person)).into_iter().for_each(|node| persons[node as usize] += 1);
        }
        let depth = |&node: &u32| self.up(node).count();
        let mut order: Vec<u32> = (0..self.silent).collect();
        order.sort_by_key(|node| (std::cmp::Reverse(persons[*node as usize]), depth(node), *node));
        (0..).zip(&order).for_each(|(place, &node)| self.places[node as usize] = place);
        self.order = order;
    }

    /// A node and all above it, the silent one included.
    fn up(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(node), |&node| self.parents.get(node as usize).copied())
    }

    /// The node that an item is released as: the highest closed one above it, or itself.
    fn node(&self, item: u32) -> u32 {
        self.up(item).filter(|&node| self.closed[node as usize]).last().unwrap_or(item)
    }

    /// Whether a node is released as one above it.
    fn generalized(&self, node: u32) -> bool {
        self.node(node) != node
    }

    /// The released nodes of a set with all their ancestors, without the silent ones.
    fn extended(&self, items: &[u32]) -> Vec<u32> {
        let nodes = items.iter().flat_map(|&item| self.up(self.node(item)));
        let mut nodes: Vec<u32> = nodes.filter(|&node| node < self.silent).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    fn above(&self, upper: u32, lower: u32) -> bool {
        self.up(lower).any(|node| node == upper)
    }

    /// Whether one of two nodes is above the other.
    fn related(&self, one: u32, other: u32) -> bool {
        self.above(one, other) || self.above(other, one)
    }

    /// Makes all sets of `size` nodes frequent; smaller ones are.
    fn direct(&mut self, sets: &Sets, k: u32, size: usize) {
        let counts = self.count_tree(sets, size);
        for &(nodes, count) in &counts {
            let rare: Vec<u32> = nodes[..size].iter().map(|&place| self.order[place as usize]).collect();
            if count < k && !rare.iter().any(|&node| self.generalized(node)) {
                let targets = self.cheapest(&rare, k, size, &counts);
                targets.into_iter().for_each(|target| self.close(target));
            }
        }
    }

    /// How many persons have each set of `size` nodes of which none is above another, in preorder.
    fn count_tree(&self, sets: &Sets, size: usize) -> Vec<(Nodes, u32)> {
        let mut all = Vec::new();
        for person in 0..sets.persons() {
            let mut places: Vec<u32> =
                self.extended(sets.of(person)).iter().map(|&node| self.places[node as usize]).collect();
            places.sort_unstable();
            self.append(&places, [NONE; 3], 0, size, &mut all);
        }
        all.sort_unstable();
        all.chunk_by(|one, next| one == next).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// Appends all ways to add nodes of `places` to a set of `had` ones.
    fn append(&self, places: &[u32], set: Nodes, had: usize, size: usize, all: &mut Vec<Nodes>) {
        if had == size {
            all.push(set);
            return;
        }
        for (at, &place) in places.iter().enumerate() {
            let node = self.order[place as usize];
            if !set[..had].iter().any(|&other| self.related(self.order[other as usize], node)) {
                let mut more = set;
                more[had] = place;
                self.append(&places[at + 1..], more, had + 1, size, all);
            }
        }
    }

    /// The nodes to which a rare set climbs at the least loss, so that k persons have it. Each of its nodes can be removed.
    fn cheapest(&self, rare: &[u32], k: u32, size: usize, counts: &[(Nodes, u32)]) -> Vec<u32> {
        let mut ways: Vec<Vec<u32>> = vec![Vec::new()];
        for &node in rare {
            ways = ways
                .iter()
                .flat_map(|way| self.up(node).map(move |above| way.iter().copied().chain([above]).collect()))
                .collect();
        }
        let frequent = ways.into_iter().map(|way| self.topmost(way)).filter(|way| {
            way.iter().filter(|&&node| node < self.silent).count() < size || self.count(way, counts) >= k
        });
        frequent.min_by_key(|way| self.loss(way)).unwrap_or_default()
    }

    /// Without the nodes that are below another one of them.
    fn topmost(&self, mut way: Vec<u32>) -> Vec<u32> {
        way.sort_unstable();
        way.dedup();
        let all = way.clone();
        way.retain(|&node| !all.iter().any(|&other| other != node && self.above(other, node)));
        way
    }

    /// How many persons have these nodes.
    fn count(&self, way: &[u32], counts: &[(Nodes, u32)]) -> u32 {
        let mut nodes = [NONE; 3];
        nodes.iter_mut().zip(way).for_each(|(place, &node)| *place = self.places[node as usize]);
        nodes[..way.len()].sort_unstable();
        counts.binary_search_by_key(&nodes, |&(nodes, _)| nodes).map_or(0, |at| counts[at].1)
    }

    /// How much more is lost if all below these nodes are released as them.
    fn loss(&self, way: &[u32]) -> u64 {
        way.iter().map(|&node| self.whole(node).saturating_sub(self.lost[node as usize])).sum()
    }

    /// What all pairs below a node lose if they are released as it.
    fn whole(&self, node: u32) -> u64 {
        let leaves = if node < self.silent { self.leaves[node as usize] } else { self.all_leaves() };
        if leaves > 1 || node >= self.silent { self.pairs[node as usize] * leaves } else { 0 }
    }

    fn all_leaves(&self) -> u64 {
        self.leaves[self.silent as usize..].iter().sum()
    }

    /// Releases all below a node as it.
    fn close(&mut self, node: u32) {
        if self.closed[node as usize] || self.generalized(node) {
            return;
        }
        self.closed[node as usize] = true;
        let more = self.whole(node).saturating_sub(self.lost[node as usize]);
        for above in self.up(node).collect::<Vec<_>>() {
            self.lost[above as usize] += more;
        }
    }

    fn end(self, sets: &Sets) -> Recoded {
        let node = |item: u32| Some(self.node(item)).filter(|&node| node < self.silent).unwrap_or(REMOVED);
        let nodes = (0..sets.domain() as u32).map(node).collect();
        let most = sets.len() as u64 * self.all_leaves();
        let lost: u64 = self.lost[self.silent as usize..].iter().sum();
        Recoded { nodes, ncp: if most == 0 { 0.0 } else { lost as f64 / most as f64 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's running example: leaves a1, a2, b1, b2 are 0 to 3, A is 4, B 5, the root 6.
    fn example() -> (Sets, Tree) {
        let pairs =
            vec![(0, 0), (0, 2), (0, 3), (1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 0), (3, 1), (3, 3)];
        let parents = vec![Some(4), Some(4), Some(5), Some(5), Some(6), Some(6), None];
        (Sets::from_pairs(4, pairs), Tree::new(parents).expect("a tree"))
    }

    #[test]
    fn the_papers_example_generalizes_a() {
        let (sets, tree) = example();
        let recoded = apriori(&sets, 2, 2, &tree);
        assert_eq!(recoded.nodes, [4, 4, 2, 3]);
        // Of 11 pairs 5 are released as one of two leaves of four.
        assert!((recoded.ncp - 5.0 * 0.5 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn single_items_of_the_example_are_frequent_already() {
        let (sets, tree) = example();
        let recoded = apriori(&sets, 2, 1, &tree);
        assert_eq!((recoded.nodes, recoded.ncp), (vec![0, 1, 2, 3], 0.0));
    }

    #[test]
    fn what_no_ancestor_makes_frequent_is_removed() {
        let (sets, tree) = example();
        let recoded = apriori(&sets, 5, 1, &tree);
        assert_eq!((recoded.nodes, recoded.ncp), (vec![REMOVED; 4], 1.0));
    }
}
