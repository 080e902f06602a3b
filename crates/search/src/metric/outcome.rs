//! What metrics see of a lattice node once its classes are grouped and judged.

use velamen_core::lattice::Node;
use velamen_core::plan::Bag;

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
