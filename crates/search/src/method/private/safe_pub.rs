//! SafePub: a random sample, generalized to a node that is chosen privately, small classes dropped.
//!
//! # Summary
//! The release is (ε, δ)-differentially private, where neighbouring tables differ by one record added or
//! removed. Proof and pseudocode: `docs/methods/safe-pub.md`.
//!
//! # Definition
//! 1. A node is given, or chosen by the exponential mechanism with ε_s of the budget.
//! 2. With ε_r = ε − ε_s each record is kept with β = 1 − e^−ε_r and generalized to the node; classes of
//!    fewer than k = [`least_k`](ε_r, δ) records are dropped without a trace. Records with a value outside its
//!    domain are a class of their own, whatever the node: all of their values become `*`.
//!
//! The score of a node is Σ max(0, count − ⌈k/β⌉) · benefit over its classes; the benefit is a whole number
//! from 0 to [`SENSITIVITY`] that the hierarchies alone determine. One record changes one count by one, so
//! that it changes no score by more than that.
//!
//! # Parameters
//! [`SafePubParams`].
//!
//! # Complexity
//! Time O(nodes · classes), or O(steps · attributes · classes) where the lattice has more than
//! [`MOST_NODES`] nodes; then O(records) draws.
//!
//! # References
//! Bild, Kuhn and Prasser 2018, "SafePub"; McSherry and Talwar 2007, "Mechanism design via differential
//! privacy".
//!
//! # Deviations
//! The score is our own: theirs are scores for their utility models, of which each has its own
//! sensitivity.

use rayon::prelude::*;

pub(in crate::method) mod entry;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::error::Problem;
use velamen_dp::{Budget, Door, Loss, Rational, SampleLaw, Spend};

use super::doorway::Doorway;
use super::noisy_counts::rational;
use crate::method::MethodError;
use velamen_core::classes::{ClassTable, Space, layout};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Fate, Plan};
use velamen_core::safe_pub::least_k;
use velamen_core::streams;
use velamen_core::with_key_width;

/// By how much one record changes a node's score at most; the benefit of an untouched record.
pub const SENSITIVITY: u64 = 1 << 20;
/// Of larger lattices not every node is scored.
pub const MOST_NODES: u128 = 1 << 16;
/// Nodes between two looks at the wish to stop.
const BATCH: usize = 256;

/// How the node is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Search")]
pub enum NodeChoice {
    /// By the exponential mechanism, for a share of the budget.
    #[default]
    Exponential,
    /// It is given: the recipe allows one only.
    DataIndependent,
}

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SafePubParams {
    /// ε, above 0.
    pub epsilon: f64,
    /// δ, above 0 and below 1.
    pub delta: f64,
    /// A class size that is asked for besides.
    pub k: u64,
    /// How the node is found.
    pub search: NodeChoice,
    /// The share of ε that the search may spend, above 0 and below 1.
    pub search_share: f64,
    /// In how many draws it may spend it, where there are too many nodes for one.
    pub search_steps: u64,
}

/// The method with checked parameters: what is spent on what, and the k that follows.
#[derive(Debug, Clone)]
pub struct SafePub {
    /// ε_s; zero where the node is given.
    search: Rational,
    /// ε_s in so many parts, rounded down.
    step: Rational,
    /// ε_r and δ.
    release: Loss,
    /// The least class that is released.
    k: u64,
    /// ⌈k/β⌉: the records that let a class expect k of them in the sample.
    threshold: u64,
    budget: Budget,
    params: SafePubParams,
    doorway: Doorway,
}

impl TryFrom<SafePubParams> for SafePub {
    type Error = Problem;

    fn try_from(params: SafePubParams) -> Result<Self, Problem> {
        let total =
            Loss { epsilon: rational("epsilon", params.epsilon)?, delta: rational("delta", params.delta)? };
        let search = match params.search {
            NodeChoice::DataIndependent => Rational::ZERO,
            NodeChoice::Exponential => {
                share_of(total.epsilon, rational("search-share", params.search_share)?)?
            }
        };
        let step = part(search, params.search_steps)?;
        let mut budget = Budget::new(total);
        if params.search == NodeChoice::Exponential {
            budget.spend("search", Loss::pure(search)).map_err(|error| error.to_string())?;
        }
        let release = budget.left();
        budget.spend("release", release).map_err(|error| error.to_string())?;
        let k = least_k(release.epsilon, release.delta).map_err(|error| error.to_string())?.max(params.k);
        let kept = -(-release.epsilon.to_f64()).exp_m1();
        let threshold = (k as f64 / kept).ceil() as u64;
        Ok(Self { search, step, release, k, threshold, budget, params, doorway: Doorway::default() })
    }
}

/// The share of ε that goes to the search, exactly.
fn share_of(epsilon: Rational, share: Rational) -> Result<Rational, Problem> {
    let whole = Rational::new(1, 1).expect("1 is a rational number");
    if share == Rational::ZERO || share >= whole {
        return Err(Problem::of(
            &["search-share"],
            "search-share is a share of epsilon, above 0 and below 1",
        ));
    }
    let problem = "epsilon and search-share have too many digits together";
    epsilon.checked_mul(share).ok_or_else(|| Problem::of(&["search-share"], problem))
}

