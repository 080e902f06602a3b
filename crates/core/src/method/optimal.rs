//! Optimal full-domain generalization.
//!
//! # Summary
//! Finds the lattice node of least information loss whose classes all meet the privacy models, up
//! to a share of suppressed records, and proves it: every node that is not examined is excluded by
//! a bound.
//!
//! # Definition
//! At a node every class that fails a model is suppressed whole; the node is anonymous iff the
//! suppressed records are at most ⌊limit · n⌋. Among the anonymous nodes the one of least metric
//! wins; ties go to the lower height, then to the lexicographically smaller node.
//!
//! # Why nothing is missed
//! 1. The models are monotone: a class that meets them still does after it merged with others that
//!    meet them, and a merged class that fails consists of classes that fail. So suppressed records
//!    never grow towards the top, and below a node that is not anonymous none is.
//! 2. A cell's figure never falls towards the top and a suppressed cell counts 1, so a node's figure
//!    without suppression, which needs only marginal counts, bounds its figure from below. Nodes
//!    whose bound exceeds the best figure found are excluded.
//!
//! The search walks down from the top to a first good node, then examines the nodes that the bound
//! leaves, highest bound first: those are cheap to group, and each failure excludes all below it.
//!
//! # Complexity
//! Time O(nodes examined · classes), memory O(nodes + distinct combinations).
//!
//! # References
//! LeFevre 2005 (Incognito); El Emam 2009 (OLA); Kohlmayer 2012 (Flash): all find the same optimum.
//! Lee 2017 compares with this and with the variant with relocation (Nergiz 2009, hybrid k-anonymity).

use rayon::prelude::*;

use super::MethodError;
use crate::classes::{ClassTable, Space, layout};
use crate::context::Context;
use crate::frequency::FrequencyTable;
use crate::lattice::{Lattice, Node};
use crate::metric::{CellMetric, Figures};
use crate::model::{Class, ClassModel};
use crate::plan::{Fate, Plan};
use crate::with_key_width;

/// Nodes whose state is held at once; more would need a method with a budget.
const MOST_NODES: u128 = 1 << 28;

/// Nodes examined between two looks at the bound; a constant, so that the result of every step is
/// the same on any number of threads.
const WAVE: usize = 8;

/// What becomes of classes that fail a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outliers {
    /// Their records are suppressed, and count as such in the metric.
    Suppress,
    /// Their records take the values of the nearest class that holds; the metric does not see it.
    Relocate,
}

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub struct Optimal<'a> {
    /// All must hold in every kept class.
    pub models: &'a [&'a dyn ClassModel],
    /// What is minimised.
    pub metric: CellMetric,
    /// ⌊limit · n⌋: the most records that may be suppressed or relocated.
    pub most_outliers: u64,
    /// What happens to them.
    pub outliers: Outliers,
}

/// The winner and how it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The optimal node.
    pub node: Node,
    /// Its figure.
    pub value: f64,
    /// How many nodes were grouped; the others are excluded by bounds.
    pub examined: usize,
}

