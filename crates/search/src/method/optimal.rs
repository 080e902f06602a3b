//! Optimal full-domain generalization.
//!
//! # Summary
//! Finds the lattice node of least information loss whose classes all meet the privacy models, up
//! to a share of suppressed records, and proves it: every node that is not examined is excluded by
//! a bound.
//!
//! # Definition
//! Among the anonymous nodes ([`evaluate`](super::evaluate)) the one of least metric wins; ties go to
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

use rustc_hash::FxHashMap;
use velamen_core::context::Interrupted;
use velamen_core::lattice::Node;

use super::evaluate::{Checked, Examined};
use super::one_level::{self, SearchKeys};
use super::search::{Best, Found, Search, Strategy, infeasible};
use super::{Entry, MethodError, iterated_local_search, keys};
use crate::metric::Score;

/// The most lattice nodes whose state is held at once.
pub const MOST_NODES: u128 = 1 << 24;

/// Nodes examined between two looks at the bound; a constant, so that the result of every step is
/// the same on any number of threads.
const WAVE: usize = 8;

/// What is known of each node, by its number.
struct State {
    /// Excluded: not anonymous, or above the best figure.
    excluded: Vec<bool>,
    /// Already examined.
    seen: Vec<bool>,
    /// What is lost at the node or above it, and so at all below it.
    carried: FxHashMap<usize, Vec<f64>>,
    best: Best,
    examined: usize,
}

/// The method in the registry.
pub(super) const ENTRY: Entry = Entry {
    name: STRATEGY.name,
    summary: "The full-domain generalization of least loss, proven optimal.",
    alias: None,
    words: |section| {
        one_level::words(
            section,
            "Every attribute is released at one level of detail. Of all combinations of levels that keep the promises, the one that loses least was chosen, and it is proven that none loses less.",
        )
    },
    facts: one_level::facts,
    parse: |keys, task| one_level::parse(STRATEGY, keys, task),
    schema: keys::schema::<SearchKeys>,
    keys: keys::names::<SearchKeys>,
};

/// The search by name.
pub const STRATEGY: Strategy = Strategy { name: "optimal", search };

fn search(search: &Search<'_>) -> Result<Found, MethodError> {
    let Some(nodes) = search.lattice.len().filter(|nodes| *nodes <= MOST_NODES) else {
        // Too large to keep the state of every node, and mostly to prove anything.
        return iterated_local_search::instead_of_a_proof(search);
    };
    let mut state = State::new(nodes as usize, Best::default());
    search.descend(&mut state)?;
    let least = search.exclude_the_rest(&mut state)?;
    state.found(least)
}

/// Excludes what cannot be better than the best node of another search, as far as the budget goes. The lattice has at
/// most [`MOST_NODES`].
pub(super) fn prove(search: &Search<'_>, best: Best) -> Result<Found, MethodError> {
    let nodes = search.lattice.len().unwrap_or(0) as usize;
    let mut state = State::new(nodes, best);
    let least = search.exclude_the_rest(&mut state)?;
    state.found(least)
}

