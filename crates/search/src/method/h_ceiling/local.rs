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
//! [`crate::metric::rce`]), and a *price* for each of the c(n). Where loss is minimized, the sum of the degrees of
//! generalization stands in place of *certain*. A class of too few real records costs what
//! suppressed ones do. The price rises from 0 until the release is within the limits ([`super::limits`]).
//! - [`Parts::Mondrian`]: a part of D above h is cut, one of D up to h only where its cut costs less. Of
//!   all attributes' cuts the one of least cost is taken.
//! - [`Parts::Clustering`]: a cluster begins with the values farthest from the last one and takes the
//!   nearest, as long as it has fewer than k records, or fails a model, and D stays up to h. Then
//!   clusters that are to be padded join others where that costs less and D stays up to h, and where there are still
//!   too many counterfeits their records join others one by one.
//!
//! A part is cut below h only where models beyond k-anonymity hold of all that it is cut into: what their
//! counterfeits cost is not known before they are drawn.
//!
//! # Errors
//! [`MethodError::Infeasible`] where the ceiling cannot be met, padding cannot make the models hold or no
//! catalog is safe in [`ATTEMPTS`] draws; [`MethodError::Unfit`], [`MethodError::Interrupted`].
//!
//! # Complexity
//! Mondrian: time O(depth · records' distinct values · attributes² · log). Clustering: O(d · b / k · attributes) for d
//! distinct combinations of the quasi-identifiers in blocks of at most b, memory O(d).
//!
//! # References
//! Lee et al. 2017 leave local recoding open; LeFevre et al. 2006 (Mondrian), Byun et al. 2007 (k-member).

mod clusters;
mod parts;
mod prices;
mod settled;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::classes::ClassTable;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::hierarchy::Rule;
use velamen_core::plan::Fate;
use velamen_core::recoding::{LocalPlan, Member, Piece, Recoding};
use velamen_core::step::Step;
use velamen_core::streams;

use super::catalog_risk::too_high;
use super::covering::cover;
use super::error::{error_of, of_suppressed};
use super::grouping::lemma_1_holds;
use super::kin::Ladder;
use super::limits::share;
use super::padding::REACH;
use super::pool::Surroundings;
use super::{DEGREE_TOLERANCE, Demand, HCeiling, MethodError, Objective, betrayed, one_sensitive, whole};
use crate::method::kit::judge::Judge;
use crate::method::local::mondrian::cut::{Dimension, Hull};
use crate::method::local::mondrian::grid::Shown;
use crate::metric::{Reading, rce};
use crate::model::Bound;

/// A padded plan with its figures, or the members of classes that fail a model with their counterfeits.
type FilledParts = Result<(LocalPlan, LocalFigures), Vec<Member>>;

/// Draws of counterfeits until a catalog is safe.
pub const ATTEMPTS: u64 = 16;

/// How many counterfeits a suppressed record is worth, by the usual limits of both.
const DEARER: f64 = 5.0;

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
pub struct LocalFigures {
    /// Classes.
    pub classes: usize,
    /// RCE, summed over records.
    pub rce: f64,
    /// The largest D(r).
    pub degree: f64,
    /// Counterfeits.
    pub counterfeits: u64,
    /// Suppressed records.
    pub suppressed: u64,
}

