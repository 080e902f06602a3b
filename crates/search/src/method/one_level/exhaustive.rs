//! Exhaustive search: every node is grouped and judged to the end.
//!
//! # Summary
//! Finds what [`optimal`](super::optimal) finds, without any bound; reports every node's figure.
//!
//! # Complexity
//! Time O(nodes · classes), memory O(distinct combinations), beside the figures if they are kept.
//!
//! # References
//! Samarati 2001; the plain reading of every full-domain search.

use std::sync::Arc;

use rayon::prelude::*;
use velamen_contract::Statement;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};

use super::OneLevel;
use super::full_domain::{FullDomain, ONE_NODE};
use crate::method::kit::evaluate::{Assessment, Demand, Outliers, with_evaluator};
use crate::method::kit::search::{Best, Budget, FoundNode, NodeSearch, Strategy, infeasible};
use crate::method::one_level;
use crate::method::{Cell, Cost, Decision, Entry, Facts, File, Method, MethodError, Nodes, Task, Time};

/// The most lattice nodes that are looked at one by one.
pub const MOST_NODES: u128 = 1 << 24;

/// Nodes between two looks at the wish to stop.
const BATCH: usize = 256;

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    stated: one_level::stated_with_proof,
    facts: |section| Facts { most_nodes: Some(MOST_NODES), ..one_level::facts(section) },
    ..one_level::entry(
        STRATEGY.name,
        "Every node of the lattice, without bounds; the custodian gets all figures.",
        |section| {
            one_level::words(
                section,
                "Every attribute is released at one level of detail; every combination of levels was looked at and the one that loses least was taken.",
            )
        },
        |keys, task| {
            let search = OneLevel::new(STRATEGY.name, STRATEGY, Outliers::Suppress, keys, task)?;
            Ok(Arc::new(Exhaustive(search)))
        },
    )
};

/// A search that looks at every node and reports to the custodian what each comes to.
#[derive(Debug)]
struct Exhaustive(OneLevel);

impl Method for Exhaustive {
    fn statement(&self, task: &Task<'_>) -> Statement {
        self.0.statement(task)
    }

    fn cost(&self) -> Cost {
        let time = Some(Time { by_node: 6.0, ..Time::SEARCH });
        if self.0.local.is_some() { self.0.cost() } else { Cost { time, ..Cost::SEARCH } }
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        self.0.nodes()
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        if self.0.local.is_some() {
            return self.0.run(table, task, context);
        }
        let this = self.0.weighted(table, task);
        let (models, lattice) = (task.bind(table)?, task.lattice(table));
        let (nodes, plan, found) = this.demanded(task, &task.counted(table), &models, |demand| {
            let budget = Budget { expired: task.expired, ..Budget::default() };
            let nodes = looked_at(table, &demand, &lattice, budget, context)?;
            let best = best(&nodes)?;
            // Looked at once more, for the fate of each class.
            let only = Lattice::between(best, best);
            let (strategy, budget) = (ONE_NODE, Budget::default());
            let task = FullDomain { demand, lattice: Some(&only), strategy, budget };
            let (plan, found) = task.plan(table, context)?;
            Ok::<_, MethodError>((nodes, plan, found))
        })?;
        let all = lattice.len() == Some(nodes.len() as u128);
        let at_least = found.at_least.filter(|_| all);
        let found = FoundNode { examined: nodes.len(), at_least, ..found };
        let mut decision = this.decided(task, plan, &found, task.is_expired());
        decision.files.push(file(table, &this, &nodes));
        decision.warnings.extend(this.assumed(task));
        Ok(decision)
    }
}

/// One row per lattice node: its levels and what it comes to.
fn file(table: &FrequencyTable, search: &OneLevel, nodes: &[(Node, Assessment)]) -> File {
    let names = table.qis.iter().map(|qi| qi.name.clone());
    let figures = ["anonymous", "suppressed", "classes", search.metric.name].map(str::to_owned);
    let rows = nodes.iter().map(|(node, assessment)| row(node, assessment, search)).collect();
    File { name: "nodes.csv", header: names.chain(figures).collect(), rows }
}

fn row(node: &Node, assessment: &Assessment, search: &OneLevel) -> Vec<Cell> {
    let levels = node.0.iter().map(u8::to_string);
    let figures = [
        assessment.anonymous.to_string(),
        assessment.outliers.to_string(),
        assessment.classes.to_string(),
        search.metric.value(&assessment.score).to_string(),
    ];
    levels.chain(figures).map(Cell::Text).collect()
}

/// The search by name.
pub const STRATEGY: Strategy = Strategy { proves: true, ..Strategy::of("exhaustive", search) };

fn search(search: &NodeSearch<'_>) -> Result<FoundNode, MethodError> {
    let mut best = Best::default();
    let examined = for_each(search, |node, assessment| {
        if assessment.anonymous {
            best.offer(&assessment.score, node);
        }
    })?;
    let (score, node) = best.0.ok_or_else(infeasible)?;
    let all = search.lattice.len() == Some(examined as u128);
    Ok(FoundNode { at_least: all.then(|| score.clone()), node, score, examined })
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
    looked_at(table, demand, lattice, Budget::default(), context)
}

/// As [`survey`], as far as the budget goes.
fn looked_at(
    table: &FrequencyTable,
    demand: &Demand<'_>,
    lattice: &Lattice,
    budget: Budget<'_>,
    context: &Context<'_>,
) -> Result<Vec<(Node, Assessment)>, MethodError> {
    with_evaluator(table, demand, |evaluate| {
        let mut all = Vec::new();
        let search = NodeSearch { evaluate, table, lattice, budget, context };
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

/// How many nodes were looked at: all, or as many as the budget allows beyond the first anonymous one.
fn for_each(search: &NodeSearch<'_>, mut take: impl FnMut(&Node, Assessment)) -> Result<usize, MethodError> {
    let nodes = search.lattice.len().filter(|nodes| *nodes <= MOST_NODES).ok_or_else(|| {
        let message = format!("the lattice has more than {MOST_NODES} nodes, too many to look at each");
        MethodError::Unfit(message.into())
    })? as usize;
    let mut found = false;
    for start in (0..nodes).step_by(BATCH) {
        search.context.check()?;
        if found && !search.budget.is_left(start) {
            return Ok(start);
        }
        search.context.progress.step("searching", start as u64, nodes as u64);
        let batch: Vec<Node> =
            (start..nodes.min(start + BATCH)).map(|index| search.lattice.node(index)).collect();
        let assessed: Vec<Assessment> = batch.par_iter().map(|node| search.evaluate.assess(node)).collect();
        found |= assessed.iter().any(|assessment| assessment.anonymous);
        batch.iter().zip(assessed).for_each(|(node, assessment)| take(node, assessment));
    }
    Ok(nodes)
}
