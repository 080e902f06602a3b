//! A hierarchy over items.

use thiserror::Error;

/// A hierarchy over items: a forest whose nodes are numbers.
///
/// Leaves come first, `0..leaves`, and inner nodes behind them; nothing here depends on it, and an item may be an inner node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    parents: Vec<Option<u32>>,
    depths: Vec<u32>,
    /// How many leaves there are at or below each node.
    leaves: Vec<u32>,
    /// How many leaves there are.
    all_leaves: u32,
}

/// Why parents are no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TreeError {
    /// A parent that is no node.
    #[error("node {node} has the parent {parent}, but there are only {nodes} nodes")]
    Unknown {
        /// The child.
        node: u32,
        /// Its parent.
        parent: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A node that is its own ancestor.
    #[error("node {node} is its own ancestor")]
    Circle {
        /// A node from which no root is reached.
        node: u32,
    },
}

impl Tree {
    /// The tree in which each node has the given parent, a root none. O(nodes).
    ///
    /// # Errors
    /// A parent that is no node, or a node from which no root is reached.
    pub fn new(parents: Vec<Option<u32>>) -> Result<Self, TreeError> {
        let nodes = parents.len();
        for (node, parent) in (0..).zip(&parents) {
            if let Some(parent) = parent.filter(|&parent| parent as usize >= nodes) {
                return Err(TreeError::Unknown { node, parent, nodes });
            }
        }
        let depths = depths(&parents)?;
        let mut tree = Self { leaves: vec![0; nodes], all_leaves: 0, parents, depths };
        tree.count_leaves();
        Ok(tree)
    }

    fn count_leaves(&mut self) {
        let mut inner = vec![false; self.len()];
        self.parents.iter().flatten().for_each(|&parent| inner[parent as usize] = true);
        let mut leaves = vec![0; self.len()];
        for leaf in (0..self.len() as u32).filter(|&node| !inner[node as usize]) {
            self.all_leaves += 1;
            self.path(leaf).for_each(|node| leaves[node as usize] += 1);
        }
        self.leaves = leaves;
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// A node's parent; none of a root, or of an item that the tree does not have.
    #[must_use]
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.parents.get(node as usize).copied().flatten()
    }

    /// How many steps a node is below its root: 0 of a root, or of an item that the tree does not have.
    #[must_use]
    pub fn depth(&self, node: u32) -> u32 {
        self.depths.get(node as usize).copied().unwrap_or(0)
    }

    /// A node and all its ancestors, upwards.
    pub fn path(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(node), |&node| self.parent(node))
    }

    /// What a released node still says of an item below it: 1 of the item itself, and a share less for each step up, so
    /// that what lies one step above the root would say nothing. With three levels above the leaves 1, ¾, ½ and ¼.
    #[must_use]
    pub fn worth(&self, item: u32, node: u32) -> f64 {
        let depth = self.depth(item);
        let climbed = depth.saturating_sub(self.depth(node));
        1.0 - f64::from(climbed) / f64::from(depth + 1)
    }

    /// The normalized certainty penalty of a released node: the share of all leaves that lie at or below it; 0 if that is
    /// one at most, or if the tree does not have it.
    #[must_use]
    pub fn penalty(&self, node: u32) -> f64 {
        let leaves = self.leaves.get(node as usize).copied().filter(|&leaves| leaves > 1).unwrap_or(0);
        f64::from(leaves) / f64::from(self.all_leaves.max(1))
    }
}

/// How deep each node lies.
fn depths(parents: &[Option<u32>]) -> Result<Vec<u32>, TreeError> {
    let mut depths: Vec<Option<u32>> = vec![None; parents.len()];
    let mut way = Vec::new();
    for start in 0..parents.len() {
        let mut node = start;
        let mut depth = loop {
            if let Some(depth) = depths[node] {
                break depth + 1;
            }
            way.push(node);
            if way.len() > parents.len() {
                return Err(TreeError::Circle { node: start as u32 });
            }
            match parents[node] {
                Some(parent) => node = parent as usize,
                None => break 0,
            }
        };
        while let Some(node) = way.pop() {
            depths[node] = Some(depth);
            depth += 1;
        }
    }
    Ok(depths.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves 0 to 3, categories 4 and 5, the chapter 6.
    fn tree() -> Tree {
        Tree::new(vec![Some(4), Some(4), Some(5), Some(6), Some(6), Some(6), None]).expect("a tree")
    }

    #[test]
    fn depths_are_steps_below_the_root() {
        let tree = tree();
        assert_eq!((0..7).map(|node| tree.depth(node)).collect::<Vec<_>>(), [2, 2, 2, 1, 1, 1, 0]);
        assert_eq!(tree.path(2).collect::<Vec<_>>(), [2, 5, 6]);
    }

    #[test]
    fn each_step_up_says_less() {
        let tree = tree();
        assert_eq!([0, 4, 6].map(|node| tree.worth(0, node)), [1.0, 1.0 - 1.0 / 3.0, 1.0 - 2.0 / 3.0]);
        assert_eq!(tree.worth(9, 9), 1.0);
    }

    #[test]
    fn a_node_is_penalized_for_its_leaves() {
        let tree = tree();
        assert_eq!([0, 3, 5, 4, 6, 9].map(|node| tree.penalty(node)), [0.0, 0.0, 0.0, 0.5, 1.0, 0.0]);
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        assert_eq!(Tree::new(vec![None, Some(2)]), Err(TreeError::Unknown { node: 1, parent: 2, nodes: 2 }));
        assert_eq!(Tree::new(vec![None, Some(2), Some(1)]), Err(TreeError::Circle { node: 1 }));
        assert_eq!(Tree::new(vec![Some(0)]), Err(TreeError::Circle { node: 0 }));
    }
}
