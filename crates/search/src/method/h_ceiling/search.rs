//! Algorithm 1: the best node within the ceiling and the limits.
//!
//! # Definition
//! The nodes whose least possible D(r) is within the ceiling stand in the order of what they cost without
//! counterfeits and suppression, a bound that needs marginal counts only. They are looked at [`WAVE`] at a time:
//! 1. What is not known of a node's class sizes is found out on a chain from it to the top, by bisection: beyond
//!    the limits below some node of the chain, within them above ([`Census`]).
//! 2. The nodes whose census is within the limits are padded, grouped and weighed.
//!
//! The search ends when the bound is above the best figure. Bisection looks at the general nodes of a chain
//! first, which have few classes, and each that is beyond the limits excludes all below it.

mod grouped;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use velamen_core::classes::{ClassTable, Coding, Space};
use velamen_core::context::{Context, Interrupted};
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::impossible::Excluded;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Counterfeits, Fate, Plan};

use super::error::reconstruction_error;
use super::filler::Filler;
use super::grouping::lemma_1_holds;
use super::kin::Ladder;
use super::limits::Census;
use super::{
    DEGREE_TOLERANCE, Demand, Evaluation, HCeiling, MOST_NODES, MethodError, Objective, WinningNode,
    betrayed, coding,
};
use crate::metric::Reading;

/// Nodes looked at between two looks at the bound; a constant, for the same steps on any machine.
const WAVE: usize = 8;

/// The lattice of a table, and all that its nodes are weighed by.
pub(super) struct NodeSearch<'a, const W: usize> {
    pub(super) method: HCeiling,
    pub(super) context: &'a Context<'a>,
    pub(super) table: &'a FrequencyTable,
    pub(super) lattice: Lattice,
    /// The lattice of the table, of which the other one is a part: it numbers the streams.
    whole: Lattice,
    records: u64,
    space: Space<W>,
    /// By what cells are kept apart where people are counted: the columns of person and sensitive value.
    people: Option<(Coding, (usize, usize))>,
    /// The classes without their sensitive values.
    sizes: Space<W>,
    filler: Filler<'a>,
    expired: Option<&'a AtomicBool>,
    /// Says who is near to whom, where that is asked.
    ladder: Option<Ladder<'a>>,
    /// Per attribute and level: Σ over the records of 1/w.
    reciprocals: Vec<Vec<f64>>,
    /// Per attribute and level: Σ over the records of the degree of generalization.
    degrees: Vec<Vec<f64>>,
}

/// A node after padding.
pub(super) struct Grouped {
    pub(super) plan: Plan,
    /// Whether its catalog is safe.
    pub(super) safe: bool,
    /// What the classes' records conceal, where that is less than all.
    concealing: Option<ClassTable>,
    /// The least risk of the safe catalogs that were drawn, where all leave more than is promised.
    pub(super) risk: Option<f64>,
    pub(super) degree: f64,
}

/// What is known of the nodes' class sizes.
#[derive(Default)]
pub(super) struct Known {
    census: FxHashMap<usize, Census>,
    /// Nodes that are beyond the limits with all below them; none is below another.
    excluded: Vec<Node>,
}

impl Known {
    fn excludes(&self, node: &Node) -> bool {
        self.excluded.iter().any(|above| node.is_below(above))
    }

    fn exclude(&mut self, node: Node) {
        if !self.excludes(&node) {
            self.excluded.retain(|below| !below.is_below(&node));
            self.excluded.push(node);
        }
    }
}

impl<'a, const W: usize> NodeSearch<'a, W> {
    pub(super) fn new(
        method: HCeiling,
        table: &'a FrequencyTable,
        lattice: &Lattice,
        sensitive: usize,
        asked: &Demand<'a>,
        context: &'a Context<'a>,
    ) -> Result<Self, MethodError> {
        let lattice = lattice.clone();
        if lattice.len().is_none_or(|nodes| nodes > MOST_NODES) {
            let message = Problem::new(format!("the lattice has more than {MOST_NODES} nodes"))
                .mend("coarsen or drop quasi-identifiers");
            return Err(MethodError::Unfit(message));
        }
        let filler = method.filler(table, sensitive, asked)?;
        let of_levels = |of: &dyn Fn(usize, u8, u32) -> f64| {
            (0..table.qis.len()).map(|q| sums(table, q, of)).collect::<Vec<_>>()
        };
        let hierarchy = |q: usize| &table.qis[q].hierarchy;
        let coding = coding(table, sensitive);
        let space = Space::new(table, coding.as_ref());
        let people = table.rest.person().and_then(|person| Some((coding?, (person, sensitive))));
        Ok(Self {
            method,
            context,
            table,
            lattice,
            whole: table.lattice(),
            records: table.records(),
            sizes: space.of_classes(table),
            space,
            people,
            filler,
            expired: asked.expired,
            ladder: method.needs_kin().then(|| Ladder::new(table, sensitive)),
            reciprocals: of_levels(&|q, level, code| 1.0 / hierarchy(q).leaves(level, code) as f64),
            degrees: of_levels(&|q, level, code| hierarchy(q).degree(level, code)),
        })
    }

