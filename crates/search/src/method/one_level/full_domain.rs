//! Full-domain generalization: one lattice node for the whole table, found by one of several searches.

use rayon::prelude::*;
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Hierarchy;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Fate, Plan};

use crate::method::MethodError;
use crate::method::kit::evaluate::{Demand, Evaluate, Outliers, with_evaluator};
use crate::method::kit::search::{Budget, FoundNode, NodeSearch, Strategy, infeasible};

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
pub const ONE_NODE: Strategy = Strategy::of("one-node", look);

fn look(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let node = search.lattice.bottom();
    let checked = search.examine(std::slice::from_ref(&node))?.remove(0).checked;
    let score = checked.score().ok_or_else(infeasible)?.clone();
    Ok(FoundNode { at_least: Some(score.clone()), node, score, examined: 1 })
}

impl FullDomain<'_> {
    /// The best node of a table.
    ///
    /// # Errors
    /// [`MethodError::Infeasible`] if no anonymous node is found, [`MethodError::Unfit`] if the lattice is
    /// too large for the strategy, [`MethodError::Interrupted`].
    pub fn search(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<FoundNode, MethodError> {
        with_evaluator(table, &self.demand, |evaluate| self.run(evaluate, table, context))
    }

    /// The best node with the fate of each of its classes.
    ///
    /// # Errors
    /// As [`FullDomain::search`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<(Plan, FoundNode), MethodError> {
        with_evaluator(table, &self.demand, |evaluate| {
            let found = self.run(evaluate, table, context)?;
            let (classes, held) = evaluate.classes(&found.node);
            let fates = self.fates(table, &found.node, (&classes, &held), context)?;
            Ok((Plan { node: found.node.clone(), classes, fates, ..Plan::default() }, found))
        })
    }

    fn run(
        &self,
        evaluate: &dyn Evaluate,
        table: &FrequencyTable,
        context: &Context<'_>,
    ) -> Result<FoundNode, MethodError> {
        let whole = table.lattice();
        let lattice = self.lattice.unwrap_or(&whole);
        (self.strategy.search)(&NodeSearch { evaluate, table, lattice, budget: self.budget, context })
    }

    /// What becomes of each class.
    ///
    /// # Errors
    /// [`MethodError::Interrupted`].
    fn fates(
        &self,
        table: &FrequencyTable,
        node: &Node,
        (classes, held): (&ClassTable, &[bool]),
        context: &Context<'_>,
    ) -> Result<Vec<Fate>, MethodError> {
        if self.demand.outliers == Outliers::Suppress {
            let fate = |&held: &bool| if held { Fate::Keep } else { Fate::Suppress };
            return Ok(held.iter().map(fate).collect());
        }
        let targets = Targets::new(table, node, classes, held);
        let fate = |class: usize| {
            context.check()?;
            Ok(match held[class] {
                true => Fate::Keep,
                false => targets.nearest(class).map_or(Fate::Suppress, Fate::Move),
            })
        };
        (0..classes.len()).into_par_iter().map(fate).collect()
    }
}

/// The kept classes, to which outliers move.
///
/// Time: O(outliers' classes · kept classes · attributes) at most; a class farther than the nearest so far is left
/// as soon as that shows.
struct Targets<'a> {
    classes: &'a ClassTable,
    kept: Vec<usize>,
    /// Per attribute and level above the node's: by code at the node's level the code there, and by that its degree.
    above: Vec<Vec<Above>>,
}

/// By code at a node's level the code at one above, and by that its degree.
type Above = (Vec<u32>, Vec<f64>);

/// The levels from one up.
fn above(hierarchy: &Hierarchy, level: u8) -> Vec<Above> {
    let degrees = |upper| (0..hierarchy.width(upper) as u32).map(move |code| hierarchy.degree(upper, code));
    (level..=hierarchy.top()).map(|upper| (hierarchy.step(level, upper), degrees(upper).collect())).collect()
}

impl<'a> Targets<'a> {
    fn new(table: &FrequencyTable, node: &Node, classes: &'a ClassTable, held: &[bool]) -> Self {
        Self {
            classes,
            kept: (0..classes.len()).filter(|&class| held[class]).collect(),
            above: table.qis.iter().zip(&node.0).map(|(qi, &level)| above(&qi.hierarchy, level)).collect(),
        }
    }

    /// The kept class at the least distance, the first of equal ones: per attribute 0 if equal, else the degree of the
    /// least common ancestor.
    fn nearest(&self, class: usize) -> Option<u32> {
        let mut best = (f64::INFINITY, None);
        for &other in &self.kept {
            let (mut distance, pairs) =
                (0.0, self.classes.codes(class).iter().zip(self.classes.codes(other)));
            for (q, (&a, &b)) in pairs.enumerate() {
                if a != b {
                    distance += self.common_degree(q, a, b);
                }
                if distance >= best.0 {
                    break;
                }
            }
            if distance < best.0 {
                best = (distance, Some(other as u32));
            }
        }
        best.1
    }

    fn common_degree(&self, q: usize, a: u32, b: u32) -> f64 {
        let met = self.above[q].iter().find(|(step, _)| step[a as usize] == step[b as usize]);
        met.map_or(1.0, |(step, degrees)| degrees[step[a as usize] as usize])
    }
}