impl HCeiling {
    /// The classes of a table by parts of their own, with their counterfeits and catalog, by the rule of each
    /// quasi-identifier and the step that the recipe gives.
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
        (rules, steps): (&[&Rule], &[Option<Step>]),
        asked: &Demand<'_>,
        context: &Context<'_>,
    ) -> Result<(LocalPlan, LocalFigures), MethodError> {
        assert_eq!(rules.len(), table.qis.len(), "one rule per quasi-identifier");
        let sensitive = one_sensitive(table)?;
        let bound = if self.params.beyond {
            (asked.models)(&whole(table, sensitive)).map_err(MethodError::Unfit)?
        } else {
            Vec::new()
        };
        let mut ground = Ground::new(self, table, (rules, steps), &bound, context)?;
        let (mut least, mut fewest, mut infeasible) = (f64::INFINITY, f64::INFINITY, None);
        let mut clusters = match parts {
            Parts::Mondrian => Vec::new(),
            Parts::Clustering => ground.clusters()?,
            Parts::FullDomain => unreachable!("a lattice node is planned by `plan`"),
        };
        let mut best = None;
        for (at, price) in self.prices(parts).into_iter().enumerate() {
            ground.price = price + self.lost(1, table.qis.len());
            let classes = match parts {
                Parts::Clustering => {
                    clusters.par_iter_mut().try_for_each(|block| match price > 0.0 {
                        true => ground.unite(block).and_then(|()| ground.scatter(block)),
                        false => ground.unite(block),
                    })?;
                    clusters.iter().flatten().map(|cluster| cluster.members.clone()).collect()
                }
                _ => ground.parts()?,
            };
            let (kept, suppressed) = self.kept(classes, &ground.expected, table.records());
            let pieces = kept.into_iter().map(|members| ground.piece(members)).collect();
            let ends: Vec<_> = ground.dimensions.iter().map(Dimension::ends).collect();
            let filled = self.filled(table, (pieces, suppressed), (sensitive, &ends), asked, context);
            let (plan, found) = match filled {
                // Other parts may have other labels, and a safe catalog.
                Err(MethodError::Infeasible(problem)) if self.params.limits.bind() => {
                    infeasible = Some(problem);
                    continue;
                }
                padded => padded?,
            };
            least = least.min(share(found.counterfeits, table.records()));
            fewest = fewest.min(found.suppressed as f64 / table.records() as f64);
            if self.params.limits.admit(found.counterfeits, found.suppressed, table.records()) {
                best = self.better(table, best, (plan, found));
                if at + 1 >= self.tried(parts) {
                    break;
                }
            }
        }
        if let Some(best) = best {
            return Ok(best);
        }
        if let Some(problem) = infeasible.filter(|_| least.is_infinite()) {
            return Err(MethodError::Infeasible(problem));
        }
        Err(self.beyond(least, fewest))
    }

    /// The plan of some parts. Parts of equal labels become one class, which can break the ceiling: then they are
    /// suppressed, as far as the limit allows.
    fn within_ceiling(
        &self,
        table: &FrequencyTable,
        pieces: Vec<Piece>,
        suppressed: Vec<Member>,
    ) -> LocalPlan {
        let plan = |pieces, suppressed| LocalPlan::new(Recoding::Ranges, table.qis.len(), pieces, suppressed);
        let whole = plan(pieces.clone(), suppressed.clone());
        let over =
            (0..whole.members.len()).filter(|&class| !self.admits(degree(table, &leaves(&whole, class))));
        let over: FxHashSet<u32> =
            over.flat_map(|class| whole.members[class].iter().map(|member| member.0)).collect();
        if over.is_empty() {
            return whole;
        }
        let breaks = |piece: &Piece| piece.members.iter().any(|member| over.contains(&member.0));
        let (broken, kept): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(breaks);
        let members = || suppressed.iter().chain(broken.iter().flat_map(|piece| &piece.members));
        match members().map(|member| member.1).sum::<u64>()
            <= self.params.limits.most_suppressed(table.records())
        {
            true => plan(kept, members().copied().collect()),
            false => whole,
        }
    }

    /// The classes that are large enough, and the records of the others: of those with fewer than `least-real`
    /// records, and of the next smallest ones, as far as both limits ask for it.
    fn kept(
        &self,
        mut classes: Vec<Vec<Member>>,
        expected: &[f64],
        records: u64,
    ) -> (Vec<Vec<Member>>, Vec<Member>) {
        let size = |members: &Vec<Member>| members.iter().map(|member| member.1).sum::<u64>();
        let counterfeits =
            |size: u64| expected.get(size as usize).or(expected.last()).copied().unwrap_or(0.0);
        classes.sort_by_key(size);
        let mut padding: f64 = classes.iter().map(|members| counterfeits(size(members))).sum();
        let (mut few, mut suppressed) = (0, 0);
        for members in &classes {
            let size = size(members);
            let fits = suppressed + size <= self.params.limits.most_suppressed(records);
            if size >= self.params.limits.least_real
                && (!fits || self.params.limits.allows(padding.ceil() as u64, records))
            {
                break;
            }
            padding -= counterfeits(size);
            suppressed += size;
            few += 1;
        }
        let kept = classes.split_off(few);
        (kept, classes.into_iter().flatten().collect())
    }

    /// Pads the classes and groups them, drawing again until the catalog is safe. Classes that then fail a model are given
    /// instead.
    fn padded(
        &self,
        mut plan: LocalPlan,
        table: &FrequencyTable,
        sensitive: usize,
        asked: &Demand<'_>,
        context: &Context<'_>,
    ) -> Result<FilledParts, MethodError> {
        let classes = ClassTable::of_plan(&plan, table, sensitive);
        let fates = vec![Fate::Keep; classes.len()];
        let filler = self.filler_beside(&plan, table, sensitive, asked)?;
        let of_classes: Vec<Vec<u64>> = (0..classes.len()).map(|class| leaves(&plan, class)).collect();
        let degree = of_classes.iter().map(|leaves| degree(table, leaves)).fold(0.0, f64::max);
        if !self.admits(degree) {
            return Err(MethodError::Infeasible(
                Problem::new(
                    "a combination of values, or two classes of equal labels as one, break the ceiling, and have more records than \
                     suppression-limit allows",
                )
                .mend("raise h or suppression-limit"),
            ));
        }
        let labels = |q: usize| plan.values[q].iter().map(|value| value.label.as_str()).collect::<Vec<_>>();
        let excluded = filler.pairs.map(|pairs| pairs.excluded(labels, &classes));
        let possible = excluded.as_ref().and_then(|excluded| excluded.possible(&classes));
        let part = filler.concealing((&classes, possible), &fates);
        let concealing = part.as_ref().unwrap_or(&classes);
        let kin = self
            .needs_kin()
            .then(|| Ladder::new(table, sensitive).of_parts(concealing, self.params.limits.least_real));
        let kept = filler.earlier.and_then(|earlier| earlier.kept(table, None, labels, &classes));
        let near = Surroundings {
            kin: kin.as_ref(),
            excluded: excluded.as_ref(),
            kept: kept.as_ref(),
            concealing: Some(concealing),
        };
        let mut least_risk = None::<f64>;
        for attempt in 0..ATTEMPTS {
            context.check()?;
            let Some(mut counterfeits) =
                filler.fill((&classes, &fates), near, context.seed, [2 * attempt, 2 * attempt + 1])
            else {
                return Err(MethodError::Infeasible(
                    Problem::new("the models need too many counterfeits").mend("raise h or relax a model"),
                ));
            };
            let Some(groups) = self.groups(concealing, &counterfeits, kin.as_ref()) else { continue };
            if self.covers() {
                let mut stream = context.seed.stream(streams::COVERING ^ attempt);
                cover(concealing, &mut counterfeits, &groups, near, &mut stream);
            }
            if !lemma_1_holds(concealing, &counterfeits, &groups) {
                return Err(betrayed());
            }
            if let Err(risk) = self.keeps_risk(&classes, &counterfeits, &groups) {
                least_risk = least_risk.into_iter().chain([risk]).reduce(f64::min);
                continue;
            }
            let spoilt = filler.spoilt(&classes, &fates, &counterfeits);
            if !spoilt.is_empty() {
                return Ok(Err(spoilt.into_iter().flat_map(|class| plan.members[class].clone()).collect()));
            }
            let reciprocals =
                |class: usize| of_classes[class].iter().map(|&leaves| 1.0 / leaves as f64).collect();
            let total = counterfeits.iter().map(velamen_core::plan::Counterfeits::total).sum();
            let suppressed: u64 = plan.suppressed.iter().map(|member| member.1).sum();
            let rce = error_of(&reciprocals, &classes, &counterfeits, &groups, self.params.rce)
                + suppressed as f64 * rce::certain(self.params.rce, &of_suppressed(table))
                + self.lost_values(suppressed, table)
                + self.lost(total, table.qis.len());
            let found = LocalFigures { classes: classes.len(), rce, degree, counterfeits: total, suppressed };
            plan.counterfeits = counterfeits;
            plan.groups = groups;
            return Ok(Ok((plan, found)));
        }
        Err(MethodError::Infeasible(match least_risk {
            Some(least) => too_high(least, &format!("{ATTEMPTS} draws")),
            None => Problem::new(format!("no safe catalog in {ATTEMPTS} draws"))
                .mend("raise h, lower k, try another seed, or draw = \"empirical\""),
        }))
    }
}