impl Search<'_> {
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

    /// Examines what the bounds leave, as far as the budget goes; gives the least bound of what it did not come to.
    fn exclude_the_rest(&self, state: &mut State) -> Result<Option<Score>, Interrupted> {
        let mut open: Vec<(f64, u32)> = (0..state.excluded.len())
            .filter(|&i| state.is_open(i))
            .map(|i| (self.bound(&self.lattice.node(i)), i as u32))
            .filter(|(bound, _)| !state.best.beats(bound))
            .map(|(bound, i)| (bound.first(), i))
            .collect();
        open.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if self.evaluate.prunes_by_all() {
            open.reverse();
        }
        let total = open.len() as u64;
        let mut open = open.into_iter().map(|(_, index)| index as usize);
        let mut left = total;
        loop {
            let mut wave = Vec::with_capacity(WAVE);
            while wave.len() < WAVE
                && let Some(index) = open.next()
            {
                left -= 1;
                let node = self.lattice.node(index);
                if state.is_open(index) && self.may_win(&node, index, state) {
                    wave.push(node);
                }
            }
            self.context.progress.step("searching", total - left, total);
            if wave.is_empty() {
                return Ok(None);
            }
            if !self.budget.is_left(state.examined) {
                let waiting = wave.into_iter().chain(open.map(|index| self.lattice.node(index)));
                return Ok(waiting.map(|node| self.bound(&node)).min_by(Score::total_cmp));
            }
            self.examine_all(&wave, state)?;
        }
    }

    /// Whether a node can still win, given what is lost at the nodes just above it.
    fn may_win(&self, node: &Node, index: usize, state: &mut State) -> bool {
        if !state.best.yields_to(&self.bound(node), node) {
            return false;
        }
        let above: Vec<usize> =
            self.lattice.successors(node).map(|above| self.lattice.index(&above)).collect();
        let Some(carried) = state.carried_from(&above) else { return true };
        let wins = state.best.yields_to(&self.evaluate.metric().bound_with(node, &carried), node);
        state.carried.insert(index, carried);
        wins
    }

    /// Groups the records at each node and records what follows.
    fn examine_all(&self, nodes: &[Node], state: &mut State) -> Result<Vec<Checked>, Interrupted> {
        let examined = self.examine(nodes)?;
        for (node, Examined { checked, learned, carried }) in nodes.iter().zip(&examined) {
            state.examined += 1;
            state.seen[self.lattice.index(node)] = true;
            match checked {
                Checked::Anonymous(score) => state.best.offer(score, node),
                Checked::FailsWithAllBelow => self.exclude_below(node, state),
                Checked::Fails => {}
            }
            if let Some(carried) = carried {
                state.carry(self.lattice.index(node), carried);
            }
            if learned.as_ref().is_some_and(|learned| state.best.beats(learned)) {
                self.exclude_above(node, state);
            }
        }
        Ok(examined.into_iter().map(|examined| examined.checked).collect())
    }

    fn exclude_below(&self, node: &Node, state: &mut State) {
        let mut open = vec![node.clone()];
        while let Some(node) = open.pop() {
            if state.exclude(self.lattice.index(&node)) {
                open.extend(self.lattice.predecessors(&node));
            }
        }
    }

    fn exclude_above(&self, node: &Node, state: &mut State) {
        let mut open: Vec<Node> = self.lattice.successors(node).collect();
        while let Some(node) = open.pop() {
            if state.exclude(self.lattice.index(&node)) {
                open.extend(self.lattice.successors(&node));
            }
        }
    }
}

impl State {
    fn new(nodes: usize, best: Best) -> Self {
        let (excluded, seen) = (vec![false; nodes], vec![false; nodes]);
        Self { excluded, seen, carried: FxHashMap::default(), best, examined: 0 }
    }

    /// The best node; `least` is a bound of what was not looked at.
    fn found(self, least: Option<Score>) -> Result<Found, MethodError> {
        let (score, node) = self.best.0.ok_or_else(infeasible)?;
        let at_least = least.into_iter().chain([score.clone()]).min_by(Score::total_cmp);
        Ok(Found { at_least, node, score, examined: self.examined })
    }

    fn is_open(&self, index: usize) -> bool {
        !self.excluded[index] && !self.seen[index]
    }

    /// The largest of what is known to be lost at these nodes.
    fn carried_from(&self, above: &[usize]) -> Option<Vec<f64>> {
        let known = above.iter().filter_map(|index| self.carried.get(index));
        known.fold(None, |most: Option<Vec<f64>>, carried| match most {
            None => Some(carried.clone()),
            Some(most) => Some(most.iter().zip(carried).map(|(a, b)| a.max(*b)).collect()),
        })
    }

    fn carry(&mut self, index: usize, carried: &[f64]) {
        let own = self.carried.entry(index).or_insert_with(|| vec![0.0; carried.len()]);
        own.iter_mut().zip(carried).for_each(|(own, carried)| *own = own.max(*carried));
    }

    /// Whether the node was not excluded before.
    fn exclude(&mut self, index: usize) -> bool {
        !std::mem::replace(&mut self.excluded[index], true)
    }
}
