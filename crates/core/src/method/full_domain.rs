//! Full-domain generalization: one lattice node for the whole table, found by one of several searches.

use rayon::prelude::*;

use super::best_first::{self, Budget};
use super::evaluate::{Demand, Evaluate, Examined, Outliers, with_evaluator};
use super::{MethodError, datafly, exhaustive, genetic, optimal, top_down};
use crate::classes::ClassTable;
use crate::context::{Context, Interrupted};
use crate::frequency::FrequencyTable;
use crate::lattice::{Lattice, Node};
use crate::metric::Score;
use crate::plan::{Fate, Plan};

/// How the lattice is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Proven optimal, by bounds.
    Optimal,
    /// Every node.
    Exhaustive,
    /// Sweeney's greedy walk up.
    Datafly,
    /// A greedy walk down from the top.
    TopDown,
    /// Bounds in best-first order, with a budget: for lattices too large to finish.
    BestFirst,
    /// Nodes crossed and mutated.
    Genetic,
}

/// A search and what is asked of its result.
#[derive(Debug, Clone, Copy)]
pub struct FullDomain<'a> {
    /// What is asked of a node.
    pub demand: Demand<'a>,
    /// The nodes to choose from; left out: all.
    pub lattice: Option<&'a Lattice>,
    /// How they are searched.
    pub strategy: Strategy,
    /// When best-first and genetic search end before they have proven their result.
    pub budget: Budget<'a>,
}

/// The winner and how it was found.
#[derive(Debug, Clone)]
pub struct Found {
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

/// One search over one table.
pub(super) struct Search<'a> {
    pub(super) evaluate: &'a dyn Evaluate,
    pub(super) table: &'a FrequencyTable,
    pub(super) lattice: &'a Lattice,
    pub(super) context: &'a Context<'a>,
}

impl FullDomain<'_> {
    /// The best node of a table.
    ///
    /// # Errors
    /// [`MethodError::Infeasible`] if no anonymous node is found, [`MethodError::Unfit`] if the lattice is
    /// too large for the strategy, [`MethodError::Interrupted`].
    pub fn search(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<Found, MethodError> {
        with_evaluator(table, &self.demand, |evaluate| self.run(evaluate, table, context))
    }

    /// The best node with the fate of each of its classes.
    ///
    /// # Errors
    /// As [`FullDomain::search`].
    pub fn plan(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<(Plan, Found), MethodError> {
        with_evaluator(table, &self.demand, |evaluate| {
            let found = self.run(evaluate, table, context)?;
            let (classes, held) = evaluate.classes(&found.node);
            let fates = self.fates(table, &found.node, &classes, &held);
            Ok((Plan { node: found.node.clone(), classes, fates, ..Plan::default() }, found))
        })
    }

    fn run(
        &self,
        evaluate: &dyn Evaluate,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<Found, MethodError> {
        let whole = table.lattice();
        let lattice = self.lattice.unwrap_or(&whole);
        let search = Search { evaluate, table, lattice, context };
        match self.strategy {
            Strategy::Optimal if lattice.len().is_some_and(|nodes| nodes <= optimal::MOST_NODES) => {
                optimal::search(&search)
            }
            // Too large to keep the state of every node: the same proof, another order.
            Strategy::Optimal => best_first::search(&search, Budget::default()),
            Strategy::BestFirst => best_first::search(&search, self.budget),
            Strategy::Genetic => genetic::search(&search, self.budget),
            Strategy::Exhaustive => exhaustive::search(&search),
            Strategy::Datafly => datafly::search(&search),
            Strategy::TopDown => top_down::search(&search),
        }
    }

    fn fates(&self, table: &FrequencyTable, node: &Node, classes: &ClassTable, held: &[bool]) -> Vec<Fate> {
        let kept: Vec<usize> = (0..classes.len()).filter(|&class| held[class]).collect();
        let fate = |class: usize| match self.demand.outliers {
            _ if held[class] => Fate::Keep,
            Outliers::Suppress => Fate::Suppress,
            Outliers::Relocate => {
                nearest(table, node, classes, class, &kept).map_or(Fate::Suppress, Fate::Move)
            }
        };
        (0..classes.len()).map(fate).collect()
    }
}

impl Search<'_> {
    /// Groups the records at each node, side by side.
    ///
    /// # Errors
    /// [`Interrupted`] once the run was asked to stop.
    pub(super) fn examine(&self, nodes: &[Node]) -> Result<Vec<Examined>, Interrupted> {
        self.context.check()?;
        Ok(nodes.par_iter().map(|node| self.evaluate.examine(node)).collect())
    }

    /// A lower bound of a node's figure.
    pub(super) fn bound(&self, node: &Node) -> Score {
        self.evaluate.metric().bound(node)
    }
}

/// The best node so far.
#[derive(Default)]
pub(super) struct Best(pub(super) Option<(Score, Node)>);

impl Best {
    /// Whether a node of this figure, or bound, could still win: by figure, then height, then levels.
    pub(super) fn yields_to(&self, score: &Score, node: &Node) -> bool {
        let Some((best, at)) = &self.0 else { return true };
        score.total_cmp(best).then(node.height().cmp(&at.height())).then(node.cmp(at)).is_lt()
    }

    /// Takes the node if it is better.
    pub(super) fn offer(&mut self, score: &Score, node: &Node) {
        if self.yields_to(score, node) {
            self.0 = Some((score.clone(), node.clone()));
        }
    }

    /// Whether a bound is above the best figure.
    pub(super) fn beats(&self, bound: &Score) -> bool {
        self.0.as_ref().is_some_and(|(best, _)| bound.total_cmp(best).is_gt())
    }
}

pub(super) fn infeasible() -> MethodError {
    MethodError::Infeasible(
        "no node of the lattice meets the models, not even with every quasi-identifier fully generalized; relax a \
         model or raise the suppression limit"
            .into(),
    )
}

/// The kept class at the least distance: per attribute 0 if equal, else the degree of the least
/// common ancestor.
fn nearest(
    table: &FrequencyTable,
    node: &Node,
    classes: &ClassTable,
    class: usize,
    kept: &[usize],
) -> Option<u32> {
    let distance = |other: usize| -> f64 {
        (0..table.qis.len())
            .map(|q| {
                let hierarchy = &table.qis[q].hierarchy;
                let (a, b) = (classes.codes(class)[q], classes.codes(other)[q]);
                if a == b { 0.0 } else { common_degree(hierarchy, node.0[q], a, b) }
            })
            .sum()
    };
    kept.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b))).map(|class| class as u32)
}

fn common_degree(hierarchy: &crate::hierarchy::Hierarchy, level: u8, a: u32, b: u32) -> f64 {
    (level..=hierarchy.top())
        .find_map(|upper| {
            let step = hierarchy.step(level, upper);
            let (a, b) = (step[a as usize], step[b as usize]);
            (a == b).then(|| hierarchy.degree(upper, a))
        })
        .unwrap_or(1.0)
}
