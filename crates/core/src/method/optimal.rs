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
//! 1. Below a node that is not anonymous none is, where a proof says so ([`Monotonicity`]): models
//!    that hold of every superset of a class that holds (k-anonymity, distinct l-diversity) never
//!    suppress more records further up; models that hold of merged classes if they hold of each
//!    (t-closeness, entropy l-diversity) do so as long as nothing may be suppressed. With others only
//!    the part of the models that is monotone in that sense excludes nodes.
//! 2. A cell's figure never falls towards the top and a suppressed cell counts 1, so a node's figure
//!    without suppression, which needs only marginal counts, bounds its figure from below. Nodes
//!    whose bound exceeds the best figure found are excluded.
//!
//! The search walks down from the top to a first good node, then examines the nodes that the bound
//! leaves: highest bound first where failures exclude nodes, because those are cheap to group and
//! each failure excludes all below it; lowest bound first where they do not, because then only the
//! bound can end the search.
//!
//! # Complexity
//! Time O(nodes examined · classes), memory O(nodes + distinct combinations).
//!
//! # References
//! LeFevre 2005 (Incognito); El Emam 2009 (OLA); Kohlmayer 2012 (Flash): all find the same optimum.
//! Lee 2017 compares with this and with the variant with relocation (Nergiz & Gök 2014, hybrid k-anonymity).

use rayon::prelude::*;

use super::MethodError;
use crate::classes::{Cell, ClassTable, Coding, Space, layout};
use crate::context::Context;
use crate::frequency::FrequencyTable;
use crate::lattice::{Lattice, Node};
use crate::metric::{CellMetric, Figures};
use crate::model::{Bound, Class, Monotonicity};
use crate::plan::{Fate, Plan};
use crate::with_key_width;

/// The most lattice nodes whose state is held at once; more would need a method with a budget.
pub const MOST_NODES: u128 = 1 << 28;

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
    pub models: &'a [Bound],
    /// What is minimised.
    pub metric: CellMetric,
    /// ⌊limit · n⌋: the most records that may be suppressed or relocated.
    pub most_outliers: u64,
    /// What happens to them.
    pub outliers: Outliers,
    /// Whether the models are taken to be monotone even where they are not: faster, but the node
    /// found need not be optimal.
    pub assume_monotone: bool,
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
        let coding = self.coding(table);
        with_key_width!(layout(table, coding.as_ref()).words(), W => {
            Search::<W>::new(self, table, coding.as_ref(), context)?.run()
        }, else Err(too_wide()))
    }

    /// The optimal node with the fate of each of its classes.
    ///
    /// # Errors
    /// As [`Optimal::search`].
    pub fn plan(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<(Plan, Found), MethodError> {
        let coding = self.coding(table);
        with_key_width!(layout(table, coding.as_ref()).words(), W => {
            let search = Search::<W>::new(self, table, coding.as_ref(), context)?;
            let found = search.run()?;
            let classes = ClassTable::at(&search.space, &found.node);
            let fates = self.fates(table, &found.node, &classes, coding.as_ref());
            Ok((Plan { node: found.node.clone(), classes, fates, ..Plan::default() }, found))
        }, else Err(too_wide()))
    }

    /// The sensitive columns that the models look at.
    fn coding(&self, table: &FrequencyTable) -> Option<Coding> {
        let mut columns: Vec<usize> = self.models.iter().filter_map(|bound| bound.column).collect();
        columns.sort_unstable();
        columns.dedup();
        Coding::new(table, &columns)
    }

    /// What a model must be for its failures to exclude all nodes below.
    fn pruning(&self) -> Monotonicity {
        match self.most_outliers {
            _ if self.assume_monotone => Monotonicity::None,
            0 => Monotonicity::Merge,
            _ => Monotonicity::Superset,
        }
    }

    /// Whether the models of at least that monotonicity hold of a class.
    fn holds(
        &self,
        at_least: Monotonicity,
        class: &Class<'_>,
        coding: Option<&Coding>,
        own: &mut Histogram,
    ) -> bool {
        self.models.iter().filter(|bound| bound.monotonicity >= at_least).all(|bound| {
            match (bound.column, coding) {
                (Some(column), Some(coding)) => {
                    coding.histogram(column, class.sensitive, own);
                    bound.model.holds(&Class { size: class.size, sensitive: own })
                }
                _ => bound.model.holds(class),
            }
        })
    }

    fn fates(
        &self,
        table: &FrequencyTable,
        node: &Node,
        classes: &ClassTable,
        coding: Option<&Coding>,
    ) -> Vec<Fate> {
        let mut own = Histogram::new();
        let mut holds = |class| {
            let class = Class { size: classes.sizes[class], sensitive: classes.sensitive(class) };
            self.holds(Monotonicity::None, &class, coding, &mut own)
        };
        let holds: Vec<bool> = (0..classes.len()).map(&mut holds).collect();
        let kept: Vec<usize> = (0..classes.len()).filter(|&class| holds[class]).collect();
        let fate = |class: usize| match self.outliers {
            _ if holds[class] => Fate::Keep,
            Outliers::Suppress => Fate::Suppress,
            Outliers::Relocate => {
                nearest(table, node, classes, class, &kept).map_or(Fate::Suppress, Fate::Move)
            }
        };
        (0..classes.len()).map(fate).collect()
    }
}

/// (sensitive code, count) of one class.
type Histogram = Vec<(u32, u64)>;