    /// Algorithm 1, lines 3–20.
    pub(super) fn run(&self) -> Result<WinningNode, MethodError> {
        let open = self.open(self.method.params.h);
        let (mut best, mut examined, mut infeasible) = (None::<Evaluation>, 0, 0);
        let (mut known, mut least_risk) = (Known::default(), None::<f64>);
        let (total, mut next) = (open.len(), 0);
        let mut ended = false;
        while next < total {
            self.context.check()?;
            self.context.progress.step("searching", next as u64, total as u64);
            let wave = self.wave(&open, &mut next, &known);
            if let (Some(best), Some((bound, _))) = (&best, wave.first())
                && *bound > best.figure
            {
                break;
            }
            ended = best.is_some() && self.expired.is_some_and(|expired| expired.load(Ordering::Relaxed));
            if ended {
                break;
            }
            let nodes: Vec<Node> = wave.iter().map(|(_, index)| self.lattice.node(*index)).collect();
            let admitted = self.admitted(nodes, &mut known)?;
            let evaluate = |node: &Node| self.context.check().map(|()| self.evaluate(node));
            let evaluated = admitted.par_iter().map(evaluate).collect::<Result<Vec<_>, _>>()?;
            let evaluated: Vec<_> = evaluated.into_iter().flatten().collect();
            examined += evaluated.len();
            infeasible += evaluated.iter().filter(|e| e.figure.is_infinite()).count();
            least_risk = evaluated.iter().filter_map(|e| e.risk).chain(least_risk).reduce(f64::min);
            best = evaluated.into_iter().chain(best).filter(|e| e.figure.is_finite()).min_by(compare);
        }
        best.map(|best| WinningNode { best, examined, infeasible, ended })
            .ok_or_else(|| self.infeasible(examined, least_risk))
    }

    /// The nodes that the public bound leaves under a ceiling, with the bound of what is minimized, ascending.
    pub(super) fn open(&self, h: Option<f64>) -> Vec<(f64, usize)> {
        let mut open: Vec<(f64, usize)> = (0..self.lattice.len().unwrap_or(0) as usize)
            .map(|index| (index, self.lattice.node(index)))
            .filter(|(_, node)| self.least_degree(node) <= h.unwrap_or(1.0) + DEGREE_TOLERANCE)
            .map(|(index, node)| (self.bound(&node), index))
            .collect();
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        open
    }

    /// The next nodes that are not excluded.
    fn wave(&self, open: &[(f64, usize)], next: &mut usize, known: &Known) -> Vec<(f64, usize)> {
        let mut wave = Vec::with_capacity(WAVE);
        while wave.len() < WAVE && *next < open.len() {
            let (bound, index) = open[*next];
            if !known.excludes(&self.lattice.node(index)) {
                wave.push((bound, index));
            }
            *next += 1;
        }
        wave
    }

    /// Those of some nodes whose class sizes are within the limits.
    pub(super) fn admitted(&self, mut nodes: Vec<Node>, known: &mut Known) -> Result<Vec<Node>, Interrupted> {
        nodes.retain(|node| !known.excludes(node));
        self.take_census(&nodes, known)?;
        nodes.retain(|node| self.may_admit(node, known));
        Ok(nodes)
    }

    /// Finds out which of some nodes the limits exclude, by bisection of a chain from each to the top. What one
    /// chain finds serves the others.
    fn take_census(&self, nodes: &[Node], known: &mut Known) -> Result<(), Interrupted> {
        if !self.method.params.limits.bind() {
            return Ok(());
        }
        let mut chains: Vec<Vec<Node>> = nodes.iter().map(|node| self.chain(node)).collect();
        loop {
            let asked: BTreeSet<Node> =
                chains.iter_mut().filter_map(|chain| self.next_of(chain, known)).collect();
            if asked.is_empty() {
                return Ok(());
            }
            let asked: Vec<Node> = asked.into_iter().collect();
            let census = |node: &Node| self.context.check().map(|()| self.census(node));
            let found: Vec<Census> = asked.par_iter().map(census).collect::<Result<_, _>>()?;
            for (node, census) in asked.into_iter().zip(found) {
                known.census.insert(self.lattice.index(&node), census);
                if self.method.params.limits.excludes_below(&census, self.records, self.method.params.k) {
                    known.exclude(node);
                }
            }
        }
    }

