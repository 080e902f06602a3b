//! A cut through the hierarchy: the node that each item is released as.

use crate::Tree;

/// Which node each item is released as: itself, where the cut says nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Cut(Vec<u32>);

impl Cut {
    /// Every item is released as itself.
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// The node that an item is released as.
    pub(super) fn node(&self, item: u32) -> u32 {
        self.0.get(item as usize).copied().unwrap_or(item)
    }

    /// The cut in which everything below one of the `families` is released as the topmost of them above it.
    pub(super) fn raised(&self, tree: &Tree, families: &[bool]) -> Self {
        Self((0..tree.len() as u32).map(|item| self.topmost(item, tree, families)).collect())
    }

    /// The topmost of the families above an item's node; the node itself, if there is none.
    fn topmost(&self, item: u32, tree: &Tree, families: &[bool]) -> u32 {
        let node = self.node(item);
        tree.path(node).filter(|&above| families[above as usize]).last().unwrap_or(node)
    }
}

/// Appends the distinct values of `nodes`, ascending.
pub(super) fn append_distinct(nodes: impl Iterator<Item = u32>, items: &mut Vec<u32>) {
    let start = items.len();
    items.extend(nodes);
    items[start..].sort_unstable();
    let mut end = start;
    for at in start..items.len() {
        if end == start || items[end - 1] != items[at] {
            items[end] = items[at];
            end += 1;
        }
    }
    items.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_family_wins() {
        let tree = Tree::new(vec![Some(3), Some(3), Some(4), Some(5), Some(5), None]).expect("a tree");
        let low = Cut::none().raised(&tree, &[false, false, false, true, false, false]);
        assert_eq!([0, 1, 2, 9].map(|item| low.node(item)), [3, 3, 2, 9]);
        let both = Cut::none().raised(&tree, &[false, false, false, true, false, true]);
        assert_eq!([0, 1, 2].map(|item| both.node(item)), [5, 5, 5]);
        assert_eq!(low.raised(&tree, &[false; 6]).node(0), 3);
    }

    #[test]
    fn distinct_values_are_appended() {
        let mut items = vec![9];
        append_distinct([3, 1, 3, 9, 1].into_iter(), &mut items);
        assert_eq!(items, [9, 1, 3, 9]);
    }
}