/// One of so many equal parts.
fn part(whole: Rational, parts: u64) -> Result<Rational, Problem> {
    if parts == 0 {
        return Err(Problem::of(&["search-steps"], "search-steps is a number of draws, from 1"));
    }
    let one = Rational::new(1, parts)
        .map_err(|error| Problem::of(&["search-steps"], format!("search-steps: {error}")))?;
    let problem = "epsilon, search-share and search-steps have too many digits";
    whole.checked_mul(one).ok_or_else(|| Problem::of(&["search-share", "search-steps"], problem))
}

/// What the method found.
#[derive(Debug, Clone)]
pub struct SampledRelease {
    /// The records that are released.
    pub sample: FrequencyTable,
    /// What becomes of them: all are kept.
    pub plan: Plan,
    /// Released records all of whose values are `*`: those that have one outside its domain. None or at
    /// least k.
    pub suppressed: u64,
}

impl SafePub {
    /// What was spent on each step; the sum is at most (ε, δ).
    #[must_use]
    pub fn spent(&self) -> &[Spend] {
        self.budget.steps()
    }

    /// The least class that is released.
    #[must_use]
    pub fn k(&self) -> u64 {
        self.k
    }

    /// The probability of a record to be in the sample, for reports.
    #[must_use]
    pub fn kept(&self) -> f64 {
        -(-self.release.epsilon.to_f64()).exp_m1()
    }

