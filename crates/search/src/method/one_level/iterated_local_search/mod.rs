//! Iterated local search, for lattices of any size.
//!
//! # Summary
//! Anytime: several chains walk from node to better node, each changing one level at a time, and begin again near
//! the best node when no change is better. What they find is then improved and bounded by the searches that prove.
//! At any moment there are a best node so far and, later, a figure that no anonymous node is below.
//!
//! # Definition
//! A *move* takes one attribute to any other level. A chain tries the moves from its node in random order and makes
//! the first that is better; where none is, the node is a *local optimum*. From the best of its optima, or from a
//! random mixture of it and another chain's, `Chain::turn` moves two to four attributes at random
//! and begins again. The chains begin at the top, at the bottom and at random nodes between. A node that is not
//! anonymous is worse than every anonymous one, and better than one that suppresses more.
//!
//! A proof then begins with the best node: that of `optimal` up to `PROVEN_NODES`. Above, the bounds of `boxes.rs` rise
//! beside the walk, or, where figures do not follow from what single records cost, those of `best_first` come after it.
//!
//! # Parameters
//! The budget: nodes looked at, or seconds.
//!
//! # Errors
//! [`MethodError::Infeasible`] if no anonymous node is found, [`MethodError::Interrupted`].
//!
//! # Complexity
//! O(distinct combinations) a look where models look at class sizes alone and the metric is one of cells, else as
//! the other searches. Memory O(combinations · attributes + chains · combinations).
//!
//! # References
//! Lourenço, Martin & Stützle 2003, "Iterated local search"; Dean & Boddy 1988 for anytime algorithms.

mod boxes;
mod chain;
mod incremental;

use rayon::prelude::*;
use velamen_core::lattice::Node;
use velamen_core::streams;
use velamen_dp::below;

use self::boxes::Boxes;
use self::chain::Chain;
use self::incremental::Incremental;
use super::best_first;
use crate::method::kit::exclusion;
use crate::method::kit::search::{Best, Budget, FoundNode, LOOKS_INSTEAD, NodeSearch, Strategy, not_found};
use crate::method::{Entry, MethodError, Purpose, Time, one_level};
use crate::metric::Score;

/// Chains that go side by side; a constant, so that the result is the same on any number of threads.
const CHAINS: usize = 4;

/// The most looks of each chain between two exchanges.
const LONGEST_TURN: usize = 64;

/// The combinations that a chain passes over between two exchanges: some milliseconds of work, after which a run that
/// is asked to stop does.
const PASSED_A_TURN: usize = 1 << 21;

/// How many times as long it takes to group a table by its values.
const GROUPING: usize = 16;

/// Looks without a better node before the search goes over to the proof.
const PATIENCE: usize = 100_000;

/// The most nodes of a lattice of which every one is looked at or excluded in the end.
const PROVEN_NODES: u128 = 1 << 18;

/// The nodes that are looked at where the recipe gives no budget.
const USUAL_LOOKS: u64 = 20_000;

/// The share of the looks that is left to the bound of [`best_first`], where the lattice is too large for a proof.
const BOUND_ONE_IN: u64 = 100;

/// While the chains walk, one look in so many is for [`Boxes`], where these bound.
const BOXES_ONE_IN: usize = 4;

/// What a node comes to, as chains compare it.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    /// Anonymous, with this figure.
    Anonymous(Score),
    /// Not anonymous.
    Fails {
        /// Records that would have to be suppressed, as far as they were counted.
        outliers: u64,
        /// The sum of the levels.
        height: u32,
    },
}

impl Seen {
    /// Whether a chain goes from the other to this one.
    fn is_better(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Anonymous(own), Self::Anonymous(other)) => own.total_cmp(other).is_lt(),
            (own, other) => own.rank() < other.rank(),
        }
    }

    fn rank(&self) -> (u64, u32) {
        match self {
            Self::Anonymous(_) => (0, 0),
            // A failing node has an outlier at least, or a class that only the population has.
            Self::Fails { outliers, height } => ((*outliers).max(1), u32::MAX - height),
        }
    }
}

/// How chains look at nodes.
struct Lookout<'a> {
    search: &'a NodeSearch<'a>,
    /// Without it every node is grouped by its values.
    incremental: Option<Incremental<'a>>,
}

impl Lookout<'_> {
    /// The looks of a turn; they follow from the table alone, so that the result does too.
    fn turn(&self) -> usize {
        let cost = if self.incremental.is_some() { 1 } else { GROUPING };
        (PASSED_A_TURN / (cost * self.search.table.len().max(1))).clamp(1, LONGEST_TURN)
    }
}

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    purpose: Purpose::Papers,
    ..one_level::budgeted_entry(
        STRATEGY.name,
        "Local search from many nodes, then bounds: for lattices too large to finish.",
        |section| {
            one_level::words(
                section,
                "Every attribute is released at one level of detail; the best combination that was found within a limited search.",
            )
        },
        |keys, task| one_level::parse_budgeted(STRATEGY, USUAL_LOOKS, keys, task),
    )
};

/// The search by name.
pub const STRATEGY: Strategy = Strategy {
    time: Some(Time { by_node: 6.0, ..Time::SEARCH }),
    looks: true,
    ..Strategy::of("iterated-local-search", search)
};

/// What a search that proves does with a lattice that is too large for it.
pub(super) fn instead_of_a_proof(task: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let steps = Some(task.budget.steps.unwrap_or(LOOKS_INSTEAD));
    search(&NodeSearch { budget: Budget { steps, ..task.budget }, ..*task })
}

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let incremental = Incremental::new(search.table, search.evaluate.demand());
    let lookout = Lookout { search, incremental };
    let fits = search.lattice.len().is_some_and(|nodes| nodes <= PROVEN_NODES);
    match lookout.incremental.as_ref().filter(|_| !fits).and_then(|looks| Boxes::new(search, looks)) {
        Some(boxes) => walked_and_bounded(&lookout, boxes),
        None => walked_then_proven(&lookout, fits),
    }
}

