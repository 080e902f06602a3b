//! What the searches for one lattice node share: what they are given, what they give, the best so far.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use velamen_core::context::{Context, Interrupted};
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};

use super::error::MethodError;
use super::evaluate::{Evaluate, Examined};
use super::facts::Time;
use crate::metric::Score;

/// The looks at nodes of a lattice that is too large for a proof, where the recipe gives no budget.
pub(in crate::method) const LOOKS_INSTEAD: u64 = 10_000;

/// Choices that are held at once; of more, those of the highest bound are given up, and the bound of
/// what is given up is kept.
pub const MOST_CHOICES: usize = 1 << 20;

/// Judged nodes that are remembered at once: of more, all are forgotten, and judged again where they are met again.
pub const MOST_KNOWN: usize = 1 << 20;

/// How the lattice is searched: one of the searches, under its name in recipes, and what others ask of it.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// The method's name.
    pub name: &'static str,
    pub(in crate::method) search: fn(&NodeSearch<'_>) -> Result<FoundNode, MethodError>,
    /// The time of the processor, where it is not that of most searches.
    pub(in crate::method) time: Option<Time>,
    /// Whether it means to prove its node, so that a release says where it could not.
    pub(in crate::method) proves: bool,
    /// Whether a step of its budget is a look at one node, of which nothing is kept.
    pub(in crate::method) looks: bool,
    /// What takes its place where a lattice is too large for it.
    pub(in crate::method) instead: Option<Instead>,
}

/// The search of lattices that are too large for another.
#[derive(Clone, Copy)]
pub(in crate::method) struct Instead {
    /// The nodes from which on it takes the other's place.
    pub(in crate::method) beyond: u128,
    pub(in crate::method) strategy: &'static Strategy,
}

impl Strategy {
    /// A search that groups nodes, keeps what they show, and proves nothing.
    pub(in crate::method) const fn of(
        name: &'static str,
        search: fn(&NodeSearch<'_>) -> Result<FoundNode, MethodError>,
    ) -> Self {
        Self { name, search, time: None, proves: false, looks: false, instead: None }
    }
}

impl std::fmt::Debug for Strategy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// When a search ends before it has proven its result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget<'a> {
    /// The most nodes that are grouped.
    pub steps: Option<u64>,
    /// Set from outside when the time is over.
    pub expired: Option<&'a AtomicBool>,
    /// When the time of one search of several is over.
    pub until: Option<Instant>,
}

impl Budget<'_> {
    pub(in crate::method) fn is_left(&self, steps: usize) -> bool {
        let expired = self.expired.is_some_and(|expired| expired.load(Ordering::Relaxed));
        let over = self.until.is_some_and(|until| Instant::now() >= until);
        !expired && !over && self.steps.is_none_or(|most| (steps as u64) < most)
    }
}

/// The winner and how it was found.
#[derive(Debug, Clone)]
pub struct FoundNode {
    /// The best node found.
    pub node: Node,
    /// Its figure.
    pub score: Score,
    /// How many nodes were grouped; the others are excluded by bounds or were not looked at.
    pub examined: usize,
    /// A figure that no anonymous node is below, if it is known; the winner's own where it is proven
    /// optimal.
    pub at_least: Option<Score>,
}

impl FoundNode {
    /// Whether no anonymous node is better.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.at_least.as_ref() == Some(&self.score)
    }
}

/// One search over one table.
#[derive(Clone, Copy)]
pub(in crate::method) struct NodeSearch<'a> {
    pub(in crate::method) evaluate: &'a dyn Evaluate,
    pub(in crate::method) table: &'a FrequencyTable,
    pub(in crate::method) lattice: &'a Lattice,
    pub(in crate::method) budget: Budget<'a>,
    pub(in crate::method) context: &'a Context<'a>,
}

impl NodeSearch<'_> {
    /// Groups the records at each node, side by side.
    ///
    /// # Errors
    /// [`Interrupted`] once the run was asked to stop.
    pub(in crate::method) fn examine(&self, nodes: &[Node]) -> Result<Vec<Examined>, Interrupted> {
        self.context.check()?;
        Ok(nodes.par_iter().map(|node| self.evaluate.examine(node)).collect())
    }

    /// A lower bound of a node's figure.
    pub(in crate::method) fn bound(&self, node: &Node) -> Score {
        self.evaluate.metric().bound(node)
    }
}

/// The best node so far.
#[derive(Default)]
pub(in crate::method) struct Best(pub(in crate::method) Option<(Score, Node)>);

impl Best {
    /// Whether a node of this figure, or bound, could still win: by figure, then height, then levels.
    pub(in crate::method) fn yields_to(&self, score: &Score, node: &Node) -> bool {
        let Some((best, at)) = &self.0 else { return true };
        score.total_cmp(best).then(node.height().cmp(&at.height())).then(node.cmp(at)).is_lt()
    }

    /// Takes the node if it is better.
    pub(in crate::method) fn offer(&mut self, score: &Score, node: &Node) {
        if self.yields_to(score, node) {
            self.0 = Some((score.clone(), node.clone()));
        }
    }

    /// Whether a bound is above the best figure.
    pub(in crate::method) fn beats(&self, bound: &Score) -> bool {
        self.0.as_ref().is_some_and(|(best, _)| bound.total_cmp(best).is_gt())
    }
}

/// What is said where a search that gives its best at its end was asked for the best so far.
pub(in crate::method) const ENDED: &str =
    "the search was told to stop before its end: the release is the best that it had found by then";

pub(in crate::method) fn infeasible() -> MethodError {
    MethodError::Infeasible(
        Problem::new(
            "no node of the lattice meets the models, not even with every quasi-identifier fully generalized",
        )
        .mend("relax a model or raise the suppression limit"),
    )
}

/// What is said where no anonymous node was found: nothing was left to look at, or the budget was used up.
pub(in crate::method) fn not_found(nothing_left: bool) -> MethodError {
    if nothing_left {
        return infeasible();
    }
    MethodError::Infeasible(
        Problem::new("the budget was used up before an anonymous node was found")
            .mend("raise it, relax a model or raise the suppression limit"),
    )
}
