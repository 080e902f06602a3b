//! Optimal full-domain generalization.
//!
//! # Summary
//! Finds the lattice node of least information loss whose classes all meet the privacy models, up
//! to a share of suppressed records, and proves it: every node that is not examined is excluded by
//! a bound.
//!
//! # Definition
//! Among the anonymous nodes ([`evaluate`](crate::method::kit::evaluate)) the one of least metric wins; ties go to
//! the lower height, then to the lexicographically smaller node.
//!
//! # Why nothing is missed
//! 1. Below a node that is not anonymous none is, where a proof says so ([`Monotonicity`](crate::model::Monotonicity)): models
//!    that hold of every superset of a class that holds (k-anonymity, distinct l-diversity) never
//!    suppress more records further up; models that hold of merged classes if they hold of each
//!    (t-closeness, entropy l-diversity) do so as long as nothing may be suppressed. Where records may be
//!    suppressed, a class that fails one of these still loses some records at every node below: how many
//!    at least, the model says ([`ClassModel::least_lost`](crate::model::ClassModel::least_lost)); if
//!    that is more than may be suppressed, all nodes below are excluded.
//! 2. Every metric has a bound that needs only marginal counts, never falls towards the top and is at
//!    most the node's figure, whatever is suppressed ([`Metric`](crate::metric::Metric)): for metrics
//!    of cells the figure without suppression. Nodes whose bound exceeds the best figure found are
//!    excluded. Metrics of class sizes learn such a bound from grouping a node; it then holds for all
//!    nodes above.
//!
//! 3. Records of a class of which no part can hold further down are suppressed at every node below.
//!    What that adds to the metric there is part of the bound.
//!
//! The search walks down from the top to a first good node, then examines the nodes that the bound
//! leaves: highest bound first where failures exclude nodes, because those are cheap to group and
//! each failure excludes all below it; lowest bound first where they do not, because then only the
//! bound can end the search.
//!
//! # Complexity
//! Time O(nodes examined · classes), memory O(nodes + distinct combinations).
//!
//! # References
//! LeFevre 2005 (Incognito); El Emam 2009 (OLA); Kohlmayer 2012 (Flash): all find the same optimum.
//! Lee 2017 compares with this and with the variant with relocation (Nergiz & Gök 2014, hybrid k-anonymity).

use velamen_core::context::Interrupted;
use velamen_core::lattice::Node;

use super::iterated_local_search;
use crate::method::kit::exclusion::{MOST_NODES, State};
use crate::method::kit::search::{Best, FoundNode, Instead, NodeSearch, Strategy};
use crate::method::one_level;
use crate::method::{Entry, MethodError, Purpose};

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    purpose: Purpose::Everyday,
    ..one_level::entry(
        STRATEGY.name,
        "The full-domain generalization of least loss, proven optimal.",
        |section| {
            one_level::words(
                section,
                "Every attribute is released at one level of detail. Of all combinations of levels that keep the promises, the one that loses least was chosen, and it is proven that none loses less.",
            )
        },
        |keys, task| one_level::parse(STRATEGY, keys, task),
    )
};

/// The search by name.
pub const STRATEGY: Strategy = Strategy {
    proves: true,
    instead: Some(Instead { beyond: MOST_NODES, strategy: &iterated_local_search::STRATEGY }),
    ..Strategy::of("optimal", search)
};

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let Some(nodes) = search.lattice.len().filter(|nodes| *nodes <= MOST_NODES) else {
        // Too large to keep the state of every node, and mostly to prove anything.
        return iterated_local_search::instead_of_a_proof(search);
    };
    let mut state = State::new(nodes as usize, Best::default());
    search.descend(&mut state)?;
    let least = search.exclude_the_rest(&mut state)?;
    state.found(least)
}

impl NodeSearch<'_> {
    /// From the top, always to the best anonymous predecessor.
    fn descend(&self, state: &mut State) -> Result<(), Interrupted> {
        let mut node = self.lattice.top();
        if self.examine_all(std::slice::from_ref(&node), state)?[0].score().is_none() {
            return Ok(());
        }
        while self.budget.is_left(state.examined) {
            let below: Vec<Node> =
                self.lattice.predecessors(&node).filter(|n| state.is_open(self.lattice.index(n))).collect();
            let checked = self.examine_all(&below, state)?;
            let best = below.into_iter().zip(checked).filter_map(|(n, c)| Some((c.score()?.clone(), n)));
            match best.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((_, next)) => node = next,
                None => break,
            }
        }
        Ok(())
    }
}
