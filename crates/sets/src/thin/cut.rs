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
        let topmost = |item: u32| {
            let node = self.node(item);
            tree.path(node).filter(|&above| families[above as usize]).last().unwrap_or(node)
        };
        Self((0..tree.len() as u32).map(topmost).collect())
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
