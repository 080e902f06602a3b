//! Genetic search.
//!
//! # Summary
//! A population of nodes is crossed and mutated for some generations; the best anonymous node wins.
//! Fast on any lattice, proves nothing.
//!
//! # Definition
//! An individual is a node. Anonymous nodes rank by their figure, before all others, which rank by
//! height, higher first (they are nearer to being anonymous). Of each generation the better half
//! stays; the other half is children of two parents drawn from it: each level from either parent, then
//! one level moved by one step. The first generation is the top, the bottom, and nodes drawn level by
//! level between them. Every random choice is drawn from the run's seed.
//!
//! # Complexity
//! Time O(generations · individuals · classes), memory O(nodes judged).
//!
//! # References
//! Iyengar 2002, "Transforming data to satisfy privacy constraints"; Holland 1975, "Adaptation in
//! natural and artificial systems".

use rustc_hash::FxHashMap;
use velamen_core::lattice::Node;
use velamen_core::streams;
use velamen_dp::{Stream, below};

use crate::method::kit::search::{Best, FoundNode, NodeSearch, Strategy, infeasible};
use crate::method::{Entry, MethodError, one_level};
use crate::metric::Score;

/// Nodes of one generation.
const INDIVIDUALS: usize = 48;

/// Generations without a better node before the search ends.
const PATIENCE: usize = 30;

/// The nodes that are grouped where the recipe gives no budget.
const USUAL_STEPS: u64 = 4_000;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = one_level::budgeted_entry(
    STRATEGY.name,
    "Nodes crossed and mutated.",
    |section| {
        one_level::words(
            section,
            "Every attribute is released at one level of detail, found by a quick search that need not find the best.",
        )
    },
    |keys, task| one_level::parse_budgeted(STRATEGY, USUAL_STEPS, keys, task),
);

/// The search by name.
pub const STRATEGY: Strategy = Strategy::of("genetic", search);

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let mut stream = search.context.seed.stream(streams::GENETIC);
    let mut evolution = Evolution { search, best: Best::default(), known: FxHashMap::default() };
    let mut generation = evolution.first(&mut stream);
    let mut idle = 0;
    while idle < PATIENCE && search.budget.is_left(evolution.known.len()) {
        let before = evolution.best.0.clone();
        evolution.judge(&generation)?;
        search.context.progress.step("generations without gain", idle as u64, PATIENCE as u64);
        idle = if evolution.best.0 == before { idle + 1 } else { 0 };
        generation = evolution.next(generation, &mut stream);
    }
    let examined = evolution.known.len();
    let (score, node) = evolution.best.0.ok_or_else(infeasible)?;
    Ok(FoundNode { node, score, examined, at_least: None })
}

struct Evolution<'a> {
    search: &'a NodeSearch<'a>,
    best: Best,
    /// Per node judged its figure, if it is anonymous.
    known: FxHashMap<Vec<u8>, Option<Score>>,
}

impl Evolution<'_> {
    fn first(&self, stream: &mut Stream) -> Vec<Node> {
        let (bottom, top) = (self.search.lattice.bottom(), self.search.lattice.top());
        let mut generation = vec![top.clone(), bottom.clone()];
        while generation.len() < INDIVIDUALS {
            let level = |(&low, &high): (&u8, &u8)| low + below(stream, u64::from(high - low) + 1) as u8;
            generation.push(Node(bottom.0.iter().zip(&top.0).map(level).collect()));
        }
        generation
    }

    fn judge(&mut self, generation: &[Node]) -> Result<(), MethodError> {
        let mut new: Vec<Node> =
            generation.iter().filter(|node| !self.known.contains_key(&node.0)).cloned().collect();
        new.sort_unstable();
        new.dedup();
        for (node, examined) in new.iter().zip(self.search.examine(&new)?) {
            if let Some(score) = examined.checked.score() {
                self.best.offer(score, node);
            }
            self.known.insert(node.0.clone(), examined.checked.score().cloned());
        }
        Ok(())
    }

    /// The better half and their children.
    fn next(&self, mut generation: Vec<Node>, stream: &mut Stream) -> Vec<Node> {
        generation.sort_by(|a, b| self.rank(a, b));
        generation.dedup();
        generation.truncate(INDIVIDUALS / 2);
        let parents = generation.clone();
        while generation.len() < INDIVIDUALS {
            let [one, other] = [(), ()].map(|()| &parents[below(stream, parents.len() as u64) as usize]);
            generation.push(self.child(one, other, stream));
        }
        generation
    }

    fn rank(&self, a: &Node, b: &Node) -> std::cmp::Ordering {
        match (&self.known[&a.0], &self.known[&b.0]) {
            (Some(x), Some(y)) => x.total_cmp(y).then(a.cmp(b)),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => b.height().cmp(&a.height()).then(a.cmp(b)),
        }
    }

    fn child(&self, one: &Node, other: &Node, stream: &mut Stream) -> Node {
        let (bottom, top) = (self.search.lattice.bottom(), self.search.lattice.top());
        let mut level = |(&a, &b): (&u8, &u8)| if below(stream, 2) == 0 { a } else { b };
        let mut child = Node(one.0.iter().zip(&other.0).map(&mut level).collect());
        let moved = below(stream, child.0.len() as u64) as usize;
        let step = below(stream, 2) == 0;
        let level = child.0[moved];
        child.0[moved] =
            if step { top.0[moved].min(level + 1) } else { bottom.0[moved].max(level.saturating_sub(1)) };
        child
    }
}
