//! Exhaustive search: every node is grouped and judged to the end.
//!
//! # Summary
//! Finds what [`optimal`](super::optimal) finds, without any bound; tells every node's figure.
//!
//! # Complexity
//! Time O(nodes · classes), memory O(distinct combinations), beside the figures if they are kept.
//!
//! # References
//! Samarati 2001; the plain reading of every full-domain search.

use rayon::prelude::*;

use super::MethodError;
use super::evaluate::{Assessment, Demand, with_evaluator};
use super::search::{Best, Budget, Found, Search, Strategy, infeasible};
use crate::context::Context;
use crate::frequency::FrequencyTable;
use crate::lattice::{Lattice, Node};

/// The most lattice nodes that are looked at one by one.
pub const MOST_NODES: u128 = 1 << 24;

/// Nodes between two looks at the wish to stop.
const BATCH: usize = 256;

/// The search by name.
pub const STRATEGY: Strategy = Strategy { name: "exhaustive", search };

fn search(search: &Search<'_>) -> Result<Found, MethodError> {
    let mut best = Best::default();
    let examined = for_each(search, |node, assessment| {
        if assessment.anonymous {
            best.offer(&assessment.score, node);
        }
    })?;
    let (score, node) = best.0.ok_or_else(infeasible)?;
    Ok(Found { at_least: Some(score.clone()), node, score, examined })
}

/// What every node of a lattice comes to, in lexicographic order.
///
/// # Errors
/// [`MethodError::Unfit`] if there are more than [`MOST_NODES`], [`MethodError::Interrupted`].
pub fn survey(
    table: &FrequencyTable,
    demand: &Demand<'_>,
    lattice: &Lattice,
    context: &Context<'_>,
) -> Result<Vec<(Node, Assessment)>, MethodError> {
    with_evaluator(table, demand, |evaluate| {
        let mut all = Vec::new();
        let search = Search { evaluate, table, lattice, budget: Budget::default(), context };
        for_each(&search, |node, assessment| all.push((node.clone(), assessment)))?;
        Ok(all)
    })
}

/// The best anonymous node of a survey: by figure, then height, then levels.
///
/// # Errors
/// [`MethodError::Infeasible`] if none is anonymous.
pub fn best(nodes: &[(Node, Assessment)]) -> Result<&Node, MethodError> {
    let anonymous = nodes.iter().filter(|(_, assessment)| assessment.anonymous);
    let best = anonymous.min_by(|(a, x), (b, y)| {
        x.score.total_cmp(&y.score).then(a.height().cmp(&b.height())).then(a.cmp(b))
    });
    best.map(|(node, _)| node).ok_or_else(infeasible)
}

fn for_each(search: &Search<'_>, mut take: impl FnMut(&Node, Assessment)) -> Result<usize, MethodError> {
    let nodes = search.lattice.len().filter(|nodes| *nodes <= MOST_NODES).ok_or_else(|| {
        let message = format!("the lattice has more than {MOST_NODES} nodes, too many to look at each");
        MethodError::Unfit(message)
    })? as usize;
    for start in (0..nodes).step_by(BATCH) {
        search.context.check()?;
        search.context.progress.step("searching", start as u64, nodes as u64);
        let batch: Vec<Node> =
            (start..nodes.min(start + BATCH)).map(|index| search.lattice.node(index)).collect();
        let assessed: Vec<Assessment> = batch.par_iter().map(|node| search.evaluate.assess(node)).collect();
        batch.iter().zip(assessed).for_each(|(node, assessment)| take(node, assessment));
    }
    Ok(nodes)
}