/// The leaves that the cells of a class cover.
fn leaves(plan: &LocalPlan, class: usize) -> Vec<u64> {
    let codes = plan.codes.chunks_exact(plan.values.len()).nth(class).unwrap_or_default();
    codes.iter().zip(&plan.values).map(|(&code, values)| values[code as usize].leaves).collect()
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
    objective: Objective,
    /// c(n) by n: the counterfeits to be expected of a class of n records.
    expected: Vec<f64>,
    /// What each of them costs besides.
    price: f64,
    /// What the sensitive value of a suppressed record adds.
    lost_value: f64,
    least_real: u64,
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
        (rules, steps): (&[&Rule], &[Option<Step>]),
        models: &'a [Bound],
        context: &'a Context<'a>,
    ) -> Result<Self, MethodError> {
        // Where an attribute has a hierarchy, counterfeits count for what a value may be shown of.
        let dimension = |(q, rule): (usize, &&Rule)| {
            let shown =
                Shown { value: 1, ..Shown::of(method.params.k, steps.get(q).copied().flatten(), false) };
            Dimension::declared(table, q, rule, &shown)
        };
        let dimensions = rules.iter().enumerate().map(dimension).collect::<Result<_, _>>();
        let dimensions = dimensions.map_err(MethodError::Unfit)?;
        Ok(Self {
            h: method.params.h.unwrap_or(1.0) + DEGREE_TOLERANCE,
            k: method.params.k,
            reading: method.params.rce,
            objective: method.params.objective,
            expected: expected(method),
            price: 0.0,
            lost_value: method.lost_values(1, table),
            least_real: method.params.limits.least_real,
            dimensions,
            judge: Judge { table, models },
            table,
            context,
        })
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
        let leaves = self.dimensions.iter().zip(&patch.hulls).map(|(of, &hull)| of.leaves(hull));
        let reciprocals: Vec<f64> = leaves.map(|leaves| 1.0 / leaves as f64).collect();
        self.cost_of(patch.records, &reciprocals, self.degree(patch))
    }

    fn cost_of(&self, records: u64, reciprocals: &[f64], degree: f64) -> f64 {
        if records < self.least_real {
            let lost = self.error(&of_suppressed(self.table), 1.0) + self.lost_value + DEARER * self.price;
            return records as f64 * lost;
        }
        let more = self.counterfeits(records);
        let share = more / (more + records as f64);
        let error = self.error(reciprocals, degree) + share * share * rce::weight(self.reading, reciprocals);
        records as f64 * error + more * self.price
    }

    /// What a real record loses, summed over the quasi-identifiers.
    fn error(&self, reciprocals: &[f64], degree: f64) -> f64 {
        match self.objective {
            Objective::Loss => degree * reciprocals.len() as f64,
            Objective::Rce | Objective::Counterfeits => rce::certain(self.reading, reciprocals),
        }
    }

    /// The cost of two regions as one, if that is within the ceiling. `scratch` spares an allocation.
    fn cost_of_both(&self, a: &Patch, b: &Patch, scratch: &mut Vec<f64>) -> Option<f64> {
        scratch.clear();
        let mut degrees = 0.0;
        for (q, dimension) in self.dimensions.iter().enumerate() {
            let leaves = dimension.leaves(dimension.join(a.hulls[q], b.hulls[q]));
            degrees += dimension.degree(leaves);
            scratch.push(1.0 / leaves as f64);
        }
        let degree = degrees / self.dimensions.len() as f64;
        (degree <= self.h).then(|| self.cost_of(a.records + b.records, scratch, degree))
    }

    /// c(n).
    fn counterfeits(&self, records: u64) -> f64 {
        self.expected.get(records as usize).or(self.expected.last()).copied().unwrap_or(0.0)
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
    let k = method.params.k;
    let least = |n: u64, target: u64| target.saturating_sub(n) as f64;
    let mean = |of: &dyn Fn(u64) -> f64| -> f64 { method.padding().targets(0).map(|(g, p)| p * of(g)).sum() };
    let one = |n: u64| match method.grows() {
        true => least(n, k) + mean(&|g| g as f64),
        false => mean(&|g| least(n, k + g)),
    };
    (0..=k + REACH).map(one).collect()
}
