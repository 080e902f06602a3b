//! Mondrian: multidimensional partitioning of the records.
//!
//! # Summary
//! Cuts the space of the quasi-identifiers in two, and each part again, as long as the privacy
//! models hold on every side of a cut. Each final part is a class, released as the least region
//! that covers its records: a range, or the lowest common value of the hierarchy.
//!
//! # Definition
//! A partition is cut along the attribute of the widest normalized extent whose cut is allowable;
//! ties go to the first attribute. Ordered values are cut beside their median, values of a tree
//! into the children of their lowest common node. A cut is allowable iff all models hold of all its
//! parts. A partition without allowable cut is a class. *Strict* cuts keep equal values together;
//! *relaxed* ones make halves, and records of equal values may fall to both.
//!
//! # Parameters
//! The models, a size that every class needs, the partitioning, the recoding, the attributes' rules.
//!
//! # Errors
//! [`MethodError::Infeasible`] if the models do not hold of the table as one class, or of a class
//! that two parts of equal labels make; [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(depth · entries · attributes · log entries), memory O(entries · depth).
//!
//! # References
//! LeFevre, DeWitt, Ramakrishnan 2006, Figure 2 and sections 3–4.
//!
//! # Deviations
//! Where the cut after the median value is not allowable or less balanced, the one before it is
//! tried, too. Models other than k-anonymity stop the recursion as k does. Regions are the ranges
//! of the records in them, not of the cuts. A missing value is in no range with others.

pub(in crate::method) mod cut;
pub(in crate::method) mod grid;
mod loss;
mod parting;
mod scale;
mod units;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use velamen_contract::{Limits, Statement};
use velamen_core::error::Problem;

pub use self::cut::Partitioning;

use self::cut::Dimension;
use self::grid::Shown;
use super::clustering::lowest_common_values;
use crate::method::kit::judge::Judge;
use crate::method::kit::keys;
use crate::method::kit::search::ENDED;
use crate::method::{
    Cost, Decision, Entry, Facts, KeyError, Method, MethodError, Outcome, Purpose, Task, Time,
};
use crate::model::{Bound, Monotonicity};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_core::recoding::{LocalPlan, Member, Piece, Recoding};
use velamen_core::step::Step;

const NAME: &str = "mondrian";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "Multidimensional partitioning: the space is cut as long as the models hold on every side.",
    purpose: Purpose::Contract,
    alias: None,
    words: |section| match section.get("recoding").is_some_and(|recoding| recoding == "nodes") {
        false => {
            "The records are cut again and again into groups of similar records, as small as the promises allow; each \
             group is released with ranges and sets of values of its own."
        }
        true => {
            "The records are cut again and again into groups of similar records, as small as the promises allow; each \
             group is released with the lowest common values of its own."
        }
    },
    facts: |_| Facts::CLASSES,
    stated: |_| vec!["partitioning"],
    parse: |keys, task| Ok(Arc::new(Mondrian::new(keys::read(keys)?, task)?)),
    schema: keys::schema::<MondrianKeys>,
    keys: keys::names::<MondrianKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct MondrianKeys {
    /// Whether records of equal values stay together.
    partitioning: Partitioning,
    /// What a class releases of an ordered attribute.
    recoding: Released,
    /// Which cut is made.
    cuts: CutBy,
}

/// Which of the allowable cuts is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutBy {
    /// That of the widest attribute, as published.
    #[default]
    Widest,
    /// The one that leaves least to be generalized; small parts are gathered into clusters by their loss.
    Loss,
}

/// What a class releases of an ordered attribute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Released {
    /// The range of its values.
    #[default]
    Ranges,
    /// The lowest value of the hierarchy that covers them.
    Nodes,
}

/// The method with checked parameters.
#[derive(Debug)]
struct Mondrian {
    partitioning: Partitioning,
    recoding: Released,
    cuts: CutBy,
}

impl Mondrian {
    fn new(keys: MondrianKeys, task: &Task<'_>) -> Result<Self, KeyError> {
        task.refuse_beyond_classes()?;
        let MondrianKeys { partitioning, recoding, cuts } = keys;
        let stubborn = task.models.iter().find(|asked| asked.entry.monotonicity == Monotonicity::None);
        let key = match (partitioning, recoding) {
            (Partitioning::Relaxed, _) => Some(("partitioning", "strict")),
            (_, Released::Nodes) => Some(("recoding", "ranges")),
            _ if cuts == CutBy::Loss => Some(("cuts", "widest")),
            _ => None,
        };
        match stubborn.zip(key) {
            Some((asked, (key, other))) => Err(KeyError::of(
                key,
                Problem::new(format!(
                    "parts can then be released under equal labels and are one class, of which `{}` need \
                        not hold",
                    asked.entry.terms.name
                ))
                .mend(format!("choose {key} = \"{other}\"")),
            )),
            None => Ok(Self { partitioning, recoding, cuts }),
        }
    }
}

