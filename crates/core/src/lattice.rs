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

    /// The node with another level of one attribute.
    #[must_use]
    pub fn at(&self, attribute: usize, level: u8) -> Self {
        let mut levels = self.0.clone();
        levels[attribute] = level;
        Self(levels)
    }

    /// Whether no attribute of `self` is more general than in `other`.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }
}

/// All nodes between a bottom and a top; never held in memory as a whole by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    bottom: Vec<u8>,
    top: Vec<u8>,
}

impl Lattice {
    /// The lattice from the untouched data to a top of these levels.
    #[must_use]
    pub fn new(top: Vec<u8>) -> Self {
        Self { bottom: vec![0; top.len()], top }
    }

    /// The nodes between two nodes. Where `bottom` is not below `top`, its levels are lowered.
    #[must_use]
    pub fn between(bottom: &Node, top: &Node) -> Self {
        let bottom = bottom.0.iter().zip(&top.0).map(|(&b, &t)| b.min(t)).collect();
        Self { bottom, top: top.0.clone() }
    }

    /// The most general node.
    #[must_use]
    pub fn top(&self) -> Node {
        Node(self.top.clone())
    }

    /// The least general node.
    #[must_use]
    pub fn bottom(&self) -> Node {
        Node(self.bottom.clone())
    }

    /// How many levels each attribute can have.
    fn sizes(&self) -> impl DoubleEndedIterator<Item = (u8, usize)> + ExactSizeIterator + '_ {
        self.bottom.iter().zip(&self.top).map(|(&bottom, &top)| (bottom, usize::from(top - bottom) + 1))
    }

    /// The number of nodes, `None` past 2¹²⁸ − 1.
    #[must_use]
    pub fn len(&self) -> Option<u128> {
        self.sizes().try_fold(1u128, |product, (_, size)| product.checked_mul(size as u128))
    }

    /// A lattice has at least its bottom.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The node's number in lexicographic order. The lattice must have fewer than 2⁶⁴ nodes.
    #[must_use]
    pub fn index(&self, node: &Node) -> usize {
        let levels = node.0.iter().zip(self.sizes());
        levels.fold(0, |index, (&level, (bottom, size))| index * size + usize::from(level - bottom))
    }

    /// The node of that number: the inverse of [`Lattice::index`].
    #[must_use]
    pub fn node(&self, mut index: usize) -> Node {
        let mut levels = self.bottom.clone();
        for (level, (_, size)) in levels.iter_mut().zip(self.sizes()).rev() {
            *level += (index % size) as u8;
            index /= size;
        }
        Node(levels)
    }

    /// The nodes one step more specific, in the order of the attributes.
    pub fn predecessors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        (0..node.0.len()).filter(|&i| node.0[i] > self.bottom[i]).map(|i| node.at(i, node.0[i] - 1))
    }

    /// The nodes one step more general, in the order of the attributes.
    pub fn successors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        (0..node.0.len()).filter(|&i| node.0[i] < self.top[i]).map(|i| node.at(i, node.0[i] + 1))
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
    fn a_part_of_a_lattice_is_one() {
        let part = Lattice::between(&Node(vec![1, 0, 2]), &Node(vec![2, 0, 4]));
        assert_eq!(part.len(), Some(6));
        assert!((0..6).all(|i| part.index(&part.node(i)) == i && part.bottom().is_below(&part.node(i))));
        assert_eq!(part.node(5), part.top());
        assert_eq!(part.predecessors(&part.bottom()).count(), 0);
        assert_eq!(part.successors(&part.bottom()).count(), 2);
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