    /// The released sample of a table, at a node of a lattice.
    ///
    /// The domains of the table's hierarchies must not depend on its records: no hierarchy may be
    /// [flat](velamen_core::hierarchy::Rule::Flat), and a missing value must be a leaf whether it occurs or not.
    ///
    /// # Errors
    /// [`MethodError::Interrupted`]; [`MethodError::Unfit`] if records are too wide, which they are for no
    /// table over [these](velamen_core::key::Layout) domains or for some. Nothing left is a release without records.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
    ) -> Result<SampledRelease, MethodError> {
        let own = Door::paid_by(self.budget.total());
        self.doorway.through(own, |door| self.through(table, lattice, context, door))
    }

    /// As [`Self::plan`], by way of a door.
    pub(in crate::method::private) fn through(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<SampledRelease, MethodError> {
        let node = self.node(table, lattice, context, door)?;
        context.check()?;
        self.release(table, node, context, door)
    }

    /// The node that is released.
    fn node(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Node, MethodError> {
        if self.search == Rational::ZERO {
            return Ok(lattice.bottom());
        }
        match lattice.len().filter(|nodes| *nodes <= MOST_NODES) {
            Some(nodes) => self.draw((table, lattice), nodes as usize, context, door),
            None => self.walk(table, lattice, context, door),
        }
    }

    /// One draw among all nodes.
    fn draw(
        &self,
        (table, lattice): (&FrequencyTable, &Lattice),
        nodes: usize,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Node, MethodError> {
        let nodes: Vec<Node> = (0..nodes).map(|index| lattice.node(index)).collect();
        let scores = self.scores(table, &nodes, context)?;
        let mut stream = context.seed.stream(streams::SAFE_PUB_SEARCH);
        let chosen = door.pick("search", &scores, (SENSITIVITY, self.search), &mut stream)?;
        Ok(nodes[chosen].clone())
    }

    /// From the top, again and again a draw among a node and those one step below.
    fn walk(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Node, MethodError> {
        let mut stream = context.seed.stream(streams::SAFE_PUB_SEARCH);
        let mut node = lattice.top();
        for step in 0..self.params.search_steps {
            context.progress.step("searching", step, self.params.search_steps);
            let near: Vec<Node> = std::iter::once(node.clone()).chain(lattice.predecessors(&node)).collect();
            let scores = self.scores(table, &near, context)?;
            let chosen = door.pick("search", &scores, (SENSITIVITY, self.step), &mut stream)?;
            node = near[chosen].clone();
        }
        Ok(node)
    }

    /// The score of each node.
    fn scores(
        &self,
        table: &FrequencyTable,
        nodes: &[Node],
        context: &Context<'_>,
    ) -> Result<Vec<i64>, MethodError> {
        with_key_width!(layout(table, None).words(), W => {
            let space: Space<W> = Space::new(table, None);
            let mut scores = Vec::with_capacity(nodes.len());
            for batch in nodes.chunks(BATCH) {
                context.check()?;
                let score = |node: &Node| self.score(table, node, &ClassTable::at(&space, node));
                scores.extend(batch.par_iter().map(score).collect::<Vec<i64>>());
            }
            Ok(scores)
        }, else Err(too_wide()))
    }

    /// Σ max(0, count − threshold) · benefit; a limit to what is counted does not raise the sensitivity.
    fn score(&self, table: &FrequencyTable, node: &Node, classes: &ClassTable) -> i64 {
        let of_class = |class: usize| {
            let expected = classes.sizes[class].saturating_sub(self.threshold);
            u128::from(expected) * u128::from(benefit(table, node, classes.codes(class)))
        };
        let score: u128 = (0..classes.len()).map(of_class).sum();
        i64::try_from(score).unwrap_or(i64::MAX)
    }

    /// The sample at a node, classes of fewer than k records dropped. Records outside their domains are a class of their own.
    fn release(
        &self,
        table: &FrequencyTable,
        node: Node,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<SampledRelease, MethodError> {
        let law = SampleLaw { epsilon: self.release.epsilon, least: self.k };
        let (classes, records) = numbered(table, &node);
        let name = |class: usize| labels(table, &node, &classes[class]);
        let mut stream = context.seed.stream(streams::SAFE_PUB_SAMPLE);
        let inside = door.sample("release", (&records, &name), (law, self.release), &mut stream)?;
        // No record is in its domains and outside them: both samples together are one, and were paid for with it.
        let outside = [(0, table.strays.outside.iter().sum())];
        let mut stream = context.seed.stream(streams::SAFE_PUB_OUTSIDE);
        let suppressed =
            door.sample("outside", (&outside, &|_| Vec::new()), (law, Loss::NONE), &mut stream)?;
        let inside: Vec<(&[u32], u64)> =
            inside.into_iter().map(|(class, count)| (&classes[class][..], count)).collect();
        let sample = of_classes(table, &node, &inside);
        let classes = self::classes(&sample, &node)?;
        let fates = vec![Fate::Keep; classes.len()];
        let plan = Plan { node, classes, fates, ..Plan::default() };
        Ok(SampledRelease { sample, plan, suppressed: suppressed.values().sum() })
    }
}

/// What a record of a class is worth, from 0 to [`SENSITIVITY`]: the mean share of the domains that its
/// values do not cover. Nothing but the hierarchies is looked at.
fn benefit(table: &FrequencyTable, node: &Node, codes: &[u32]) -> u64 {
    let values = table.qis.iter().zip(&node.0).zip(codes);
    let covered: f64 = values.map(|((qi, &level), &code)| qi.hierarchy.share(level, code)).sum();
    let free = 1.0 - covered / table.qis.len() as f64;
    (free.clamp(0.0, 1.0) * SENSITIVITY as f64).floor() as u64
}

fn too_wide() -> MethodError {
    MethodError::Unfit(Problem::new("the quasi-identifiers have too many values together").mend("drop some"))
}

/// The classes at a node.
fn classes(table: &FrequencyTable, node: &Node) -> Result<ClassTable, MethodError> {
    with_key_width!(layout(table, None).words(), W => Ok(ClassTable::at(&Space::<W>::new(table, None), node)),
        else Err(too_wide()))
}

/// The codes of an entry at a node.
fn generalized(table: &FrequencyTable, node: &Node, entry: usize) -> Vec<u32> {
    let columns = table.qis.iter().zip(&node.0).zip(&table.codes);
    columns.map(|((qi, &level), codes)| qi.hierarchy.code(level, codes[entry])).collect()
}

/// The codes of each class at a node, in their order, and by entry the number of its class and its records. No order of the
/// entries shows in it: which entry of a class comes first may hang on one record.
fn numbered(table: &FrequencyTable, node: &Node) -> (Vec<Vec<u32>>, Vec<(usize, u64)>) {
    let of_entry: Vec<Vec<u32>> = (0..table.len()).map(|entry| generalized(table, node, entry)).collect();
    let mut classes = of_entry.clone();
    classes.sort_unstable();
    classes.dedup();
    let number = |codes: &Vec<u32>| classes.partition_point(|class| class < codes);
    let records = of_entry.iter().zip(&table.counts).map(|(codes, count)| (number(codes), *count)).collect();
    (classes, records)
}

/// What a class is called on every table: codes follow from the values that occur.
fn labels(table: &FrequencyTable, node: &Node, codes: &[u32]) -> Vec<String> {
    let values = table.qis.iter().zip(&node.0).zip(codes);
    values.map(|((qi, &level), &code)| qi.hierarchy.label(level, code).to_owned()).collect()
}

/// As many records of each class, each with the first values of its own that are in it: of a sample no more is known.
fn of_classes(table: &FrequencyTable, node: &Node, classes: &[(&[u32], u64)]) -> FrequencyTable {
    FrequencyTable {
        qis: table.qis.clone(),
        rest: table.rest.clone(),
        codes: (0..table.qis.len()).map(|q| first_leaves(table, node, q, classes)).collect(),
        rest_index: vec![0; classes.len()],
        counts: classes.iter().map(|(_, count)| *count).collect(),
        population: None,
        strays: velamen_core::frequency::Strays::default(),
    }
}

/// By class the first value of an attribute that is in it.
fn first_leaves(table: &FrequencyTable, node: &Node, q: usize, classes: &[(&[u32], u64)]) -> Vec<u32> {
    let (hierarchy, level) = (&table.qis[q].hierarchy, node.0[q]);
    classes.iter().map(|(codes, _)| hierarchy.first_leaf(level, codes[q])).collect()
}

#[cfg(test)]
mod tests;