impl Method for Mondrian {
    fn statement(&self, task: &Task<'_>) -> Statement {
        let nodes = self.recoding == Released::Nodes;
        Statement::named(NAME)
            .own("partitioning", json!(self.partitioning))
            .limits(Limits::NOTHING)
            .own_if("person", task.person())
            .own_if("recoding", nodes.then(|| json!(self.recoding)))
            .own_if("cuts", (self.cuts != CutBy::Widest).then(|| json!(self.cuts)))
    }

    fn cost(&self) -> Cost {
        let by_cut = if self.cuts == CutBy::Widest { 12.0 } else { 180.0 };
        Cost { time: Some(Time { once: 300.0, by_node: 0.0, by_cut, most_cut: usize::MAX }), ..Cost::CLASSES }
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let search = MondrianTask {
            models: &task.bind(table)?,
            least_size: task.least_size(1),
            partitioning: self.partitioning,
            recoding: self.recoding,
            cuts: self.cuts,
            rules: &task.rules(table),
            steps: &task.steps(table),
            expired: task.expired,
        };
        let plan = search.plan(table, context)?;
        let search = json!({ "partitions": plan.members.len() });
        let warnings = task.is_expired().then(|| ENDED.into()).into_iter().collect();
        Ok(Decision { search, warnings, ..Decision::of(Outcome::Local(plan)) })
    }
}

/// Partitions of fewer entries are cut without further threads.
const PARALLEL: usize = 2048;

/// What is partitioned by.
#[derive(Debug, Clone, Copy)]
pub struct MondrianTask<'a> {
    /// All must hold in every class.
    pub models: &'a [Bound],
    /// A size below which no class can hold; spares looking at cuts that cannot be allowable.
    pub least_size: u64,
    /// Strict or relaxed.
    pub partitioning: Partitioning,
    /// What classes release.
    pub recoding: Released,
    /// Which cut is made.
    pub cuts: CutBy,
    /// The rule of each quasi-identifier.
    pub rules: &'a [&'a Rule],
    /// What the ends of its ranges are multiples of, as far as the recipe says it.
    pub steps: &'a [Option<Step>],
    /// Set from outside when no further cut is wanted.
    pub expired: Option<&'a AtomicBool>,
}

impl MondrianTask<'_> {
    /// The attributes as they are cut.
    fn dimensions<'t>(&self, table: &'t FrequencyTable) -> Result<Vec<Dimension<'t>>, MethodError> {
        let of = |(q, rule): (usize, &&Rule)| {
            let shown = Shown::of(self.least_size, self.steps.get(q).copied().flatten(), self.needs_apart());
            Dimension::new(table, q, rule, &shown)
        };
        self.rules.iter().enumerate().map(of).collect::<Result<_, _>>().map_err(MethodError::Unfit)
    }

    /// Whether a model need not hold of two classes as one: then no two may have the same labels.
    fn needs_apart(&self) -> bool {
        self.models.iter().any(|bound| bound.monotonicity == Monotonicity::None)
    }

    /// The classes of a table.
    ///
    /// # Errors
    /// See the module.
    ///
    /// # Panics
    /// If there are not as many rules as quasi-identifiers.
    pub fn plan(&self, table: &FrequencyTable, context: &Context<'_>) -> Result<LocalPlan, MethodError> {
        assert_eq!(self.rules.len(), table.qis.len(), "one rule per quasi-identifier");
        let judge = Judge { table, models: self.models };
        let dimensions = self.dimensions(table)?;
        let released: Vec<Dimension<'_>> = match self.recoding {
            Released::Ranges => dimensions.clone(),
            Released::Nodes => dimensions.iter().map(Dimension::of_nodes).collect(),
        };
        let (cut, whole) = (AtomicU64::new(0), table.records());
        let cutter = Cutter { task: *self, table, judge, dimensions, released, cut, whole, context };
        let all: Vec<Member> = (0..).zip(table.counts.iter().copied()).collect();
        if !judge.holds(&all) {
            return Err(MethodError::Infeasible(
                Problem::new("the models do not hold of the whole table as one class").mend("relax a model"),
            ));
        }
        let piece = |members| Piece { regions: Vec::new(), members };
        let mut pieces: Vec<Piece> = match self.cuts {
            CutBy::Widest => cutter.partition(all)?,
            CutBy::Loss => cutter.by_loss(all)?.into_iter().map(piece).collect(),
        };
        pieces.par_iter_mut().for_each(|piece| cutter.describe(piece));
        let recoding = match self.recoding {
            Released::Ranges => Recoding::Ranges,
            Released::Nodes => Recoding::Nodes,
        };
        let mut plan = LocalPlan::new(recoding, table.qis.len(), pieces, Vec::new());
        plan.ends = cutter.released.iter().map(Dimension::ends).collect();
        match plan.members.par_iter().all(|members| judge.holds(members)) {
            true => Ok(plan),
            false => Err(MethodError::Infeasible(
                Problem::new("two regions have the same labels, and as one class they fail a model").mend(
                    "choose partitioning = \"strict\", and labels that differ between the levels of a \
                        hierarchy",
                ),
            )),
        }
    }
}