    /// The node of a chain to be counted next, if it is not known yet where the excluded ones end. Of the chain
    /// only what is open is left, and the first node that is known not to be excluded.
    fn next_of(&self, chain: &mut Vec<Node>, known: &Known) -> Option<Node> {
        loop {
            chain.drain(..chain.partition_point(|node| known.excludes(node)));
            let counted = |node: &Node| known.census.contains_key(&self.lattice.index(node));
            if chain.first().is_none_or(counted) {
                return None;
            }
            let middle = chain.len() / 2;
            match counted(&chain[middle]) {
                // It is counted and not excluded, and so is none above it.
                true => chain.truncate(middle),
                false => return Some(chain[middle].clone()),
            }
        }
    }

    /// From a node to the top, each step the one that costs least.
    fn chain(&self, node: &Node) -> Vec<Node> {
        let mut chain = vec![node.clone()];
        loop {
            let last = &chain[chain.len() - 1];
            let next = self.lattice.successors(last).min_by(|a, b| self.bound(a).total_cmp(&self.bound(b)));
            match next {
                Some(next) => chain.push(next),
                None => return chain,
            }
        }
    }

    /// What the sizes of a node's classes say, in people where these are counted: of records no fewer are suppressed.
    pub(super) fn census(&self, node: &Node) -> Census {
        let (k, least_real) = (self.method.params.k, self.method.params.limits.least_real);
        if self.people.is_some() {
            let classes = self.classes(node);
            return Census::of((0..classes.len()).map(|class| classes.people(class)), k, least_real);
        }
        Census::of(self.sizes.cells(node).iter().map(|cell| cell.count), k, least_real)
    }

    fn classes(&self, node: &Node) -> ClassTable {
        match &self.people {
            Some((coding, columns)) => ClassTable::of_people(&self.space, node, coding, *columns),
            None => ClassTable::at(&self.space, node),
        }
    }

    fn may_admit(&self, node: &Node, known: &Known) -> bool {
        let census = known.census.get(&self.lattice.index(node));
        !self.method.params.limits.bind()
            || census.is_some_and(|census| self.method.params.limits.may_admit(census, self.records))
    }

    /// What a node comes to; `None` where it is beyond the ceiling or the limits.
    pub(super) fn evaluate(&self, node: &Node) -> Option<Evaluation> {
        self.evaluate_as(self.method, node)
    }

    /// What a node comes to with another ceiling or other limits.
    pub(super) fn evaluate_as(&self, method: HCeiling, node: &Node) -> Option<Evaluation> {
        Some(self.evaluation(&self.grouped_as(method, node)?))
    }

    pub(super) fn evaluation(&self, grouped: &Grouped) -> Evaluation {
        let Grouped { plan, safe, degree, risk, .. } = grouped;
        let counterfeits = plan.counterfeits.iter().map(Counterfeits::total).sum();
        let suppressed = plan.suppressed();
        let rce = if *safe { self.rce(plan, counterfeits) } else { f64::INFINITY };
        let figure = match self.method.params.objective {
            _ if !*safe => f64::INFINITY,
            Objective::Rce => rce,
            Objective::Loss => self.loss(plan),
            Objective::Counterfeits => counterfeits as f64,
        };
        Evaluation {
            node: plan.node.clone(),
            figure,
            rce,
            counterfeits,
            suppressed,
            degree: *degree,
            risk: *risk,
        }
    }

    /// RCE of a plan over the records that it is to be summed over.
    pub(super) fn rce(&self, plan: &Plan, counterfeits: u64) -> f64 {
        let originals = reconstruction_error(self.table, plan, self.method.params.rce);
        let values = self.method.lost_values(plan.suppressed(), self.table);
        originals + values + self.method.lost(counterfeits, self.table.qis.len())
    }

    /// The mean of D(r), 1 for a suppressed record.
    fn loss(&self, plan: &Plan) -> f64 {
        let class = |class: usize| match plan.fates[class] {
            Fate::Suppress => plan.classes.sizes[class] as f64,
            _ => plan.classes.sizes[class] as f64 * self.degree(&plan.node, plan.classes.codes(class)),
        };
        (0..plan.classes.len()).map(class).sum::<f64>() / self.records as f64
    }

