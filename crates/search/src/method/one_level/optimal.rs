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
//! On lattices of more than 2¹⁸ nodes the proof is given up once some 4·10⁷ combinations were grouped over all nodes: a wide table
//! of few records is then answered in seconds by [`iterated_local_search`], or by the best node so far, with the greater of both bounds.
//! The release says that its node is not proven.
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
use crate::method::kit::search::{Best, Budget, FoundNode, Instead, NodeSearch, Strategy, infeasible};
use crate::method::one_level;
use crate::method::{Entry, MethodError, Purpose};
use crate::metric::Score;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    purpose: Purpose::Everyday,
    stated: one_level::stated_with_proof,
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

/// Lattices of so many nodes are finished, whatever it takes.
const FINISHED: u128 = 1 << 18;

/// The combinations that are grouped over all nodes of a larger lattice before the search gives up its proof: some seconds.
const MOST_GROUPED: usize = 40_000_000;

/// The least nodes that are grouped before.
const LEAST_GROUPED: usize = 2_000;

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let Some(nodes) = search.lattice.len().filter(|nodes| *nodes <= MOST_NODES) else {
        // Too large to keep the state of every node, and mostly to prove anything.
        return iterated_local_search::instead_of_a_proof(search);
    };
    let most = (MOST_GROUPED / search.table.len().max(1)).max(LEAST_GROUPED) as u64;
    within(search, nodes as usize, (nodes > FINISHED).then_some(most))
}

/// The proof, of which at most so many groupings are made, and what takes its place where they do not suffice.
fn within(search: &NodeSearch<'_>, nodes: usize, most: Option<u64>) -> Result<FoundNode, MethodError> {
    let budget = Budget { steps: search.budget.steps.or(most), ..search.budget };
    let proof = NodeSearch { budget, ..*search };
    let mut state = State::new(nodes, Best::default());
    proof.descend(&mut state)?;
    match proof.exclude_the_rest(&mut state)? {
        Some(least) if search.budget.is_left(state.examined) => given_up(search, state, least),
        least => state.found(least),
    }
}

/// The better of the best node before the proof was given up and that of the search for large lattices; `least` bounds what the proof
/// did not come to.
fn given_up(search: &NodeSearch<'_>, state: State, least: Score) -> Result<FoundNode, MethodError> {
    let other = iterated_local_search::instead_of_a_proof(search);
    if state.best.0.is_none() {
        return other;
    }
    let own = state.found(Some(least))?;
    let other = match other {
        Err(MethodError::Infeasible(_)) => return Ok(own),
        other => other?,
    };
    let examined = own.examined + other.examined;
    let at_least = own.at_least.clone().into_iter().chain(other.at_least.clone()).max_by(Score::total_cmp);
    let mut better = Best::default();
    [own, other].iter().for_each(|found| better.offer(&found.score, &found.node));
    let (score, node) = better.0.ok_or_else(infeasible)?;
    Ok(FoundNode { node, score, examined, at_least })
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
    use velamen_core::context::{Context, Silent};
    use velamen_core::frequency::{Counted, FrequencyTable};
    use velamen_dp::Seed;

    use super::*;
    use crate::method::kit::evaluate::Outliers;
    use crate::method::one_level::full_domain::FullDomain;
    use crate::method::one_level::iterated_local_search::tests::{demanded, tables};
    use crate::metric::{self, MetricOptions};

    /// A proof that is given up after three groupings.
    const GIVEN_UP: Strategy = Strategy::of("given-up", |search| {
        within(search, search.lattice.len().unwrap_or(0) as usize, Some(3))
    });

    fn found(table: &FrequencyTable, limit: f64, strategy: Strategy) -> Result<FoundNode, MethodError> {
        let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
        let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
        let loss = (metric::find("loss").unwrap().bind)(&Counted::of(table), &MetricOptions::default());
        demanded(table, (3, limit, Outliers::Suppress), &*loss, |demand| {
            FullDomain { demand, lattice: None, strategy, budget: Budget::default() }.search(table, &context)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_proof_that_is_given_up_bounds_what_a_whole_one_finds(table in tables(), limit in 0.0f64..0.6) {
            match (found(&table, limit, STRATEGY), found(&table, limit, GIVEN_UP)) {
                (Ok(proven), Ok(other)) => {
                    prop_assert!(proven.is_proven());
                    // So small a lattice is proven by the search that takes the proof's place.
                    prop_assert_eq!(&other.node, &proven.node);
                    let bound = other.at_least.expect("a bound");
                    prop_assert!(bound.total_cmp(&proven.score).is_le());
                }
                (proven, other) => prop_assert_eq!(proven.is_err(), other.is_err()),
            }
        }
    }
}