/// The parts of a table, made finer cut by cut.
pub(in crate::method) struct Cutter<'a> {
    task: MondrianTask<'a>,
    table: &'a FrequencyTable,
    judge: Judge<'a>,
    dimensions: Vec<Dimension<'a>>,
    /// The same, as classes are released.
    released: Vec<Dimension<'a>>,
    /// Records of parts that are not cut further, of so many in all rounds: what progress is shown by.
    cut: AtomicU64,
    whole: u64,
    context: &'a Context<'a>,
}

/// Records between two words of progress.
const SHOWN: u64 = 1 << 12;

impl Cutter<'_> {
    /// Figure 2: cut while a cut is allowable. Pieces in the order of the cuts' sides.
    fn partition(&self, members: Vec<Member>) -> Result<Vec<Piece>, MethodError> {
        self.context.check()?;
        let Some(parts) = self.cut_on().then(|| self.allowable(&members)).flatten() else {
            self.settled(&members);
            return Ok(vec![Piece { regions: Vec::new(), members }]);
        };
        let pieces: Vec<Vec<Piece>> = if members.len() < PARALLEL {
            parts.into_iter().map(|part| self.partition(part)).collect::<Result<_, _>>()?
        } else {
            drop(members);
            parts.into_par_iter().map(|part| self.partition(part)).collect::<Result<_, _>>()?
        };
        Ok(pieces.into_iter().flatten().collect())
    }

    /// Shows that records will not be cut further.
    fn settled(&self, members: &[Member]) {
        let records: u64 = members.iter().map(|member| member.1).sum();
        let before = self.cut.fetch_add(records, Ordering::Relaxed);
        let done = before + records;
        if before / SHOWN != done / SHOWN {
            self.context.progress.step("cutting", done.min(self.whole), self.whole);
        }
    }

    /// Whether further cuts are wanted: what was cut so far holds by itself.
    fn cut_on(&self) -> bool {
        !self.task.expired.is_some_and(|expired| expired.load(Ordering::Relaxed))
    }

    /// The parts of the first allowable cut, the widest attribute first.
    fn allowable(&self, members: &[Member]) -> Option<Vec<Vec<Member>>> {
        let size = |members: &[Member]| members.iter().map(|member| member.1).sum::<u64>();
        if size(members) < 2 * self.task.least_size {
            return None;
        }
        let extents = self.dimensions.iter().map(|dimension| dimension.extent(members));
        let mut order: Vec<(usize, f64)> = extents.enumerate().filter(|(_, extent)| *extent > 0.0).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let apart = self.task.needs_apart();
        let cuts = order.into_iter().flat_map(|(q, _)| {
            let dimension = &self.dimensions[q];
            let cuts = dimension.cuts(members, self.task.partitioning).into_iter();
            let parts = cuts.map(|cut| dimension.parts(members, cut));
            parts.filter(move |parts| !apart || differ(dimension, parts))
        });
        let enough = |parts: &Vec<Vec<Member>>| parts.iter().all(|part| size(part) >= self.task.least_size);
        cuts.filter(enough).find(|parts| parts.iter().all(|part| self.judge.holds(part)))
    }

    fn describe(&self, piece: &mut Piece) {
        piece.regions = match self.task.recoding {
            Released::Ranges => {
                self.dimensions.iter().map(|dimension| dimension.region(&piece.members)).collect()
            }
            Released::Nodes => lowest_common_values(self.table, &piece.members),
        };
    }
}

/// Whether the first of some parts has another label than each of the others.
fn differ(dimension: &Dimension<'_>, parts: &[Vec<Member>]) -> bool {
    let mut labels = parts.iter().map(|part| dimension.region(part).value.label);
    let first = labels.next();
    labels.all(|label| Some(label) != first)
}

#[cfg(test)]
mod tests;
