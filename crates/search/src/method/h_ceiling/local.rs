//! h-ceiling with classes of their own: Mondrian's parts or clusters instead of lattice nodes.
//!
//! # Summary
//! The records are parted until no class exceeds the ceiling, and further where the reconstruction
//! error falls. Classes that are then too small, or fail another model, are padded with counterfeits
//! under a catalog, as at a lattice node.
//!
//! # Definition
//! The *cost* of a class of n records is its share of RCE, with the counterfeits that k alone lets one
//! expect, c(n), and itself as its group: n · certain + n · (c / (c + n))² · weight (see
//! [`crate::metric::rce`]).
//! - [`Parts::Mondrian`]: a part of D above h is cut, one of D up to h only where its cut costs less. Of
//!   all attributes' cuts the one of least cost is taken.
//! - [`Parts::Clustering`]: a cluster begins with the values farthest from the last one and takes the
//!   nearest, as long as it has fewer than k records, or fails a model, and D stays up to h. Then
//!   clusters that are to be padded join others where that costs less and D stays up to h.
//!
//! A part is cut below h only where models beyond k-anonymity hold of all that it is cut into: what their
//! counterfeits cost is not known before they are drawn.
//!
//! # Errors
//! [`MethodError::Infeasible`] where the ceiling cannot be met, padding cannot make the models hold or no
//! catalog is safe in [`ATTEMPTS`] draws; [`MethodError::Unfit`], [`MethodError::Interrupted`].
//!
//! # Complexity
//! Mondrian: time O(depth · records' distinct values · attributes² · log). Clustering: O(d² / k ·
//! attributes) for d distinct combinations of the quasi-identifiers, memory O(d).
//!
//! # References
//! Lee et al. 2017 leave local recoding open; LeFevre et al. 2006 (Mondrian), Byun et al. 2007 (k-member).

mod clusters;
mod parts;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_core::recoding::{LocalPlan, Member, Piece, Recoding};

use super::error::error_of;
use super::kin::Ladder;
use super::padding::{Padding, REACH};
use super::pool::Surroundings;
use super::{Asked, DEGREE_TOLERANCE, HCeiling, MethodError, one_sensitive};
use crate::method::judge::Judge;
use crate::method::mondrian::cut::{Dimension, Hull};
use crate::metric::rce::Reading;
use crate::model::Bound;

/// Draws of counterfeits until a catalog is safe.
pub const ATTEMPTS: u64 = 16;

/// What the classes are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Parts {
    /// The classes of a lattice node, as published.
    #[default]
    FullDomain,
    /// Parts of a space that is cut in two again and again.
    Mondrian,
    /// Records that lie near to each other.
    Clustering,
}

/// How the classes came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Classes.
    pub classes: usize,
    /// RCE, summed over records.
    pub rce: f64,
    /// The largest D(r).
    pub degree: f64,
    /// Counterfeits.
    pub counterfeits: u64,
}

impl HCeiling {
    /// The classes of a table by parts of their own, with their counterfeits and catalog. `rules` has
    /// the rule of each quasi-identifier.
    ///
    /// # Errors
    /// See the module.
    ///
    /// # Panics
    /// If there are not as many rules as quasi-identifiers, or the classes are to be those of a node.
    pub fn local_plan(
        &self,
        table: &FrequencyTable,
        parts: Parts,
        rules: &[&Rule],
        asked: &Asked<'_>,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, Found), MethodError> {
        assert_eq!(rules.len(), table.qis.len(), "one rule per quasi-identifier");
        let sensitive = one_sensitive(table)?;
        let bound = if self.beyond {
            (asked.models)(&table.rest_marginal(sensitive)).map_err(MethodError::Unfit)?
        } else {
            Vec::new()
        };
        let ground = Ground::new(self, table, rules, &bound, context);
        let classes = match parts {
            Parts::Mondrian => ground.parts()?,
            Parts::Clustering => ground.clusters()?,
            Parts::FullDomain => unreachable!("a lattice node is planned by `plan`"),
        };
        let pieces = classes.into_iter().map(|members| ground.piece(members)).collect();
        let plan = LocalPlan::new(Recoding::Ranges, table.qis.len(), pieces, Vec::new());
        self.padded(plan, table, sensitive, asked, context)
    }

    /// Pads the classes and groups them, drawing again until the catalog is safe.
    fn padded(
        &self,
        mut plan: LocalPlan,
        table: &FrequencyTable,
        sensitive: usize,
        asked: &Asked<'_>,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, Found), MethodError> {
        let classes = ClassTable::of_plan(&plan, table, sensitive);
        let filler = self.filler(table, sensitive, asked)?;
        let kin =
            self.needs_kin().then(|| Ladder::new(table, sensitive).of_parts(&classes, filler.concealing));
        let leaves = |class: usize| {
            let value = |(q, &code): (usize, &u32)| plan.values[q][code as usize].leaves;
            classes.codes(class).iter().enumerate().map(value).collect::<Vec<u64>>()
        };
        let degree = (0..classes.len()).map(|class| degree(table, &leaves(class))).fold(0.0, f64::max);
        if !self.admits(degree) {
            return Err(MethodError::Infeasible(
                "two classes have equal labels and break the ceiling as one; raise h".into(),
            ));
        }
        let labels = |q: usize| plan.values[q].iter().map(|value| value.label.as_str()).collect::<Vec<_>>();
        let excluded = filler.pairs.map(|pairs| pairs.excluded(labels, &classes));
        let possible = excluded.as_ref().and_then(|excluded| excluded.possible(&classes));
        let concealing = possible.as_ref().unwrap_or(&classes);
        let kept = filler.earlier.and_then(|earlier| earlier.kept(table, None, labels, &classes));
        let near = Surroundings { kin: kin.as_ref(), excluded: excluded.as_ref(), kept: kept.as_ref() };
        for attempt in 0..ATTEMPTS {
            context.check()?;
            let Some(counterfeits) =
                filler.fill(&classes, near, context.seed, [2 * attempt, 2 * attempt + 1])
            else {
                return Err(MethodError::Infeasible(
                    "the models need too many counterfeits; raise h or relax a model".into(),
                ));
            };
            let Some(groups) = self.groups(concealing, &counterfeits, kin.as_ref()) else { continue };
            let reciprocals =
                |class: usize| leaves(class).iter().map(|&leaves| 1.0 / leaves as f64).collect();
            let rce = error_of(&reciprocals, &classes, &counterfeits, &groups, self.reading);
            let total = counterfeits.iter().map(velamen_core::plan::Counterfeits::total).sum();
            let found = Found { classes: classes.len(), rce, degree, counterfeits: total };
            plan.counterfeits = counterfeits;
            plan.groups = groups;
            return Ok((plan, found));
        }
        Err(MethodError::Infeasible(format!(
            "no safe catalog in {ATTEMPTS} draws; raise h, lower k, try another seed, or draw = \"empirical\""
        )))
    }
}

