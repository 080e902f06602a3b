//! What methods of noisy counts share: their budget, what they make and say of it, and how a recipe runs them.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use velamen_contract::{EACH, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::release::Release;
use velamen_dp::{Budget, Door, Doorkeeper, Loss, Rational};

use super::doorway::Doorway;
use crate::method::kit::declared;
use crate::method::kit::informative::Informative;
use crate::method::{Cost, Decision, Method, MethodError, Particulars, Task};
use crate::noisy::{CellDomain, CellNoise, Expected};

/// A method that releases noisy counts of cells and nothing else.
pub(super) trait CountsCells: Debug + Clone + Send + Sync + 'static {
    /// The method's section of `release.json`.
    fn statement(&self) -> Statement;

    /// What a run costs.
    fn cost(&self) -> Cost;

    /// Numbers of records that classes are compared with.
    fn thresholds(&self) -> Vec<u64> {
        Vec::new()
    }

    /// How several sensitive attributes are counted.
    fn informative(&self) -> Informative {
        Informative::Joint
    }

    /// The budget of a run.
    fn budget(&self) -> Loss;

    /// The release of a table over its whole public domains. All that is learned of its records passes the door.
    ///
    /// # Errors
    /// [`MethodError`].
    fn made(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<NoisyRelease, MethodError>;
}

/// Such a method as a recipe asks for it.
#[derive(Debug, Clone)]
pub(super) struct NoisyCounts<M> {
    /// The method.
    pub(super) method: M,
    /// Whether insensitive columns are dropped; else they are refused.
    pub(super) drops_insensitive: bool,
    /// Where its door comes from.
    pub(super) doorway: Doorway,
}

impl<M: CountsCells> Method for NoisyCounts<M> {
    fn statement(&self, _: &Task<'_>) -> Statement {
        self.method.statement()
    }

    fn cost(&self) -> Cost {
        self.method.cost()
    }

    fn particulars(&self) -> Particulars {
        Particulars {
            drops_insensitive: self.drops_insensitive.then_some(declared::DROPPED),
            thresholds: self.method.thresholds(),
            ..Particulars::default()
        }
    }

    fn prepared<'t>(
        &self,
        table: Cow<'t, FrequencyTable>,
        task: &Task<'_>,
    ) -> Result<Cow<'t, FrequencyTable>, MethodError> {
        declared::prepared_as(table, task, self.method.informative())
    }

    fn run(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
    ) -> Result<Decision, MethodError> {
        let own = Door::paid_by(self.method.budget());
        let made = self.doorway.through(own, |door| self.method.made(table, task, context, door))?;
        Ok(decision(made))
    }

    fn audited(&self, keeper: &Arc<Doorkeeper>) -> Option<Arc<dyn Method>> {
        Some(Arc::new(Self { doorway: Doorway::kept_by(keeper), ..self.clone() }))
    }
}

/// What a method of noisy counts makes.
#[derive(Debug, Clone)]
pub struct NoisyRelease {
    /// The released records: private.
    pub release: Release,
    /// What is public about the release beyond its records.
    pub stated: StatedNoise,
    /// The same of each sensitive attribute, by name, where they are counted each by itself.
    pub each: Vec<(String, StatedNoise)>,
    /// What only the custodian may know.
    pub original: OriginalCells,
}

/// What follows from parameters, hierarchies and the released node alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedNoise {
    /// Cells of the domain.
    pub cells: u128,
    /// T.
    pub least_count: u64,
    /// What noise alone makes of empty cells on average.
    pub expected: Expected,
    /// The suppressed records that noise alone makes on average, where no record is suppressed; `None` where the method
    /// has no noise of its own for them.
    pub expected_suppressed: Option<f64>,
}

impl StatedNoise {
    /// Of noise on the cells of a domain; `suppressed`: what noise makes of suppressed records.
    pub(super) fn of(noise: &CellNoise, domain: &CellDomain, suppressed: Option<f64>) -> Self {
        Self {
            cells: domain.len(),
            least_count: noise.threshold(domain.len()),
            expected: noise.expected(domain.len()),
            expected_suppressed: suppressed,
        }
    }

    /// Of several domains together: their sums, and the least count that one of them has.
    pub(super) fn together(self, other: Self) -> Self {
        let plus =
            |a: Expected, b: Expected| Expected { cells: a.cells + b.cells, records: a.records + b.records };
        let (here, there) = (self.expected_suppressed, other.expected_suppressed);
        Self {
            cells: self.cells.saturating_add(other.cells),
            least_count: self.least_count.min(other.least_count),
            expected: plus(self.expected, other.expected),
            expected_suppressed: here.zip(there).map(|(here, there)| here + there),
        }
    }

    /// As `release.json` has it.
    fn told(&self) -> Map<String, Value> {
        let mut told = Map::new();
        if let Some(suppressed) = self.expected_suppressed {
            told.insert("expected-suppressed-of-noise".into(), suppressed.into());
        }
        told.insert("least-count".into(), self.least_count.into());
        told.insert("cells".into(), self.cells.to_string().into());
        told.insert("expected-cells-of-noise".into(), self.expected.cells.into());
        told.insert("expected-records-of-noise".into(), self.expected.records.into());
        told
    }
}

