//! Proof by exclusion: the nodes of a lattice are grouped, or excluded by what others showed, until none is left.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_core::context::Interrupted;
use velamen_core::lattice::Node;

use super::error::MethodError;
use super::evaluate::{Checked, Examined};
use super::search::{Best, FoundNode, NodeSearch, infeasible};
use crate::metric::Score;

/// The most lattice nodes whose state is held at once.
pub(in crate::method) const MOST_NODES: u128 = 1 << 24;

/// Nodes examined between two looks at the bound; a constant, so that the result of every step is
/// the same on any number of threads.
const WAVE: usize = 8;

/// What is known of each node, by its number.
pub(in crate::method) struct State {
    /// Excluded: not anonymous, or above the best figure.
    excluded: Vec<bool>,
    /// Already examined.
    seen: Vec<bool>,
    /// What is lost at the node or above it, and so at all below it.
    carried: FxHashMap<usize, Vec<f64>>,
    pub(in crate::method) best: Best,
    pub(in crate::method) examined: usize,
}

/// Excludes what cannot be better than the best node of another search, as far as the budget goes. The lattice has at
/// most [`MOST_NODES`].
pub(in crate::method) fn prove(search: &NodeSearch<'_>, best: Best) -> Result<FoundNode, MethodError> {
    let nodes = search.lattice.len().unwrap_or(0) as usize;
    let mut state = State::new(nodes, best);
    let least = search.exclude_the_rest(&mut state)?;
    state.found(least)
}

impl NodeSearch<'_> {
    /// Examines what the bounds leave, as far as the budget goes; gives the least bound of what it did not come to.
    pub(in crate::method) fn exclude_the_rest(
        &self,
        state: &mut State,
    ) -> Result<Option<Score>, Interrupted> {
        let mut open: Vec<(f64, u32)> = (0..state.excluded.len())
            .into_par_iter()
            .filter(|&i| state.is_open(i))
            .map(|i| (self.bound(&self.lattice.node(i)), i as u32))
            .filter(|(bound, _)| !state.best.beats(bound))
            .map(|(bound, i)| (bound.first(), i))
            .collect();
        self.context.check()?;
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
                let rest: Vec<usize> = open.collect();
                let waiting = rest.into_par_iter().map(|index| self.lattice.node(index)).chain(wave);
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
    pub(in crate::method) fn examine_all(
        &self,
        nodes: &[Node],
        state: &mut State,
    ) -> Result<Vec<Checked>, Interrupted> {
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
    pub(in crate::method) fn new(nodes: usize, best: Best) -> Self {
        let (excluded, seen) = (vec![false; nodes], vec![false; nodes]);
        Self { excluded, seen, carried: FxHashMap::default(), best, examined: 0 }
    }

    /// The best node; `least` is a bound of what was not looked at.
    pub(in crate::method) fn found(self, least: Option<Score>) -> Result<FoundNode, MethodError> {
        let (score, node) = self.best.0.ok_or_else(infeasible)?;
        let at_least = least.into_iter().chain([score.clone()]).min_by(Score::total_cmp);
        Ok(FoundNode { at_least, node, score, examined: self.examined })
    }

    pub(in crate::method) fn is_open(&self, index: usize) -> bool {
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
