//! Utility-preserving anonymization: h-ceiling, counterfeit records, catalog.
//!
//! # Summary
//! No record may be generalized beyond a degree h. Classes that are then too small are filled with
//! counterfeit records, and a published catalog tells, per group of classes, how many counterfeits
//! of which sensitive value the group holds, but not which records they are.
//!
//! # Definition
//! `D(r)` is the mean degree of generalization over the quasi-identifiers; the table satisfies
//! h-ceiling iff D(r) ≤ h for every record (Definition 1). Every class with fewer than its target
//! of records is padded to it ([`padding`]); the classes with counterfeits are grouped with others
//! until Lemma 1 holds ([`grouping`]); the feasible node of least RCE ([`crate::metric::rce`]) wins.
//! With no h given every node is searched, and h is what the winner reaches. Where models beyond
//! k-anonymity must hold, padding goes on until they do ([`growth`]); instead of lattice nodes the
//! classes can be parts of their own ([`local`]).
//!
//! # Complexity
//! Time O(nodes · (cells · log cells + grouping)), memory O(distinct combinations). A node whose RCE
//! without counterfeits already exceeds the best RCE found is excluded without grouping.
//!
//! # References
//! Lee et al. 2017, BMC Med Inform Decis Mak 17:104, Algorithms 1 and 2, Lemma 1.
//!
//! # Deviations
//! Padding to exactly k betrays counterfeits to whoever knows the algorithm (the minimality attack,
//! Wong et al. 2007); [`padding::Padding::Random`] is the default, the published one is
//! [`padding::Padding::Exact`]. Ties go to the lower height, then the lexicographically smaller node.

mod asked;
pub(in crate::method) mod entry;
mod error;
mod filler;
pub mod grouping;
pub mod growth;
mod kin;
pub mod local;
pub mod padding;
mod point;
mod pool;

pub use self::asked::Asked;
pub use self::error::reconstruction_error;
pub use self::pool::Draw;

use filler::Filler;
use grouping::group;
use growth::Bind;
use kin::{Kin, Ladder};
use padding::Padding;
use pool::Surroundings;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use velamen_core::classes::{ClassTable, Coding, Space, layout};
use velamen_core::context::Context;
use velamen_core::frequency::FrequencyTable;
use velamen_core::impossible::Excluded;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Counterfeits, Fate, Plan};
use velamen_core::with_key_width;

use super::MethodError;
use crate::metric::rce::Reading;

/// Rounding of h and of degrees, far below the degree of any one value.
pub const DEGREE_TOLERANCE: f64 = 1e-12;

/// The most lattice nodes that are put in order of their bounds.
pub const MOST_NODES: u128 = 1 << 22;

/// Groups of so many classes need no more than Algorithm 2 as published.
const PUBLISHED_GROUP: u64 = 2;

/// Nodes evaluated between two looks at the bound; a constant, for the same steps on any machine.
const WAVE: usize = 8;

/// Nodes surveyed between two looks at the wish to stop.
const SURVEY_WAVE: usize = 64;

/// The parameters of the method, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HCeiling {
    k: u64,
    h: Option<f64>,
    padding: Padding,
    draw: Draw,
    reading: Reading,
    beyond: bool,
    group_classes: u64,
}

/// The parameters of the method, as given.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
pub struct HCeilingParams {
    /// The least class size.
    pub k: u64,
    /// The ceiling on D(r), 0 to 1; `None` to find it by RCE.
    pub h: Option<f64>,
    /// How far small classes are padded.
    pub padding: Padding,
    /// Where the sensitive values of counterfeits come from.
    pub draw: Draw,
    /// How RCE is read.
    pub rce: Reading,
    /// Whether models beyond k-anonymity must hold.
    pub beyond: bool,
    /// The least number of classes that can hold counterfeits in a group; up to 2, as published.
    pub group_classes: u64,
}

impl TryFrom<HCeilingParams> for HCeiling {
    type Error = String;