/// The best node of the chains, bounded by the boxes while they walk and after.
fn walked_and_bounded(lookout: &Lookout<'_>, mut boxes: Boxes<'_>) -> Result<FoundNode, MethodError> {
    let search = lookout.search;
    let (mut best, looked) = walked(lookout, search.budget, Some(&mut boxes))?;
    while !boxes.is_done() && search.budget.is_left(looked + boxes.looked) {
        boxes.wave(search, &mut best)?;
    }
    let (score, node) = best.0.ok_or_else(|| not_found(boxes.is_done()))?;
    let at_least = Some(boxes.at_least(&score));
    Ok(FoundNode { node, score, examined: looked + boxes.looked, at_least })
}

/// The best node of the chains, then the bounds of the searches that prove.
fn walked_then_proven(lookout: &Lookout<'_>, fits: bool) -> Result<FoundNode, MethodError> {
    let (search, all) = (lookout.search, lookout.search.budget);
    let walk = all.steps.map(|steps| if fits { steps } else { steps - steps / BOUND_ONE_IN });
    let (best, looked) = walked(lookout, Budget { steps: walk, ..all }, None)?;
    let steps = all.steps.map(|steps| steps.saturating_sub(looked as u64));
    let rest = NodeSearch { budget: Budget { steps, ..all }, ..*search };
    if let (Some((score, node)), false) = (&best.0, rest.budget.is_left(0)) {
        let at_least = Some(search.bound(&search.lattice.bottom()));
        return Ok(FoundNode { node: node.clone(), score: score.clone(), examined: looked, at_least });
    }
    let proof = if fits { exclusion::prove(&rest, best)? } else { best_first::prove(&rest, best)? };
    Ok(FoundNode { examined: proof.examined + looked, ..proof })
}

/// The best node of the chains, and how many nodes they looked at. The boxes get their share of the budget.
fn walked(
    lookout: &Lookout<'_>,
    budget: Budget<'_>,
    mut boxes: Option<&mut Boxes<'_>>,
) -> Result<(Best, usize), MethodError> {
    let search = lookout.search;
    let mut best = Best::default();
    let starts = starts(search);
    let make = |(number, start): (usize, Node)| {
        Chain::new(lookout, search.context.seed.stream(streams::LOCAL_SEARCH - number as u64), start)
    };
    let mut chains: Vec<Chain> = starts.into_par_iter().enumerate().map(make).collect();
    let (mut looked, mut idle) = (CHAINS, 0);
    for chain in &chains {
        offer(search, &mut best, &chain.best)?;
    }
    let (patience, turn) = (patience(search), lookout.turn());
    loop {
        let of_boxes = boxes.as_ref().map_or(0, |boxes| boxes.looked);
        if idle >= patience || !budget.is_left(looked + of_boxes) {
            return Ok((best, looked));
        }
        search.context.check()?;
        search.context.progress.step("searching", (looked + of_boxes) as u64, budget.steps.unwrap_or(0));
        let homes: Vec<Node> = chains.iter().map(|chain| chain.home().clone()).collect();
        let turns = chains.par_iter_mut().map(|chain| chain.turn(lookout, turn, &homes));
        let in_turn: usize = turns.sum();
        looked += in_turn;
        let before = best.0.clone();
        for chain in &chains {
            offer(search, &mut best, &chain.best)?;
        }
        idle = if best.0 == before { idle + in_turn } else { 0 };
        if let Some(boxes) =
            boxes.as_deref_mut().filter(|boxes| BOXES_ONE_IN * boxes.looked < looked + boxes.looked)
        {
            boxes.wave(search, &mut best)?;
            if boxes.is_done() {
                return Ok((best, looked));
            }
        }
    }
}

/// Fewer looks where the proof can look at every node anyway.
fn patience(search: &NodeSearch<'_>) -> usize {
    let nodes = search.lattice.len().unwrap_or(u128::MAX);
    usize::try_from(nodes).unwrap_or(PATIENCE).min(PATIENCE)
}

/// Where the chains begin: at the top, at the bottom, and between them.
fn starts(search: &NodeSearch<'_>) -> Vec<Node> {
    let (bottom, top) = (search.lattice.bottom(), search.lattice.top());
    let mut stream = search.context.seed.stream(streams::LOCAL_SEARCH - CHAINS as u64);
    let mut starts = vec![top.clone(), bottom.clone()];
    while starts.len() < CHAINS {
        let level = |(&low, &high): (&u8, &u8)| low + below(&mut stream, u64::from(high - low) + 1) as u8;
        starts.push(Node(bottom.0.iter().zip(&top.0).map(level).collect()));
    }
    starts
}

/// Takes a chain's best node, once it is grouped by its values.
fn offer(search: &NodeSearch<'_>, best: &mut Best, (node, seen): &(Node, Seen)) -> Result<(), MethodError> {
    let is_known = best.0.as_ref().is_some_and(|(_, known)| known == node);
    if let Seen::Anonymous(score) = seen
        && !is_known
        && best.yields_to(score, node)
        && let Some(score) = search.examine(std::slice::from_ref(node))?.remove(0).checked.score()
    {
        best.offer(score, node);
    }
    Ok(())
}

#[cfg(test)]
mod box_tests;
#[cfg(test)]
pub(super) mod tests;