fn infeasible() -> MethodError {
    MethodError::Infeasible(
        "no node of the lattice meets the models, not even with every quasi-identifier fully generalized; relax a \
         model or raise the suppression limit"
            .into(),
    )
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

/// What a node comes to.
#[derive(Debug, Clone, Copy)]
enum Checked {
    /// Anonymous, with this figure.
    Anonymous(f64),
    /// Not anonymous.
    Fails,
    /// Not anonymous, and none below it is.
    FailsWithAllBelow,
}

impl Checked {
    fn value(self) -> Option<f64> {
        match self {
            Self::Anonymous(value) => Some(value),
            Self::Fails | Self::FailsWithAllBelow => None,
        }
    }
}

struct Search<'a, const W: usize> {
    task: &'a Optimal<'a>,
    context: &'a Context<'a>,
    lattice: Lattice,
    space: Space<W>,
    coding: Option<&'a Coding>,
    figures: Figures,
    /// Failures of models at least this monotone exclude all nodes below.
    pruning: Monotonicity,
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
        coding: Option<&'a Coding>,
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
        let (space, pruning) = (Space::new(table, coding), task.pruning());
        Ok(Self { task, context, lattice, space, coding, figures, pruning })
    }

    fn run(&self) -> Result<Found, MethodError> {
        let nodes = self.lattice.len().unwrap_or(0) as usize;
        let mut state = State { failed: vec![false; nodes], seen: vec![false; nodes], ..State::default() };
        self.descend(&mut state)?;
        self.exclude_the_rest(&mut state)?;
        let (value, node) = state.best.ok_or_else(infeasible)?;
        Ok(Found { node, value, examined: state.examined })
    }

    /// From the top, always to the best anonymous predecessor.
    fn descend(&self, state: &mut State) -> Result<(), MethodError> {
        let mut node = self.lattice.top();
        if self.examine(std::slice::from_ref(&node), state)?[0].value().is_none() {
            return Ok(());
        }
        loop {
            let below: Vec<Node> = self
                .lattice
                .predecessors(&node)
                .filter(|n| !state.failed[self.lattice.index(n)] && !state.seen[self.lattice.index(n)])
                .collect();
            let checked = self.examine(&below, state)?;
            let best = below.into_iter().zip(checked).filter_map(|(n, c)| Some((c.value()?, n)));
            match best.min_by(|a, b| a.0.total_cmp(&b.0)) {
                Some((_, next)) => node = next,
                None => return Ok(()),
            }
        }
    }

    /// Examines what the bounds leave.
    fn exclude_the_rest(&self, state: &mut State) -> Result<(), MethodError> {
        let best = state.best.as_ref().map_or(f64::INFINITY, |best| best.0);
        let mut open: Vec<(f64, usize)> = (0..state.failed.len())
            .filter(|&i| !state.failed[i] && !state.seen[i])
            .map(|i| (self.figures.without_suppression(&self.lattice.node(i)), i))
            .filter(|(bound, _)| *bound <= best)
            .collect();
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        if self.prunes_by_all() {
            open.reverse();
        }
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
                Checked::Anonymous(value) => state.offer(*value, node),
                Checked::FailsWithAllBelow => self.fail_with_all_below(node, state),
                Checked::Fails => {}
            }
        }
        Ok(checked)
    }

    fn prunes_by_all(&self) -> bool {
        self.task.models.iter().all(|bound| bound.monotonicity >= self.pruning)
    }

    fn prunes_by_some(&self) -> bool {
        self.task.models.iter().any(|bound| bound.monotonicity >= self.pruning)
    }

    fn check(&self, node: &Node) -> Checked {
        let (mut outliers, mut always_outliers, mut kept) = (0, 0, 0);
        let mut extra = vec![0.0; node.0.len()];
        let (mut cells, mut own) = (Histogram::new(), Histogram::new());
        let (all_prune, some_prune) = (self.prunes_by_all(), self.prunes_by_some());
        let all = self.space.cells(node);
        for run in self.space.runs(&all) {
            let size: u64 = run.iter().map(|cell| cell.count).sum();
            self.fill(run, &mut cells);
            let class = Class { size, sensitive: &cells };
            if self.task.holds(Monotonicity::None, &class, self.coding, &mut own) {
                kept += size;
                continue;
            }
            outliers += size;
            if all_prune || (some_prune && !self.task.holds(self.pruning, &class, self.coding, &mut own)) {
                always_outliers += size;
            }
            if always_outliers > self.task.most_outliers {
                return Checked::FailsWithAllBelow;
            }
            if outliers > self.task.most_outliers && !some_prune {
                return Checked::Fails;
            }
            for (q, extra) in extra.iter_mut().enumerate() {
                let figure = self.figures.cell(q, node.0[q], self.space.code(&run[0].key, q));
                *extra += size as f64 * (1.0 - figure);
            }
        }
        match self.task.outliers {
            _ if outliers > self.task.most_outliers => Checked::Fails,
            Outliers::Suppress => Checked::Anonymous(self.figures.with_extra(node, &extra)),
            Outliers::Relocate if outliers > 0 && kept == 0 => Checked::Fails,
            Outliers::Relocate => Checked::Anonymous(self.figures.without_suppression(node)),
        }
    }

    /// The sensitive codes and counts of a class's cells.
    fn fill(&self, run: &[Cell<W>], cells: &mut Histogram) {
        cells.clear();
        if let Some(field) = self.space.sensitive_field() {
            cells.extend(run.iter().map(|cell| (cell.key.get(field), cell.count)));
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