    fn try_from(params: HCeilingParams) -> Result<Self, String> {
        if params.k < 2 && !params.beyond {
            return Err(format!("k = {} protects nobody; k must be at least 2", params.k));
        }
        if params.h.is_some_and(|h| !(0.0..=1.0).contains(&h)) {
            return Err("h must be from 0 to 1".into());
        }
        let HCeilingParams { k, h, padding, draw, rce: reading, beyond, group_classes } = params;
        Ok(Self { k, h, padding, draw, reading, beyond, group_classes })
    }
}

/// What one node comes to.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The node.
    pub node: Node,
    /// RCE, summed over records.
    pub rce: f64,
    /// How many counterfeits it takes.
    pub counterfeits: u64,
    /// The largest D(r).
    pub degree: f64,
}

/// The winner and how it was found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The node of least RCE.
    pub best: Evaluation,
    /// How many nodes satisfy the ceiling by the public bound or were grouped and do.
    pub examined: usize,
    /// How many of the examined nodes no catalog can make safe.
    pub infeasible: usize,
}

impl HCeiling {
    /// Algorithm 1: the plan of the feasible node of least RCE, of those of a lattice over the table's levels. `models` binds the models beyond
    /// k-anonymity and is not asked where there are none.
    ///
    /// # Errors
    /// [`MethodError::Unfit`] if the table has not exactly one sensitive attribute with at least
    /// two values or the lattice is too large; [`MethodError::Infeasible`] if no node under the
    /// ceiling has a safe catalog; [`MethodError::Interrupted`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        models: &Bind<'_>,
        context: &Context<'_>,
    ) -> Result<(Plan, Found), MethodError> {
        self.plan_with(table, lattice, &Asked::of(models), context)
    }

    /// As [`Self::plan`], with all that a recipe can ask for.
    ///
    /// # Errors
    /// As [`Self::plan`].
    pub fn plan_with(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        asked: &Asked<'_>,
        context: &Context<'_>,
    ) -> Result<(Plan, Found), MethodError> {
        let sensitive = one_sensitive(table)?;
        with_key_width!(layout(table, Coding::new(table, &[sensitive]).as_ref()).words(), W => {
            let search = Search::<W>::new(*self, table, lattice, sensitive, asked, context)?;
            let found = search.run()?;
            Ok((search.plan(&found.best.node)?, found))
        }, else Err(MethodError::Unfit("the quasi-identifiers need more than 1024 bits a record".into())))
    }

    /// Every node that satisfies the ceiling with its counterfeits and, where a safe catalog
    /// exists, its RCE: what the search chooses from.
    ///
    /// # Errors
    /// As [`HCeiling::plan`], but never [`MethodError::Infeasible`].
    pub fn survey(
        &self,
        table: &FrequencyTable,
        models: &Bind<'_>,
        context: &Context<'_>,
    ) -> Result<Vec<Evaluation>, MethodError> {
        let sensitive = one_sensitive(table)?;
        with_key_width!(layout(table, Coding::new(table, &[sensitive]).as_ref()).words(), W => {
            let search = Search::<W>::new(*self, table, &table.lattice(), sensitive, &Asked::of(models), context)?;
            let nodes = search.lattice.len().unwrap_or(0) as usize;
            let mut surveyed = Vec::new();
            for first in (0..nodes).step_by(SURVEY_WAVE) {
                context.check()?;
                context.progress.step("surveying", first as u64, nodes as u64);
                let wave = first..nodes.min(first + SURVEY_WAVE);
                let evaluate = |index| search.evaluate(&search.lattice.node(index));
                surveyed.extend(wave.into_par_iter().filter_map(evaluate).collect::<Vec<_>>());
            }
            Ok(surveyed)
        }, else Err(MethodError::Unfit("the quasi-identifiers need more than 1024 bits a record".into())))
    }

    /// The largest released size of a class that may hold counterfeits; any where models beyond
    /// k-anonymity must hold, since padding goes on until they do.
    #[must_use]
    pub fn largest_padded(&self) -> u64 {
        if self.beyond { u64::MAX } else { self.padding.largest_target(self.k) }
    }

    /// The largest released size of a class that may conceal others' counterfeits.
    #[must_use]
    pub fn largest_concealing(&self) -> u64 {
        match self.padding {
            Padding::Random => self.largest_padded(),
            Padding::Exact => u64::MAX,
        }
    }

    /// Whether anything asks which classes are near to each other.
    fn needs_kin(&self) -> bool {
        self.draw == Draw::Near || self.group_classes > PUBLISHED_GROUP
    }

    /// The catalog's groups; `None` where none is safe.
    fn groups(
        &self,
        classes: &ClassTable,
        counterfeits: &[Counterfeits],
        kin: Option<&Kin>,
    ) -> Option<Vec<Vec<u32>>> {
        let least = usize::try_from(self.group_classes).unwrap_or(usize::MAX);
        let near = kin.filter(|_| self.group_classes > PUBLISHED_GROUP).map(|kin| (&kin.order[..], least));
        group(classes, counterfeits, self.largest_concealing(), near)
    }

    fn admits(&self, degree: f64) -> bool {
        self.h.is_none_or(|h| degree <= h + DEGREE_TOLERANCE)
    }

    fn filler<'a>(
        &self,
        table: &FrequencyTable,
        sensitive: usize,
        &Asked { models, pairs, earlier }: &Asked<'a>,
    ) -> Result<Filler<'a>, MethodError> {
        if self.beyond {
            models(&table.rest_marginal(sensitive)).map_err(MethodError::Unfit)?;
        }
        Ok(Filler {
            k: self.k,
            padding: self.padding,
            draw: self.draw,
            values: table.rest.columns[sensitive].values.len() as u64,
            concealing: self.largest_concealing(),
            models: self.beyond.then_some(models),
            pairs,
            earlier,
        })
    }
}

