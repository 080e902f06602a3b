//! Best-first search, for lattices too large to finish.
//!
//! # Summary
//! Anytime: a greedy walk gives a first good node, then partial choices of levels are refined in the
//! order of their bound, and every node found good is improved by local steps. At any moment there are
//! a best node so far and a figure that no anonymous node is below; where they meet, the node is
//! optimal. The lattice is never held in memory.
//!
//! # Definition
//! A *choice* fixes the levels of the first attributes (in the order of what they can cost) and leaves
//! the others open. Its bound is the metric's with the open attributes at their least level. Before it
//! is refined, the node with the open attributes at the top is judged: if it fails with all below, so
//! does everything that the choice leaves open (the subset property of Incognito), and it is dropped;
//! what it loses is lost by all of it, and becomes part of the bound.
//! The search ends when the least bound of all choices left is above the best figure, or with the
//! budget. In between, random *dives* go from the top down, each step lowering the attribute whose
//! bound gains most (times a random factor) and that can still be lowered, until none can; a dive that
//! ends near the best node is improved by local steps.
//!
//! # Complexity
//! Time O(steps · classes), memory O(choices left, nodes judged), at most [`MOST_CHOICES`] and [`MOST_KNOWN`].
//!
//! # References
//! LeFevre 2005 (Incognito: the subset property); Prasser et al. 2016, "Lightning: utility-driven
//! anonymization of high-dimensional data" (best-first order with a budget); Land & Doig 1960 (branch
//! and bound).
//!
//! # Deviations
//! Where no model is monotone enough to exclude nodes, only the metric's bound prunes.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use velamen_core::lattice::Node;
use velamen_core::streams;
use velamen_dp::{Stream, below};

use crate::method::kit::evaluate::Checked;
use crate::method::kit::search::{
    Best, Budget, FoundNode, MOST_CHOICES, MOST_KNOWN, NodeSearch, Strategy, infeasible, not_found,
};
use crate::method::{Entry, MethodError, Purpose, one_level};
use crate::metric::Score;

/// Waves of choices between two dives.
const WAVES_PER_DIVE: usize = 6;

/// A dive is improved if its figure is at most this many times the best.
const NEAR: f64 = 1.05;

/// Choices refined side by side; a constant, so that the result is the same on any number of threads.
const WAVE: usize = 8;

/// Choices by bound, then by depth (deeper first), then by levels, with what is known to be lost.
type Queue = BTreeMap<(Ordered, Reverse<usize>, Vec<u8>), Lost>;

/// What nodes above have shown to be lost, if anything.
type Lost = Option<Arc<Vec<f64>>>;

/// A bound in the order of metrics.
#[derive(Debug, Clone, PartialEq)]
struct Ordered(Score);

impl Eq for Ordered {}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct State<'a> {
    search: &'a NodeSearch<'a>,
    budget: Budget<'a>,
    /// The attribute of each depth.
    order: Vec<usize>,
    /// The least level of each attribute that can be anonymous at all.
    least: Vec<u8>,
    best: Best,
    examined: usize,
    known: FxHashMap<Vec<u8>, (Checked, Lost)>,
    queue: Queue,
    /// The least bound of what was given up.
    given_up: Option<Score>,
    /// The most that is remembered of each: [`MOST_KNOWN`] and [`MOST_CHOICES`].
    most_known: usize,
    most_choices: usize,
}

/// The nodes that are grouped where the recipe gives no budget.
const USUAL_STEPS: u64 = 4_000;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    purpose: Purpose::Papers,
    ..one_level::budgeted_entry(
        STRATEGY.name,
        "Bounds in best-first order, with a budget: for lattices too large to finish.",
        |section| {
            one_level::words(
                section,
                "Every attribute is released at one level of detail; the best combination that was found within a limited search, with a bound on how much better another could be.",
            )
        },
        |keys, task| one_level::parse_budgeted(STRATEGY, USUAL_STEPS, keys, task),
    )
};

/// The search by name.
pub const STRATEGY: Strategy = Strategy::of("best-first", search);

pub(super) fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    State::new(search, Best::default()).found()
}

/// Bounds what could be better than the best node of another search, and looks on.
pub(super) fn prove(search: &NodeSearch<'_>, best: Best) -> Result<FoundNode, MethodError> {
    let mut state = State::new(search, best);
    let top = search.lattice.top();
    if let Checked::FailsWithAllBelow = state.judge(std::slice::from_ref(&top))?[0] {
        return Err(infeasible());
    }
    state.raise_least_levels()?;
    state.order_attributes();
    state.refine()?;
    state.finish()
}