impl Optimal<'_> {
    /// The optimal node of a table.
    ///
    /// # Errors
    /// [`MethodError::Infeasible`] if not even the top is anonymous, [`MethodError::Unfit`] if the
    /// lattice is too large to prove an optimum on, [`MethodError::Interrupted`].
    pub fn search(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<Found, MethodError> {
        with_key_width!(layout(table, None).words(), W => Search::<W>::new(self, table, context)?.run(),
            else Err(too_wide()))
    }

    /// The optimal node with the fate of each of its classes.
    ///
    /// # Errors
    /// As [`Optimal::search`].
    pub fn plan(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<(Plan, Found), MethodError> {
        with_key_width!(layout(table, None).words(), W => {
            let search = Search::<W>::new(self, table, context)?;
            let found = search.run()?;
            let classes = ClassTable::at(&search.space, &found.node);
            let fates = self.fates(table, &found.node, &classes);
            Ok((Plan { node: found.node.clone(), classes, fates, ..Plan::default() }, found))
        }, else Err(too_wide()))
    }

    fn holds(&self, size: u64) -> bool {
        let class = Class { size, sensitive: &[] };
        self.models.iter().all(|model| model.holds(&class))
    }

    fn fates(&self, table: &FrequencyTable, node: &Node, classes: &ClassTable) -> Vec<Fate> {
        let kept: Vec<usize> = (0..classes.len()).filter(|&c| self.holds(classes.sizes[c])).collect();
        let fate = |class| match self.outliers {
            _ if self.holds(classes.sizes[class]) => Fate::Keep,
            Outliers::Suppress => Fate::Suppress,
            Outliers::Relocate => {
                nearest(table, node, classes, class, &kept).map_or(Fate::Suppress, Fate::Move)
            }
        };
        (0..classes.len()).map(fate).collect()
    }
}

fn too_wide() -> MethodError {
    MethodError::Unfit("the quasi-identifiers need more than 1024 bits a record; coarsen or drop some".into())
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

/// A node's figure, or `None` where it is not anonymous.
type Checked = Option<f64>;

struct Search<'a, const W: usize> {
    task: &'a Optimal<'a>,
    context: &'a Context<'a>,
    lattice: Lattice,
    space: Space<W>,
    figures: Figures,
}

#[derive(Default)]
struct State {
    /// Nodes known not to be anonymous.
    failed: Vec<bool>,
    /// Nodes already examined.
    seen: Vec<bool>,
    best: Option<(f64, Node)>,
    examined: usize,
}

impl<'a, const W: usize> Search<'a, W> {
    fn new(
        task: &'a Optimal<'a>,
        table: &FrequencyTable,
        context: &'a Context<'a>,
    ) -> Result<Self, MethodError> {
        let lattice = table.lattice();
        match lattice.len() {
            Some(nodes) if nodes <= MOST_NODES => {}
            _ => {
                let message = format!(
                    "the lattice has more than {MOST_NODES} nodes; coarsen or drop quasi-identifiers"
                );
                return Err(MethodError::Unfit(message));
            }
        }
        let figures = Figures::new(task.metric, table);
        Ok(Self { task, context, lattice, space: Space::new(table, None), figures })
    }

    fn run(&self) -> Result<Found, MethodError> {
        let nodes = self.lattice.len().unwrap_or(0) as usize;
        let mut state = State { failed: vec![false; nodes], seen: vec![false; nodes], ..State::default() };
        self.descend(&mut state)?;
        self.exclude_the_rest(&mut state)?;
        let (value, node) = state.best.expect("the descent found the top anonymous");
        Ok(Found { node, value, examined: state.examined })
    }

    /// From the top, always to the best anonymous predecessor.
    fn descend(&self, state: &mut State) -> Result<(), MethodError> {
        let mut node = self.lattice.top();
        if self.examine(std::slice::from_ref(&node), state)?[0].is_none() {
            return Err(MethodError::Infeasible(
                "even with every quasi-identifier fully generalized some class fails the models".into(),
            ));
        }
        loop {
            let below: Vec<Node> = self
                .lattice
                .predecessors(&node)
                .filter(|n| !state.failed[self.lattice.index(n)] && !state.seen[self.lattice.index(n)])
                .collect();
            let checked = self.examine(&below, state)?;
            let best = below.into_iter().zip(checked).filter_map(|(n, c)| Some((c?, n)));
            match best.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((_, next)) => node = next,
                None => return Ok(()),
            }
        }
    }

    /// Examines what the bounds leave, highest bound first.
    fn exclude_the_rest(&self, state: &mut State) -> Result<(), MethodError> {
        let best = state.best.as_ref().map_or(f64::INFINITY, |best| best.0);
        let mut open: Vec<(f64, usize)> = (0..state.failed.len())
            .filter(|&i| !state.failed[i] && !state.seen[i])
            .map(|i| (self.figures.without_suppression(&self.lattice.node(i)), i))
            .filter(|(bound, _)| *bound <= best)
            .collect();
        open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let total = open.len() as u64;
        let mut rest = open.into_iter().enumerate();
        loop {
            let wave: Vec<Node> = rest
                .by_ref()
                .inspect(|(done, _)| self.context.progress.step("searching", *done as u64, total))
                .map(|(_, (bound, i))| (bound, i, self.lattice.node(i)))
                .filter(|(bound, i, node)| !state.failed[*i] && state.may_win(*bound, node))
                .map(|(_, _, node)| node)
                .take(WAVE)
                .collect();
            if wave.is_empty() {
                return Ok(());
            }
            self.examine(&wave, state)?;
        }
    }

    /// Groups the records at each node and records what follows.
    fn examine(&self, nodes: &[Node], state: &mut State) -> Result<Vec<Checked>, MethodError> {
        self.context.check()?;
        let checked: Vec<Checked> = nodes.par_iter().map(|node| self.check(node)).collect();
        for (node, checked) in nodes.iter().zip(&checked) {
            state.examined += 1;
            state.seen[self.lattice.index(node)] = true;
            match checked {
                Some(value) => state.offer(*value, node),
                None => self.fail_with_all_below(node, state),
            }
        }
        Ok(checked)
    }

    fn check(&self, node: &Node) -> Checked {
        let (mut outliers, mut kept) = (0, 0);
        let mut extra = vec![0.0; node.0.len()];
        for cell in self.space.cells(node).iter() {
            if self.task.holds(cell.count) {
                kept += cell.count;
                continue;
            }
            outliers += cell.count;
            if outliers > self.task.most_outliers {
                return None;
            }
            for (q, extra) in extra.iter_mut().enumerate() {
                let figure = self.figures.cell(q, node.0[q], self.space.code(&cell.key, q));
                *extra += cell.count as f64 * (1.0 - figure);
            }
        }
        match self.task.outliers {
            Outliers::Suppress => Some(self.figures.with_extra(node, &extra)),
            Outliers::Relocate if outliers > 0 && kept == 0 => None,
            Outliers::Relocate => Some(self.figures.without_suppression(node)),
        }
    }

    fn fail_with_all_below(&self, node: &Node, state: &mut State) {
        let mut open = vec![node.clone()];
        while let Some(node) = open.pop() {
            let index = self.lattice.index(&node);
            if !std::mem::replace(&mut state.failed[index], true) {
                open.extend(self.lattice.predecessors(&node));
            }
        }
    }
}

impl State {
    /// Whether a node with this bound could still beat the best.
    fn may_win(&self, bound: f64, node: &Node) -> bool {
        self.best.as_ref().is_none_or(|best| beats(bound, node, best))
    }

    fn offer(&mut self, value: f64, node: &Node) {
        if self.may_win(value, node) {
            self.best = Some((value, node.clone()));
        }
    }
}

/// The order of winners: figure, then height, then levels.
fn beats(value: f64, node: &Node, best: &(f64, Node)) -> bool {
    value.total_cmp(&best.0).then(node.height().cmp(&best.1.height())).then(node.cmp(&best.1)).is_lt()
}