fn one_sensitive(table: &FrequencyTable) -> Result<usize, MethodError> {
    let sensitive: Vec<usize> = table.rest.sensitive().collect();
    match sensitive[..] {
        [one] if table.rest.columns[one].values.len() >= 2 => Ok(one),
        [one] => Err(MethodError::Unfit(format!(
            "attribute `{}`: h-ceiling needs a sensitive attribute of at least two values, or every counterfeit is \
             known to have the only one",
            table.rest.columns[one].name
        ))),
        _ => Err(MethodError::Unfit(format!(
            "h-ceiling conceals exactly one sensitive attribute, the recipe names {}; give the others the role \
             `insensitive` or `quasi-identifier`",
            sensitive.len()
        ))),
    }
}

struct Search<'a, const W: usize> {
    method: HCeiling,
    context: &'a Context<'a>,
    table: &'a FrequencyTable,
    lattice: Lattice,
    space: Space<W>,
    filler: Filler<'a>,
    /// Tells who is near to whom, where that is asked.
    ladder: Option<Ladder<'a>>,
    /// Per attribute and level: Σ over the records of 1/w.
    reciprocals: Vec<Vec<f64>>,
}

/// A node after padding.
struct Grouped {
    node: Node,
    classes: ClassTable,
    /// The classes without what conceals nothing, where there is any.
    possible: Option<ClassTable>,
    kin: Option<Kin>,
    counterfeits: Vec<Counterfeits>,
    degree: f64,
}

