//! The generalization lattice: one level per quasi-identifier.

/// A lattice node: the level of each quasi-identifier, in the order of the attributes.
///
/// `Ord` is lexicographic and serves ties only; the lattice's own order is [`Node::is_below`].
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub Vec<u8>);

impl Node {
    /// The sum of the levels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.0.iter().map(|&level| u32::from(level)).sum()
    }

    /// Whether no attribute of `self` is more general than in `other`.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }
}

/// All nodes between `[0, …, 0]` and the top; never held in memory as a whole by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    top: Vec<u8>,
}

impl Lattice {
    /// The lattice whose top has these levels.
    #[must_use]
    pub fn new(top: Vec<u8>) -> Self {
        Self { top }
    }

    /// The most general node.
    #[must_use]
    pub fn top(&self) -> Node {
        Node(self.top.clone())
    }

    /// The untouched data.
    #[must_use]
    pub fn bottom(&self) -> Node {
        Node(vec![0; self.top.len()])
    }

    /// The number of nodes, `None` past 2¹²⁸ − 1.
    #[must_use]
    pub fn len(&self) -> Option<u128> {
        self.top.iter().try_fold(1u128, |product, &top| product.checked_mul(u128::from(top) + 1))
    }

    /// A lattice has at least its bottom.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The node's number in lexicographic order. The lattice must have fewer than 2⁶⁴ nodes.
    #[must_use]
    pub fn index(&self, node: &Node) -> usize {
        node.0
            .iter()
            .zip(&self.top)
            .fold(0, |index, (&level, &top)| index * (usize::from(top) + 1) + usize::from(level))
    }

    /// The node of that number: the inverse of [`Lattice::index`].
    #[must_use]
    pub fn node(&self, mut index: usize) -> Node {
        let mut levels = vec![0; self.top.len()];
        for (level, &top) in levels.iter_mut().zip(&self.top).rev() {
            let size = usize::from(top) + 1;
            *level = (index % size) as u8;
            index /= size;
        }
        Node(levels)
    }

    /// The nodes one step more specific, in the order of the attributes.
    pub fn predecessors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        (0..node.0.len()).filter(|&i| node.0[i] > 0).map(|i| {
            let mut levels = node.0.clone();
            levels[i] -= 1;
            Node(levels)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_node_are_inverse() {
        let lattice = Lattice::new(vec![4, 1, 4, 2, 1]);
        assert_eq!(lattice.len(), Some(300));
        assert!((0..300).all(|i| lattice.index(&lattice.node(i)) == i));
        assert_eq!(lattice.node(299), lattice.top());
    }

    #[test]
    fn predecessors_are_one_level_lower() {
        let lattice = Lattice::new(vec![2, 1]);
        let below: Vec<Node> = lattice.predecessors(&Node(vec![2, 0])).collect();
        assert_eq!(below, [Node(vec![1, 0])]);
        assert!(below[0].is_below(&lattice.top()));
        assert_eq!(lattice.top().height(), 3);
    }
}
