//! Utility-preserving anonymization: h-ceiling, counterfeit records, catalog.
//!
//! # Summary
//! No record may be generalized beyond a degree h. Classes that are then too small are filled with
//! counterfeit records. A published catalog shows, per group of classes, how many counterfeits
//! of which sensitive value the group holds, but not which records they are.
//!
//! # Definition
//! `D(r)` is the mean degree of generalization over the quasi-identifiers; the table satisfies
//! h-ceiling iff D(r) ≤ h for every record (Definition 1). Classes of too few real records are suppressed
//! ([`limits`]). Every other class with fewer than its target
//! of records is padded to it ([`padding`]); the classes with counterfeits are grouped with others
//! until Lemma 1 holds ([`grouping`]); the best feasible node within the limits wins, by the objective, which is
//! RCE ([`crate::metric::rce`]) if nothing else is asked for (`search`).
//! With no h given every node is searched, and h is what the winner reaches. Where models beyond
//! k-anonymity must hold, padding goes on until they do ([`growth`]); instead of lattice nodes the
//! classes can be parts of their own ([`local`]).
//!
//! # Complexity
//! Time O(nodes · (classes + grouping)), memory O(distinct combinations). A node whose figure without
//! counterfeits already exceeds the best one found is excluded without a look at its classes, and a node whose
//! class sizes exceed the limits without a draw.
//!
//! # References
//! Lee et al. 2017, BMC Med Inform Decis Mak 17:104, Algorithms 1 and 2, Lemma 1.
//!
//! # Deviations
//! Padding to exactly k betrays counterfeits to whoever knows the algorithm (the minimality attack,
//! Wong et al. 2007); [`padding::Padding::Random`] is the default, the published one is
//! [`padding::Padding::Exact`]. Ties go to the lower height, then the lexicographically smaller node.

mod advice;
mod asked;
pub mod catalog_risk;
mod covering;
pub(in crate::method) mod entry;
mod error;
mod filler;
pub mod grouping;
pub mod growth;
mod judged;
mod kin;
pub mod limits;
pub mod local;
mod objective;
pub mod padding;
mod point;
mod pool;
mod real;
mod search;

pub use self::asked::{Demand, Insensitive};
pub use self::error::reconstruction_error;
pub use self::limits::Limits;
pub use self::objective::{Objective, Over};
pub use self::pool::Draw;

use std::ops::RangeInclusive;

use filler::Filler;
use grouping::group;
use growth::Bind;
use kin::Kin;
use local::Parts;
use padding::Padding;
use rayon::prelude::*;
use velamen_core::classes::{ClassTable, Coding, layout};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::{Lattice, Node};
use velamen_core::plan::{Counterfeits, Plan};
use velamen_core::with_key_width;

use self::search::NodeSearch;
use super::{MethodError, Suppress};
use crate::metric::{Reading, rce};
use crate::model::people::{self, Tally};

/// Rounding of h and of degrees, far below the degree of any one value.
pub const DEGREE_TOLERANCE: f64 = 1e-12;

/// The most lattice nodes that are put in order of their bounds.
pub const MOST_NODES: u128 = 1 << 22;

/// Groups of so many classes need no more than Algorithm 2 as published.
const PUBLISHED_GROUP: u64 = 2;

/// Streams of first draws are below 2^this, for there are two a node.
const REDRAW_SHIFT: u32 = 32;

/// Nodes surveyed between two looks at the wish to stop.
const SURVEY_WAVE: usize = 64;

/// The parameters of the method, checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HCeiling {
    params: HCeilingParams,
}

/// The parameters of the method, as given.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
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
    /// Over which records RCE is summed.
    pub rce_over: Over,
    /// Whether the sensitive value of a suppressed record counts in it, as lost.
    pub suppressed_values: bool,
    /// What is minimized.
    pub objective: Objective,
    /// What the release may cost.
    pub limits: Limits,
    /// Whether models beyond k-anonymity must hold.
    pub beyond: bool,
    /// Whether one of them is about the sizes of classes, and may ask for more padding than k does.
    pub beyond_sizes: bool,
    /// The least number of classes that can hold counterfeits in a group; up to 2, as published.
    pub group_classes: u64,
    /// The number of different values that the real records of each class have at least, as models ask; up to 1: nothing is
    /// asked.
    pub real_values: u64,
    /// The highest risk that the catalog may leave, where one is promised.
    pub catalog_risk: Option<f64>,
    /// What the classes are.
    pub parts: Parts,
    /// What becomes of insensitive columns.
    pub insensitive: Insensitive,
    /// How much of a suppressed record is.
    pub suppress: Suppress,
    /// Whether counterfeits stand in for people in what models ask of values.
    pub counterfeits_count: bool,
    /// The largest area under the ROC curve of who looks for counterfeits; `None` where nobody judges.
    pub adversary_limit: Option<f64>,
    /// Whether classes of k real records are tried first, and counterfeits are made only where these do not keep the ceiling and the
    /// limits.
    pub real_first: bool,
    /// Whether people are counted, who can have several records: the size of a class in records then does not show
    /// whether it was padded.
    pub persons: bool,
}