impl<'a, const W: usize> Search<'a, W> {
    fn new(
        method: HCeiling,
        table: &'a FrequencyTable,
        lattice: &Lattice,
        sensitive: usize,
        asked: &Asked<'a>,
        context: &'a Context<'a>,
    ) -> Result<Self, MethodError> {
        let lattice = lattice.clone();
        if lattice.len().is_none_or(|nodes| nodes > MOST_NODES) {
            let message =
                format!("the lattice has more than {MOST_NODES} nodes; coarsen or drop quasi-identifiers");
            return Err(MethodError::Unfit(message));
        }
        let filler = method.filler(table, sensitive, asked)?;
        let reciprocals = (0..table.qis.len()).map(|q| level_reciprocals(table, q)).collect();
        Ok(Self {
            method,
            context,
            table,
            lattice,
            space: Space::new(table, Coding::new(table, &[sensitive]).as_ref()),
            filler,
            ladder: method.needs_kin().then(|| Ladder::new(table, sensitive)),
            reciprocals,
        })
    }

    /// Algorithm 1, lines 3–20.
    fn run(&self) -> Result<Found, MethodError> {
        let mut open: Vec<(f64, usize)> = (0..self.lattice.len().unwrap_or(0) as usize)
            .map(|index| (index, self.lattice.node(index)))
            .filter(|(_, node)| self.least_degree(node) <= self.method.h.unwrap_or(1.0) + DEGREE_TOLERANCE)
            .map(|(index, node)| (self.certain_rce(&node), index))
            .collect();
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut best, mut examined, mut infeasible) = (None::<Evaluation>, 0, 0);
        let total = open.len() as u64;
        let mut waves = open.chunks(WAVE);
        while let Some(wave) = waves.next() {
            self.context.check()?;
            self.context.progress.step("searching", total - (waves.len() * WAVE) as u64, total);
            if best.as_ref().is_some_and(|best| wave[0].0 > best.rce) {
                break;
            }
            let evaluated: Vec<_> =
                wave.par_iter().filter_map(|(_, index)| self.evaluate(&self.lattice.node(*index))).collect();
            examined += evaluated.len();
            infeasible += evaluated.iter().filter(|e| e.rce.is_infinite()).count();
            best = evaluated.into_iter().chain(best).filter(|e| e.rce.is_finite()).min_by(compare);
        }
        best.map(|best| Found { best, examined, infeasible }).ok_or_else(|| self.infeasible(examined))
    }

    fn infeasible(&self, examined: usize) -> MethodError {
        let advice = match self.method.draw {
            Draw::Uniform => "raise h, lower k, try another seed, or draw = \"empirical\"",
            Draw::Near | Draw::Empirical => "raise h or lower k",
        };
        MethodError::Infeasible(match examined {
            0 => "at every node of the lattice the ceiling is broken or the models need too many counterfeits; raise h \
                  or relax a model"
                .into(),
            _ => format!("no node under the ceiling has a safe catalog ({examined} tried); {advice}"),
        })
    }

    fn evaluate(&self, node: &Node) -> Option<Evaluation> {
        let grouped = self.grouped(node)?;
        let rce = grouped.rce(self).unwrap_or(f64::INFINITY);
        Some(grouped.evaluation(rce))
    }

    /// Algorithm 1, lines 5–13; `None` where the node breaks the ceiling or padding cannot make the
    /// models hold.
    fn grouped(&self, node: &Node) -> Option<Grouped> {
        let classes = ClassTable::at(&self.space, node);
        let degree = (0..classes.len()).map(|c| self.degree(node, classes.codes(c))).fold(0.0, f64::max);
        if !self.method.admits(degree) {
            return None;
        }
        let index = self.lattice.index(node) as u64;
        let kin = self.ladder.as_ref().map(|ladder| ladder.at(node, &classes, self.filler.concealing));
        let streams = [2 * index, 2 * index + 1];
        let excluded = self.excluded(node, &classes);
        let kept = self.filler.earlier;
        let kept =
            kept.and_then(|earlier| earlier.kept(self.table, Some(node), |q| self.labels(node, q), &classes));
        let near = Surroundings { kin: kin.as_ref(), excluded: excluded.as_ref(), kept: kept.as_ref() };
        let counterfeits = self.filler.fill(&classes, near, self.context.seed, streams)?;
        let possible = excluded.and_then(|excluded| excluded.possible(&classes));
        Some(Grouped { node: node.clone(), classes, possible, kin, counterfeits, degree })
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
    fn plan(&self, node: &Node) -> Result<Plan, MethodError> {
        let grouped = self.grouped(node).ok_or_else(|| self.infeasible(1))?;
        let groups = grouped.groups(self.method).ok_or_else(|| self.infeasible(1))?;
        let fates = vec![Fate::Keep; grouped.classes.len()];
        let Grouped { node, classes, counterfeits, .. } = grouped;
        Ok(Plan { node, classes, fates, counterfeits, groups })
    }

    /// D(r) of the records of a class.
    fn degree(&self, node: &Node, codes: &[u32]) -> f64 {
        let hierarchy = |q: usize| &self.table.qis[q].hierarchy;
        let sum: f64 = (0..codes.len()).map(|q| hierarchy(q).degree(node.0[q], codes[q])).sum();
        sum / codes.len() as f64
    }

    /// A lower bound of the largest D(r): the mean of each attribute's least degree at its level.
    fn least_degree(&self, node: &Node) -> f64 {
        let least = |q: usize| {
            let hierarchy = &self.table.qis[q].hierarchy;
            (0..hierarchy.width(node.0[q]) as u32).map(|c| hierarchy.degree(node.0[q], c)).fold(1.0, f64::min)
        };
        (0..node.0.len()).map(least).sum::<f64>() / node.0.len() as f64
    }

    /// RCE if there were no counterfeits: a lower bound that needs only marginal counts.
    fn certain_rce(&self, node: &Node) -> f64 {
        let records = self.table.records() as f64;
        let losses = (0..node.0.len()).map(|q| records - self.reciprocals[q][usize::from(node.0[q])]);
        match self.method.reading {
            Reading::Marginal => losses.sum(),
            // 1 − Π 1/w is at least each 1 − 1/w.
            Reading::Joint => losses.fold(0.0, f64::max),
        }
    }
}