/// D of a class, given the leaves that its cells cover.
fn degree(table: &FrequencyTable, leaves: &[u64]) -> f64 {
    let cell = |(qi, &leaves): (&velamen_core::frequency::QuasiIdentifier, &u64)| {
        let domain = qi.hierarchy.domain();
        if domain <= 1 { 0.0 } else { (leaves - 1) as f64 / (domain - 1) as f64 }
    };
    table.qis.iter().zip(leaves).map(cell).sum::<f64>() / leaves.len() as f64
}

/// What classes are made on: the attributes as they are cut and what a class costs.
struct Ground<'a> {
    h: f64,
    k: u64,
    reading: Reading,
    /// c(n) by n: the counterfeits to be expected of a class of n records.
    expected: Vec<f64>,
    dimensions: Vec<Dimension<'a>>,
    judge: Judge<'a>,
    table: &'a FrequencyTable,
    context: &'a Context<'a>,
}

/// The region of a class, and its records.
#[derive(Debug, Clone)]
struct Patch {
    hulls: Vec<Hull>,
    records: u64,
}

impl<'a> Ground<'a> {
    fn new(
        method: &HCeiling,
        table: &'a FrequencyTable,
        rules: &[&Rule],
        models: &'a [Bound],
        context: &'a Context<'a>,
    ) -> Self {
        let dimensions = (0..).zip(rules).map(|(q, rule)| Dimension::declared(table, q, rule)).collect();
        Self {
            h: method.h.unwrap_or(1.0) + DEGREE_TOLERANCE,
            k: method.k,
            reading: method.reading,
            expected: expected(method),
            dimensions,
            judge: Judge { table, models },
            table,
            context,
        }
    }

    fn patch(&self, members: &[Member]) -> Patch {
        let all = |dimension: &Dimension<'_>| {
            let hulls = members.iter().map(|&(entry, _)| dimension.hull(entry));
            hulls.reduce(|a, b| dimension.join(a, b)).expect("a class has records")
        };
        let hulls = self.dimensions.iter().map(all).collect();
        Patch { hulls, records: members.iter().map(|member| member.1).sum() }
    }

    fn join(&self, a: &Patch, b: &Patch) -> Patch {
        let both = a.hulls.iter().zip(&b.hulls).zip(&self.dimensions);
        let hulls = both.map(|((a, b), dimension)| dimension.join(*a, *b)).collect();
        Patch { hulls, records: a.records + b.records }
    }

    /// D of the records of a region.
    fn degree(&self, patch: &Patch) -> f64 {
        let cells = self.dimensions.iter().zip(&patch.hulls);
        let sum: f64 = cells.map(|(dimension, &hull)| dimension.degree(dimension.leaves(hull))).sum();
        sum / self.dimensions.len() as f64
    }

    fn cost(&self, patch: &Patch) -> f64 {
        let cells = self.dimensions.iter().zip(&patch.hulls);
        let reciprocals: Vec<f64> =
            cells.map(|(dimension, &hull)| 1.0 / dimension.leaves(hull) as f64).collect();
        let records = patch.records as f64;
        let more = self.expected.get(patch.records as usize).or(self.expected.last()).copied().unwrap_or(0.0);
        let share = more / (more + records);
        records * (self.reading.certain(&reciprocals) + share * share * self.reading.weight(&reciprocals))
    }

    fn piece(&self, members: Vec<Member>) -> Piece {
        Piece {
            regions: self.dimensions.iter().map(|dimension| dimension.region(&members)).collect(),
            members,
        }
    }
}

/// c(n) for n from 0 until it stays the same.
fn expected(method: &HCeiling) -> Vec<f64> {
    let k = method.k;
    let least = |n: u64, target: u64| target.saturating_sub(n) as f64;
    // A geometric draw of ratio ½, cut off: g has the weight 2^(REACH − g).
    let weights: Vec<f64> = (0..=REACH).map(|g| (1u64 << (REACH - g)) as f64).collect();
    let mean = |of: &dyn Fn(u64) -> f64| {
        (0..).zip(&weights).map(|(g, weight)| weight * of(g)).sum::<f64>() / weights.iter().sum::<f64>()
    };
    let one = |n: u64| match (method.padding, method.beyond) {
        (Padding::Exact, _) => least(n, k),
        (Padding::Random, true) => least(n, k) + mean(&|g| g as f64),
        (Padding::Random, false) => mean(&|g| least(n, k + g)),
    };
    (0..=k + REACH).map(one).collect()
}
