//! Top-down specialization.
//!
//! # Summary
//! A greedy walk down: from the top always to the anonymous predecessor of least figure, as long as
//! there is one that is no worse. Fast and never far up, but it stops at the first local optimum.
//!
//! # Complexity
//! Time O(height of the lattice · attributes · classes).
//!
//! # References
//! Fung, Wang & Yu 2005, "Top-down specialization for information and privacy preservation".
//!
//! # Deviations
//! Specializes a whole attribute at a time, by the metric of the recipe instead of information gain.

use velamen_core::lattice::Node;

use crate::method::kit::search::{Best, FoundNode, NodeSearch, Strategy, infeasible};
use crate::method::one_level;
use crate::method::{Entry, MethodError};

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = one_level::entry(
    STRATEGY.name,
    "A greedy walk down from the top.",
    |section| {
        one_level::words(
            section,
            "Every attribute is released at one level of detail, found by a quick search that need not find the best.",
        )
    },
    |keys, task| one_level::parse(STRATEGY, keys, task),
);

/// The search by name.
pub const STRATEGY: Strategy = Strategy::of("top-down", search);

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let mut best = Best::default();
    let mut open = vec![search.lattice.top()];
    let mut examined = 0;
    // Whoever asks for the best so far gets the top at least.
    while !open.is_empty() && (examined == 0 || search.budget.is_left(examined)) {
        examined += open.len();
        let before = best.0.as_ref().map(|(_, node)| node.clone());
        for (node, examined) in open.iter().zip(search.examine(&open)?) {
            if let Some(score) = examined.checked.score() {
                best.offer(score, node);
            }
        }
        let moved = best.0.as_ref().map(|(_, node)| node).filter(|node| Some(*node) != before.as_ref());
        open = moved.map_or_else(Vec::new, |node: &Node| search.lattice.predecessors(node).collect());
    }
    let (score, node) = best.0.ok_or_else(infeasible)?;
    Ok(FoundNode { node, score, examined, at_least: None })
}