impl<'a> State<'a> {
    fn new(search: &'a NodeSearch<'a>, best: Best) -> Self {
        let attributes = search.lattice.top().0.len();
        Self {
            search,
            budget: search.budget,
            order: (0..attributes).collect(),
            least: search.lattice.bottom().0,
            best,
            examined: 0,
            known: FxHashMap::default(),
            queue: Queue::new(),
            given_up: None,
            most_known: MOST_KNOWN,
            most_choices: MOST_CHOICES,
        }
    }
}

impl State<'_> {
    /// The whole search.
    fn found(mut self) -> Result<FoundNode, MethodError> {
        let top = self.search.lattice.top();
        if let Checked::FailsWithAllBelow = self.judge(std::slice::from_ref(&top))?[0] {
            return Err(infeasible());
        }
        self.raise_least_levels()?;
        self.order_attributes();
        self.improve(top)?;
        self.refine()?;
        self.finish()
    }

    /// Judges nodes side by side, each once.
    fn judge(&mut self, nodes: &[Node]) -> Result<Vec<Checked>, MethodError> {
        if self.known.len() > self.most_known {
            self.known.clear();
        }
        let new: Vec<Node> = nodes.iter().filter(|node| !self.known.contains_key(&node.0)).cloned().collect();
        for (node, examined) in new.iter().zip(self.search.examine(&new)?) {
            self.examined += 1;
            if let Some(score) = examined.checked.score() {
                self.best.offer(score, node);
            }
            self.known.insert(node.0.clone(), (examined.checked, examined.carried.map(Arc::new)));
        }
        Ok(nodes.iter().map(|node| self.known[&node.0].0.clone()).collect())
    }

    fn fails_with_all_below(&self, node: &Node) -> bool {
        self.known.get(&node.0).is_some_and(|(checked, _)| *checked == Checked::FailsWithAllBelow)
    }

    /// Levels of one attribute that fail even with all others at the top.
    fn raise_least_levels(&mut self) -> Result<(), MethodError> {
        let top = self.search.lattice.top();
        for attribute in 0..top.0.len() {
            while self.least[attribute] < top.0[attribute] {
                let node = top.at(attribute, self.least[attribute]);
                self.judge(std::slice::from_ref(&node))?;
                if !self.fails_with_all_below(&node) {
                    break;
                }
                self.least[attribute] += 1;
            }
        }
        Ok(())
    }

    /// The attributes that can cost most come first: their levels move the bound most.
    fn order_attributes(&mut self) {
        let bottom = Node(self.least.clone());
        let top = self.search.lattice.top();
        let cost =
            |&attribute: &usize| Reverse(Ordered(self.search.bound(&bottom.at(attribute, top.0[attribute]))));
        self.order.sort_by_cached_key(cost);
    }

    /// From an anonymous node down while a step gains, then by exchanging one level for another.
    fn improve(&mut self, mut node: Node) -> Result<(), MethodError> {
        loop {
            let below: Vec<Node> = self.worth(self.search.lattice.predecessors(&node).collect());
            if let Some(next) = self.best_of(&below)? {
                node = next;
                continue;
            }
            let exchanged = self.exchanges(&node);
            let before = self.best.0.as_ref().map(|(_, node)| node.clone());
            for wave in exchanged.chunks(4 * WAVE) {
                if !self.budget.is_left(self.examined) {
                    return Ok(());
                }
                let wave = self.worth(wave.to_vec());
                self.judge(&wave)?;
            }
            match self.best.0.as_ref().map(|(_, node)| node.clone()) {
                Some(best) if Some(&best) != before.as_ref() => node = best,
                _ => return Ok(()),
            }
        }
    }

    /// Nodes that are not excluded and whose bound is no worse than the best figure.
    fn worth(&self, nodes: Vec<Node>) -> Vec<Node> {
        nodes.into_iter().filter(|node| self.is_worth(node)).collect()
    }

    fn is_worth(&self, node: &Node) -> bool {
        node.0.iter().zip(&self.least).all(|(level, least)| level >= least)
            && self.best.yields_to(&self.search.bound(node), node)
    }

    /// The best anonymous one, if there is one and the budget is not used up.
    fn best_of(&mut self, nodes: &[Node]) -> Result<Option<Node>, MethodError> {
        if !self.budget.is_left(self.examined) {
            return Ok(None);
        }
        let checked = self.judge(nodes)?;
        let found = nodes.iter().zip(&checked).filter_map(|(node, checked)| Some((checked.score()?, node)));
        Ok(found.min_by(|a, b| a.0.total_cmp(b.0)).map(|(_, node)| node.clone()))
    }

    /// One attribute up, one or two levels of others down.
    fn exchanges(&self, node: &Node) -> Vec<Node> {
        let lattice = self.search.lattice;
        let up: Vec<Node> = lattice.successors(node).collect();
        let down = |raised: &Node| -> Vec<Node> {
            lattice
                .predecessors(raised)
                .filter(|lowered| lowered != node && !node.is_below(lowered))
                .collect()
        };
        up.iter().flat_map(down).collect()
    }

    /// Refines choices in the order of their bound.
    fn refine(&mut self) -> Result<(), MethodError> {
        self.push(Vec::new(), None);
        let mut stream = self.search.context.seed.stream(streams::DIVES);
        for turn in 0.. {
            if !self.budget.is_left(self.examined) {
                return Ok(());
            }
            if turn % WAVES_PER_DIVE == WAVES_PER_DIVE - 1 {
                self.dive(&mut stream)?;
            }
            let wave = self.next_wave();
            if wave.is_empty() {
                return Ok(());
            }
            let steps = self.budget.steps.unwrap_or(0);
            self.search.context.progress.step("searching", self.examined as u64, steps);
            let open: Vec<Node> = wave.iter().map(|(levels, _)| self.with_open_at_top(levels)).collect();
            let before = self.best.0.as_ref().map(|(_, node)| node.clone());
            let checked = self.judge(&open)?;
            for ((levels, lost), (node, checked)) in wave.into_iter().zip(open.iter().zip(checked)) {
                if checked != Checked::FailsWithAllBelow {
                    let lost = most(lost, self.known[&node.0].1.clone());
                    self.expand(&levels, &lost);
                }
            }
            let best = self.best.0.as_ref().map(|(_, node)| node.clone());
            if let (Some(best), true) = (&best, best != before) {
                self.improve(best.clone())?;
            }
        }
        Ok(())
    }

    /// From the top down along a random path.
    fn dive(&mut self, stream: &mut Stream) -> Result<(), MethodError> {
        let mut node = self.search.lattice.top();
        let mut stuck = vec![false; node.0.len()];
        let mut figure = f64::INFINITY;
        while self.budget.is_left(self.examined) {
            let steps = self.steps_down(&node, &stuck, stream);
            let Some((attribute, below)) = steps.into_iter().next() else { break };
            match self.judge(std::slice::from_ref(&below))?.remove(0) {
                Checked::Anonymous(score) => {
                    figure = score.first();
                    node = below;
                }
                // What fails here fails further down, or mostly does.
                Checked::Fails | Checked::FailsWithAllBelow => stuck[attribute] = true,
            }
        }
        let near = self.best.0.as_ref().is_some_and(|(best, _)| figure <= NEAR * best.first());
        if near { self.improve(node) } else { Ok(()) }
    }

    /// The nodes one level below by attribute, the most promising first, up to chance.
    fn steps_down(&self, node: &Node, stuck: &[bool], stream: &mut Stream) -> Vec<(usize, Node)> {
        let here = self.search.bound(node).first();
        let open = (0..stuck.len()).filter(|&q| !stuck[q] && node.0[q] > self.least[q]);
        let mut steps: Vec<(f64, usize, Node)> = open
            .map(|q| {
                let below = node.at(q, node.0[q] - 1);
                let chance = (1 + draw(stream)) as f64;
                ((here - self.search.bound(&below).first()) * chance, q, below)
            })
            .collect();
        steps.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        steps.into_iter().map(|(_, q, below)| (q, below)).collect()
    }

    /// The choices of least bound that can still win.
    fn next_wave(&mut self) -> Vec<(Vec<u8>, Lost)> {
        let mut wave = Vec::new();
        while wave.len() < WAVE {
            let Some(((bound, _, levels), lost)) = self.queue.pop_first() else { break };
            if self.best.beats(&bound.0) {
                self.queue.clear();
                break;
            }
            wave.push((levels, lost));
        }
        wave
    }

    fn expand(&mut self, levels: &[u8], lost: &Lost) {
        let Some(&attribute) = self.order.get(levels.len()) else { return };
        for level in self.least[attribute]..=self.search.lattice.top().0[attribute] {
            let mut refined = levels.to_vec();
            refined.push(level);
            self.push(refined, lost.clone());
        }
    }

    fn push(&mut self, levels: Vec<u8>, lost: Lost) {
        let least = self.with_open(&levels, &Node(self.least.clone()));
        let bound = match &lost {
            Some(lost) => self.search.evaluate.metric().bound_with(&least, lost),
            None => self.search.bound(&least),
        };
        if self.best.beats(&bound) {
            return;
        }
        self.queue.insert((Ordered(bound), Reverse(levels.len()), levels), lost);
        if self.queue.len() > self.most_choices
            && let Some(((bound, ..), _)) = self.queue.pop_last()
        {
            let lower = self.given_up.as_ref().is_none_or(|known| bound.0.total_cmp(known).is_lt());
            self.given_up = if lower { Some(bound.0) } else { self.given_up.take() };
        }
    }

    fn with_open(&self, levels: &[u8], open: &Node) -> Node {
        let mut node = open.clone();
        for (&attribute, &level) in self.order.iter().zip(levels) {
            node.0[attribute] = level;
        }
        node
    }

    fn with_open_at_top(&self, levels: &[u8]) -> Node {
        self.with_open(levels, &self.search.lattice.top())
    }

    /// The best node with the least figure that is still possible.
    fn finish(self) -> Result<FoundNode, MethodError> {
        let (score, node) = self.best.0.ok_or_else(|| not_found(self.queue.is_empty()))?;
        let open = self.queue.first_key_value().map(|((bound, ..), _)| bound.0.clone());
        let least = [open, self.given_up, Some(score.clone())].into_iter().flatten();
        let at_least = least.min_by(Score::total_cmp);
        Ok(FoundNode { node, score, examined: self.examined, at_least })
    }
}

