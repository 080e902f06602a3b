//! Full-domain generalization: one lattice node for the whole table, found by one of several searches.

use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Fate, Plan};

use super::MethodError;
use super::evaluate::{Demand, Evaluate, Outliers, with_evaluator};
use super::search::{Budget, Found, Search, Strategy, infeasible};

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

/// The look at the only node of a lattice.
pub const ONE_NODE: Strategy = Strategy { name: "one-node", search: look };

fn look(search: &Search<'_>) -> Result<Found, MethodError> {
    let node = search.lattice.bottom();
    let checked = search.examine(std::slice::from_ref(&node))?.remove(0).checked;
    let score = checked.score().ok_or_else(infeasible)?.clone();
    Ok(Found { at_least: Some(score.clone()), node, score, examined: 1 })
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
        (self.strategy.search)(&Search { evaluate, table, lattice, budget: self.budget, context })
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

fn common_degree(hierarchy: &velamen_core::hierarchy::Hierarchy, level: u8, a: u32, b: u32) -> f64 {
    (level..=hierarchy.top())
        .find_map(|upper| {
            let step = hierarchy.step(level, upper);
            let (a, b) = (step[a as usize], step[b as usize]);
            (a == b).then(|| hierarchy.degree(upper, a))
        })
        .unwrap_or(1.0)
}