impl TryFrom<HCeilingParams> for HCeiling {
    type Error = Problem;

    fn try_from(params: HCeilingParams) -> Result<Self, Problem> {
        if params.k < 2 && !params.beyond {
            return Err(Problem::new(format!("k = {} protects nobody", params.k)).expected("at least 2"));
        }
        if params.h.is_some_and(|h| !(0.0..=1.0).contains(&h)) {
            return Err(Problem::of(&["h"], "h must be from 0 to 1"));
        }
        params.limits.checked().map_err(|(key, problem)| Problem::of(&[key], problem))?;
        Ok(Self { params })
    }
}

/// What one node comes to.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The node.
    pub node: Node,
    /// What is minimized; infinite where no catalog is safe.
    pub figure: f64,
    /// RCE, summed over records; infinite where no catalog is safe.
    pub rce: f64,
    /// How many counterfeits it takes.
    pub counterfeits: u64,
    /// How many records are suppressed.
    pub suppressed: u64,
    /// The largest D(r).
    pub degree: f64,
    /// The least risk that its catalogs left, where `catalog-risk` is promised.
    pub risk: Option<f64>,
}

/// The winner and how it was found.
#[derive(Debug, Clone)]
pub struct WinningNode {
    /// The best node.
    pub best: Evaluation,
    /// How many nodes were padded and are within the ceiling and the limits.
    pub examined: usize,
    /// How many of the examined nodes no catalog can make safe.
    pub infeasible: usize,
    /// Whether it was told to stop before its end.
    pub ended: bool,
}