fn level_reciprocals(table: &FrequencyTable, qi: usize) -> Vec<f64> {
    let (hierarchy, marginal) = (&table.qis[qi].hierarchy, table.marginal(qi));
    let reciprocal = |level, leaf| 1.0 / hierarchy.leaves(level, hierarchy.code(level, leaf)) as f64;
    (0..=hierarchy.top())
        .map(|level| (0u32..).zip(&marginal).map(|(leaf, &n)| n as f64 * reciprocal(level, leaf)).sum())
        .collect()
}

/// The order of winners: RCE, then height, then levels.
fn compare(a: &Evaluation, b: &Evaluation) -> std::cmp::Ordering {
    let ties = || a.node.height().cmp(&b.node.height()).then_with(|| a.node.cmp(&b.node));
    a.rce.total_cmp(&b.rce).then_with(ties)
}

impl Grouped {
    fn groups(&self, method: HCeiling) -> Option<Vec<Vec<u32>>> {
        let classes = self.possible.as_ref().unwrap_or(&self.classes);
        method.groups(classes, &self.counterfeits, self.kin.as_ref())
    }

    fn error<const W: usize>(&self, search: &Search<'_, W>, groups: &[Vec<u32>]) -> f64 {
        let (table, reading) = (search.table, search.method.reading);
        reconstruction_error(table, &self.node, &self.classes, &self.counterfeits, groups, reading)
    }

    fn evaluation(self, rce: f64) -> Evaluation {
        let counterfeits = self.counterfeits.iter().map(Counterfeits::total).sum();
        Evaluation { node: self.node, rce, counterfeits, degree: self.degree }
    }

    /// The node's RCE with its catalog; `None` where no catalog is safe (Algorithm 1, lines 14–15).
    fn rce<const W: usize>(&self, search: &Search<'_, W>) -> Option<f64> {
        Some(self.error(search, &self.groups(search.method)?))
    }
}