/// A statement with what was spent and left of a budget, and whether only cells with a record can be released.
pub(super) fn paid(statement: Statement, budget: &Budget, noise: &CellNoise) -> Statement {
    statement
        .own("spent", json!(budget.steps()))
        .own("left", json!(budget.left()))
        .own("occupied-cells-only", noise.occupied_only())
}

/// Counts of the original records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OriginalCells {
    /// Cells that have records.
    pub occupied_cells: u64,
    /// Those of them that are released.
    pub released_cells: u64,
    /// Released cells without a record.
    pub false_cells: u64,
    /// Records in released cells.
    pub kept_records: u64,
}

impl OriginalCells {
    /// What became of the records of occupied cells, both lists ascending.
    pub(super) fn of(occupied: &[(u128, u64)], released: &[(u128, u64)]) -> Self {
        let kept = || occupied.iter().filter(|(cell, _)| is_released(released, *cell));
        let released_cells = kept().count() as u64;
        Self {
            occupied_cells: occupied.len() as u64,
            released_cells,
            false_cells: released.len() as u64 - released_cells,
            kept_records: kept().map(|(_, count)| count).sum(),
        }
    }
}

impl std::iter::Sum for OriginalCells {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            occupied_cells: sum.occupied_cells + one.occupied_cells,
            released_cells: sum.released_cells + one.released_cells,
            false_cells: sum.false_cells + one.false_cells,
            kept_records: sum.kept_records + one.kept_records,
        })
    }
}

pub(super) fn is_released(released: &[(u128, u64)], cell: u128) -> bool {
    released.binary_search_by_key(&cell, |released| released.0).is_ok()
}

/// The number that a key of the recipe gives, exactly.
pub(super) fn rational(key: &str, value: f64) -> Result<Rational, Problem> {
    Rational::from_decimal(value).map_err(|error| Problem::of(&[key], format!("{key}: {error}")))
}

/// The budget that a recipe gives.
pub(super) fn total(epsilon: f64, delta: f64) -> Result<Loss, Problem> {
    let total = Loss { epsilon: rational("epsilon", epsilon)?, delta: rational("delta", delta)? };
    let one = Rational::new(1, 1).expect("1 is a rational number");
    if total.epsilon == Rational::ZERO || total.delta >= one {
        let problem = Problem::new(format!("epsilon = {epsilon} and delta = {delta} are no budget"));
        return Err(problem.expected("epsilon above 0 and delta from 0 and below 1"));
    }
    Ok(total)
}

/// Why not even the most general node is allowed.
pub(super) fn unbearable(table: &FrequencyTable, node: &Node, cells: &CellNoise) -> MethodError {
    let wishes = "raise least-count or epsilon, allow higher levels, or ask for delta above 0";
    MethodError::Unfit(match CellDomain::at(table, node) {
        None => Problem::new("the public domain has more than 2^120 combinations of values").mend(wishes),
        Some(domain) => Problem::new(format!(
            "noise alone would make some {:.0} records of the {} combinations of values of the public domain",
            cells.expected(domain.len()).records,
            domain.len()
        ))
        .mend(wishes),
    })
}

/// The decision, and what may be said of it.
pub(super) fn decision(found: NoisyRelease) -> Decision {
    let original = found.original;
    let search = json!({
        "occupied-cells": original.occupied_cells,
        "released-cells": original.released_cells,
        "cells-of-noise-alone": original.false_cells,
        "records-in-released-cells": original.kept_records,
    });
    let mut said = found.stated.told();
    if !found.each.is_empty() {
        let each = found.each.iter().map(|(name, stated)| (name.clone(), Value::Object(stated.told())));
        said.insert(EACH.into(), Value::Object(each.collect()));
    }
    let warnings = warning(&found).into_iter().collect();
    Decision { search, warnings, ..Decision::of_records(found.release, said) }
}

/// Where much of the release is noise, the user should know; what is said is public.
fn warning(found: &NoisyRelease) -> Option<String> {
    let (stated, records) = (found.stated, found.release.records());
    let noise = stated.expected.records + stated.expected_suppressed.unwrap_or(0.0);
    (noise > (records as f64 / 10.0).max(0.5)).then(|| {
        format!(
            "of the {records} released records some {noise:.0} are made by noise alone, on average over such runs; raise \
             least-count or epsilon, or release higher levels"
        )
    })
}

/// What reports say of such a method.
pub(super) const WORDS: &str = "For every combination of generalized values the number of records was counted, random \
     noise was added to each count, and the noisy counts were written out as records.";

/// What holds of its releases.
pub(super) const FACTS: crate::method::Facts = crate::method::Facts {
    records: crate::method::Records::Noisy { counted: "cells", others: &[] },
    private: true,
    persons: false,
    wildcards: false,
    population: false,
    ..crate::method::Facts::SEARCH
};