    /// The pairs of the classes at a node that no counterfeit gets.
    fn excluded(&self, node: &Node, classes: &ClassTable) -> Option<Excluded> {
        self.filler.pairs.map(|pairs| pairs.excluded(|q| self.labels(node, q), classes))
    }

    /// The labels of a quasi-identifier at a node, by code.
    fn labels(&self, node: &Node, q: usize) -> Vec<&'a str> {
        self.table.qis[q].hierarchy.labels(node.0[q]).iter().map(String::as_str).collect()
    }

    /// The plan of a node, drawn again from the same streams.
    pub(super) fn plan(&self, node: &Node) -> Result<Plan, MethodError> {
        let grouped = self.grouped(node).ok_or_else(|| self.infeasible(1, None))?;
        let Grouped { plan, concealing, .. } = &grouped;
        let concealing = concealing.as_ref().unwrap_or(&plan.classes);
        match grouped.safe {
            false => Err(self.infeasible(1, grouped.risk)),
            true if lemma_1_holds(concealing, &plan.counterfeits, &plan.groups) => Ok(grouped.plan),
            true => Err(betrayed()),
        }
    }

    /// D(r) of the records of a class.
    fn degree(&self, node: &Node, codes: &[u32]) -> f64 {
        let hierarchy = |q: usize| &self.table.qis[q].hierarchy;
        let sum: f64 = (0..codes.len()).map(|q| hierarchy(q).degree(node.0[q], codes[q])).sum();
        sum / codes.len() as f64
    }

    /// A lower bound of the largest D(r): the mean of each attribute's least degree at its level.
    pub(super) fn least_degree(&self, node: &Node) -> f64 {
        let least = |q: usize| {
            let hierarchy = &self.table.qis[q].hierarchy;
            (0..hierarchy.width(node.0[q]) as u32).map(|c| hierarchy.degree(node.0[q], c)).fold(1.0, f64::min)
        };
        (0..node.0.len()).map(least).sum::<f64>() / node.0.len() as f64
    }

    /// A lower bound of what is minimized that needs only marginal counts: what the node costs if there were
    /// neither counterfeits nor suppressed records.
    fn bound(&self, node: &Node) -> f64 {
        let at = |sums: &[Vec<f64>], q: usize| sums[q][usize::from(node.0[q])];
        let attributes = 0..node.0.len();
        match self.method.params.objective {
            Objective::Loss => {
                let sum: f64 = attributes.map(|q| at(&self.degrees, q)).sum();
                sum / node.0.len() as f64 / self.records as f64
            }
            Objective::Counterfeits => 0.0,
            Objective::Rce => {
                let losses = attributes.map(|q| self.records as f64 - at(&self.reciprocals, q));
                match self.method.params.rce {
                    Reading::Marginal => losses.sum(),
                    // 1 − Π 1/w is at least each 1 − 1/w.
                    Reading::Joint => losses.fold(0.0, f64::max),
                }
            }
        }
    }
}

/// Per level of an attribute, the sum over the records of what a value there comes to.
fn sums(table: &FrequencyTable, qi: usize, of: &dyn Fn(usize, u8, u32) -> f64) -> Vec<f64> {
    let (hierarchy, marginal) = (&table.qis[qi].hierarchy, table.marginal(qi));
    let value = |level, leaf| of(qi, level, hierarchy.code(level, leaf));
    (0..=hierarchy.top())
        .map(|level| (0u32..).zip(&marginal).map(|(leaf, &n)| n as f64 * value(level, leaf)).sum())
        .collect()
}

/// The place of a node in a lattice that may have more than 2⁶⁴ nodes, where it is one of many.
fn index_of(lattice: &Lattice, node: &Node) -> u64 {
    let heights = lattice.top().0.into_iter().map(|top| u64::from(top) + 1);
    let place =
        |place: u64, (height, &level): (u64, &u8)| place.wrapping_mul(height).wrapping_add(u64::from(level));
    heights.zip(&node.0).fold(0, place)
}

/// The order of winners: the figure, then RCE, then height, then levels.
fn compare(a: &Evaluation, b: &Evaluation) -> std::cmp::Ordering {
    let ties = || a.node.height().cmp(&b.node.height()).then_with(|| a.node.cmp(&b.node));
    a.figure.total_cmp(&b.figure).then_with(|| a.rce.total_cmp(&b.rce)).then_with(ties)
}