impl HCeiling {
    /// Algorithm 1: the plan of the best feasible node, of those of a lattice over the table's levels. `models`
    /// binds the models beyond k-anonymity and is not asked where there are none.
    ///
    /// # Errors
    /// [`MethodError::Unfit`] if the table has not exactly one sensitive attribute with at least
    /// two values or the lattice is too large; [`MethodError::Infeasible`] if no node under the
    /// ceiling is within the limits and has a safe catalog; [`MethodError::Interrupted`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        models: &Bind<'_>,
        context: &Context<'_>,
    ) -> Result<(Plan, WinningNode), MethodError> {
        self.plan_with(table, lattice, &Demand::of(models), context)
    }

    /// As [`Self::plan`], with all that a recipe can ask for.
    ///
    /// # Errors
    /// As [`Self::plan`].
    pub fn plan_with(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        asked: &Demand<'_>,
        context: &Context<'_>,
    ) -> Result<(Plan, WinningNode), MethodError> {
        let sensitive = one_sensitive(table)?;
        with_key_width!(layout(table, coding(table, sensitive).as_ref()).words(), W => {
            let search = NodeSearch::<W>::new(*self, table, lattice, sensitive, asked, context)?;
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
        with_key_width!(layout(table, coding(table, sensitive).as_ref()).words(), W => {
            let search = NodeSearch::<W>::new(*self, table, &table.lattice(), sensitive, &Demand::of(models), context)?;
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

    /// The largest released size of a class that may hold counterfeits; any where padding goes on
    /// until models beyond k-anonymity hold, and where people are counted and not records.
    #[must_use]
    pub fn largest_padded(&self) -> u64 {
        if self.grows() || self.params.persons {
            u64::MAX
        } else {
            self.params.padding.largest_target(self.params.k)
        }
    }

    /// The largest released size of a class that may conceal others' counterfeits.
    #[must_use]
    pub fn largest_concealing(&self) -> u64 {
        match self.params.padding {
            Padding::Random => self.largest_padded(),
            Padding::Exact => u64::MAX,
        }
    }

    /// Whether models are judged on real records by themselves.
    fn judges_real(&self) -> bool {
        self.params.beyond && !self.params.counterfeits_count
    }

    /// Whether padding goes on until the models hold, where counterfeits stand in for people or a model is about sizes.
    /// Otherwise classes are padded for their size alone, and what a model then fails of is suppressed.
    fn grows(&self) -> bool {
        self.params.beyond && (self.params.counterfeits_count || self.params.beyond_sizes)
    }

    /// What is suppressed besides classes of too few records, in words.
    fn or_unlike(&self) -> &'static str {
        match self.judges_real() {
            true => {
                " or whose real ones fail a model by themselves (counterfeits-count = true lets counterfeits stand in for people)"
            }
            false => "",
        }
    }

    /// Whether anything asks which classes are near to each other.
    fn needs_kin(&self) -> bool {
        self.params.draw == Draw::Near || self.params.group_classes > PUBLISHED_GROUP
    }

    /// Whether counterfeits are spread evenly over the values of a group. Where padding goes on until models hold, they hold
    /// of the values as they were drawn.
    fn covers(&self) -> bool {
        self.params.draw == Draw::Near && !self.grows()
    }

    /// The catalog's groups; `None` where none is safe.
    fn groups(
        &self,
        classes: &ClassTable,
        counterfeits: &[Counterfeits],
        kin: Option<&Kin>,
    ) -> Option<Vec<Vec<u32>>> {
        let least = usize::try_from(self.params.group_classes).unwrap_or(usize::MAX);
        let near =
            kin.filter(|_| self.params.group_classes > PUBLISHED_GROUP).map(|kin| (&kin.order[..], least));
        group(classes, counterfeits, &self.concealing(), near)
    }

    /// The real records of a class that may conceal.
    fn concealing(&self) -> RangeInclusive<u64> {
        self.params.limits.least_real..=self.largest_concealing()
    }

    /// What counterfeits add to RCE where it is summed over the released records.
    fn lost(&self, counterfeits: u64, attributes: usize) -> f64 {
        match self.params.rce_over {
            Over::Original => 0.0,
            Over::Released => counterfeits as f64 * rce::integrals(self.params.rce, attributes),
        }
    }

    /// What the sensitive values of suppressed records add to RCE where they count.
    fn lost_values(&self, suppressed: u64, table: &FrequencyTable) -> f64 {
        let of_one = || rce::lost_value(self.params.rce, &error::of_suppressed(table));
        if self.params.suppressed_values { suppressed as f64 * of_one() } else { 0.0 }
    }

    fn admits(&self, degree: f64) -> bool {
        self.params.h.is_none_or(|h| degree <= h + DEGREE_TOLERANCE)
    }

    fn filler<'a>(
        &self,
        table: &FrequencyTable,
        sensitive: usize,
        &Demand { models, pairs, earlier, .. }: &Demand<'a>,
    ) -> Result<Filler<'a>, MethodError> {
        if self.params.beyond {
            models(&whole(table, sensitive)).map_err(MethodError::Unfit)?;
        }
        Ok(Filler {
            k: self.params.k,
            padding: self.padding(),
            draw: self.params.draw,
            values: table.rest.columns[sensitive].values.len() as u64,
            sizes: self.concealing(),
            apart: vec![0; table.rest.columns[sensitive].values.len()],
            apart_pairs: Vec::new(),
            counterfeits_count: self.params.counterfeits_count,
            hides: self.params.suppress == Suppress::Record,
            models: self.params.beyond.then_some(models),
            grows: self.grows(),
            pairs,
            earlier,
        })
    }
}

/// What the sensitive attribute comes to in the whole table.
fn whole(table: &FrequencyTable, sensitive: usize) -> Tally {
    let entries = (0..table.len() as u32).map(|entry| (entry, 1));
    match table.rest.person() {
        Some(person) => Tally::of_people(
            &people::pairs(table, (person, sensitive), entries),
            table.rest.columns[sensitive].values.len(),
        ),
        None => Tally::of_records(table.rest_marginal(sensitive)),
    }
}

/// A defect: the finished catalog is not what Lemma 1 asks for.
fn betrayed() -> MethodError {
    MethodError::Broken("the catalog would betray counterfeits (Lemma 1); nothing was released".into())
}

/// What the classes of a table are counted by: the sensitive value, and the person where a person can have several
/// records.
fn coding(table: &FrequencyTable, sensitive: usize) -> Option<Coding> {
    let columns: Vec<usize> = table.rest.person().into_iter().chain([sensitive]).collect();
    Coding::new(table, &columns)
}

fn one_sensitive(table: &FrequencyTable) -> Result<usize, MethodError> {
    let sensitive: Vec<usize> = table.rest.sensitive().collect();
    match sensitive[..] {
        [one] if table.rest.columns[one].values.len() >= 2 => Ok(one),
        [one] => Err(MethodError::Unfit(format!(
            "attribute `{}`: h-ceiling needs a sensitive attribute of at least two values, or every counterfeit is \
             known to have the only one",
            table.rest.columns[one].name
        ).into())),
        _ => Err(MethodError::Unfit(
            Problem::new(format!(
                "h-ceiling conceals exactly one sensitive attribute, the recipe names {}",
                sensitive.len()
            ))
            .mend("give the others the role `insensitive` or `quasi-identifier`"),
        )),
    }
}
