//! What metrics see of a lattice node once its classes are grouped and judged.

use crate::lattice::Node;

/// What a metric must be told of the classes; what it does not need is not gathered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// The codes of kept classes.
    pub kept_codes: bool,
    /// The codes of suppressed classes.
    pub suppressed_codes: bool,
    /// The combinations of the other columns in each class.
    pub rest: bool,
    /// Per attribute, the suppressed records of each leaf.
    pub suppressed_leaves: bool,
}

impl Needs {
    /// All that either needs.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            kept_codes: self.kept_codes || other.kept_codes,
            suppressed_codes: self.suppressed_codes || other.suppressed_codes,
            rest: self.rest || other.rest,
            suppressed_leaves: self.suppressed_leaves || other.suppressed_leaves,
        }
    }
}

/// Classes of one fate.
#[derive(Debug, Clone, Default)]
pub struct Bag {
    /// |E| of each class.
    pub sizes: Vec<u64>,
    /// The codes of each class's quasi-identifiers at the node, one class after the other.
    pub codes: Vec<u32>,
    /// The combinations of the rest in each class, one class after the other.
    pub rest: Vec<u32>,
}

impl Bag {
    /// Σ |E|.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// Each class's size with its codes of `qis` attributes.
    pub fn classes(&self, qis: usize) -> impl Iterator<Item = (f64, &[u32])> {
        self.sizes.iter().map(|&size| size as f64).zip(self.codes.chunks_exact(qis.max(1)))
    }

    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.sizes.clear();
        self.codes.clear();
        self.rest.clear();
    }
}

/// A node with the fate of its classes.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The node.
    pub node: &'a Node,
    /// Classes that are released.
    pub kept: &'a Bag,
    /// Classes that are suppressed whole.
    pub suppressed: &'a Bag,
    /// Per attribute the suppressed records of each leaf; empty unless needed.
    pub suppressed_leaves: &'a [Vec<u64>],
}
