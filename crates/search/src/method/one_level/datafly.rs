//! Datafly.
//!
//! # Summary
//! A greedy walk up: while the node is not anonymous, the attribute with the most different values in
//! the table as generalized so far is generalized by one level. Fast, far from optimal.
//!
//! # Definition
//! Start at the bottom; stop at the first anonymous node; then suppress its outliers. Ties go to the
//! first attribute.
//!
//! # Complexity
//! Time O(height of the lattice · classes).
//!
//! # References
//! Sweeney 1998, "Datafly: a system for providing anonymity in medical data"; Sweeney 2002.
//!
//! # Deviations
//! Any model, not k-anonymity alone; the limit on outliers is the recipe's, not k.

use std::cmp::Reverse;

use velamen_core::lattice::Node;

use crate::method::kit::search::{FoundNode, NodeSearch, Strategy, infeasible};
use crate::method::one_level;
use crate::method::{Entry, MethodError};

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = one_level::entry(
    STRATEGY.name,
    "Sweeney's greedy walk up.",
    |section| {
        one_level::words(
            section,
            "Every attribute is released at one level of detail, found by a quick search that need not find the best.",
        )
    },
    |keys, task| one_level::parse(STRATEGY, keys, task),
);

/// The search by name.
pub const STRATEGY: Strategy = Strategy::of("datafly", search);

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let mut node = search.lattice.bottom();
    for examined in 1.. {
        let checked = search.examine(std::slice::from_ref(&node))?.remove(0).checked;
        if let Some(score) = checked.score() {
            return Ok(FoundNode { score: score.clone(), node, examined, at_least: None });
        }
        node = most_values(search, &node).ok_or_else(infeasible)?;
    }
    Err(infeasible())
}

/// The successor that generalizes the attribute of the most different values.
fn most_values(search: &NodeSearch<'_>, node: &Node) -> Option<Node> {
    let values = |next: &Node| {
        let raised = (0..node.0.len()).find(|&q| next.0[q] > node.0[q]);
        raised.map_or(0, |q| search.table.qis[q].hierarchy.width(node.0[q]))
    };
    search.lattice.successors(node).min_by_key(|next| Reverse(values(next)))
}