/// The largest of what either has shown to be lost.
fn most(one: Lost, other: Lost) -> Lost {
    match (one, other) {
        (Some(one), Some(other)) => Some(Arc::new(one.iter().zip(&*other).map(|(a, b)| a.max(*b)).collect())),
        (one, other) => one.or(other),
    }
}

/// A random number below 1000.
fn draw(stream: &mut Stream) -> u64 {
    below(stream, 1000)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::*;
    use velamen_core::context::{Context, Silent};
    use velamen_core::frequency::Counted;
    use velamen_dp::Seed;

    use super::*;
    use crate::method::kit::evaluate::{Outliers, with_evaluator};
    use crate::method::one_level::iterated_local_search::tests::{demanded, tables};
    use crate::metric::{self, MetricOptions};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_forgotten_changes_no_optimum_and_what_is_given_up_bounds_it(
            table in tables(),
            k in 2u64..6,
            limit in prop_oneof![Just(1.0), 0.0..0.6f64],
            most in 1usize..12,
        ) {
            let metric = (metric::find("loss").unwrap().bind)(&Counted::of(&table), &MetricOptions::default());
            let (seed, cancel) = (Seed::from_number(1), AtomicBool::new(false));
            let context = Context { seed: &seed, progress: &Silent, cancel: &cancel };
            let lattice = table.lattice();
            demanded(&table, (k, limit, Outliers::Suppress), &*metric, |demand| {
                let mut outcome = Ok(());
                with_evaluator(&table, &demand, |evaluate| {
                    let budget = Budget::default();
                    let search = NodeSearch { evaluate, table: &table, lattice: &lattice, budget, context: &context };
                    let with = |most_known, most_choices| {
                        let state = State::new(&search, Best::default());
                        State { most_known, most_choices, ..state }.found()
                    };
                    outcome = (|| {
                        let Ok(whole) = with(MOST_KNOWN, MOST_CHOICES) else { return Ok(()) };
                        prop_assert!(whole.is_proven());
                        let forgetful = with(most, MOST_CHOICES).expect("what was found can be found");
                        prop_assert_eq!((&forgetful.node, &forgetful.score), (&whole.node, &whole.score));
                        prop_assert!(forgetful.is_proven() && forgetful.examined >= whole.examined);
                        let given_up = with(most, most).expect("the top is looked at first");
                        let bound = given_up.at_least.expect("a bound");
                        prop_assert!(bound.total_cmp(&whole.score).is_le());
                        prop_assert!(given_up.score.total_cmp(&whole.score).is_ge());
                        Ok(())
                    })();
                    Ok(())
                })?;
                outcome
            })?;
        }
    }
}
