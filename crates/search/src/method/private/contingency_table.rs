//! The differentially private contingency table: a noisy count for every combination of values.
//!
//! # Summary
//! The histogram baseline that IPA is compared with (Lee and Chung 2020, Tables 2 and 3), expanded into
//! records. Where the domain is large, most of its records are noise. `docs/methods/contingency-table.md`.
//!
//! # Definition
//! At a given node, each cell (a value of every quasi-identifier and of the sensitive attribute) of the whole
//! public domain gets its count plus two-sided geometric noise of ε. It is released if that reaches T, which
//! is 1 unless asked for otherwise. With δ > 0 only cells with records are looked at, and T is the least
//! integer with P(noise ≥ T − 1) ≤ δ.
//!
//! # Parameters
//! [`ContingencyTableParams`].
//!
//! # Errors
//! [`MethodError::Unfit`] where noise would make more than [`MOST_FALSE_RECORDS`](crate::noisy::MOST_FALSE_RECORDS)
//! records, [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(cells with records + expected released cells).
//!
//! # References
//! Dwork et al. 2006, "Calibrating noise to sensitivity in private data analysis"; Cormode et al. 2012,
//! "Differentially private summaries for sparse data"; Lee and Chung 2020, Tables 2 and 3.
//!
//! # Deviations
//! Noise is in whole numbers, where the papers draw from Laplace's law. Negative counts are released as 0.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use velamen_contract::{Limits, Statement};
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_dp::{Budget, Door, Loss};

use super::doorway::Doorway;
use super::noisy_counts::{
    CountsCells, FACTS, NoisyCounts, NoisyRelease, OriginalCells, StatedNoise, WORDS, paid, total, unbearable,
};
use crate::method::kit::{declared, keys};
use crate::method::{Cost, Entry, KeyError, MethodError, Purpose, Task};
use crate::noisy::{CellDomain, CellNoise, occupied, release};

const NAME: &str = "contingency-table";

/// The method in the registry.
pub(in crate::method) const ENTRY: Entry = Entry {
    name: NAME,
    summary: "A noisy count of every combination of values, expanded into records: a baseline.",
    purpose: Purpose::Baseline,
    alias: None,
    words: |_| WORDS,
    facts: |_| FACTS,
    stated: |_| Vec::new(),
    parse: |keys, task| Ok(Arc::new(ContingencyTable::asked(keys::read(keys)?, task)?)),
    schema: keys::schema::<ContingencyTableKeys>,
    keys: keys::names::<ContingencyTableKeys>,
};

/// The method's keys.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct ContingencyTableKeys {
    /// Whether insensitive columns are dropped; else they are refused.
    drop_insensitive: bool,
    /// The least noisy count that is released; 1 if left out.
    #[schemars(range(min = 1))]
    least_count: Option<u64>,
}

impl ContingencyTable {
    fn asked(keys: ContingencyTableKeys, task: &Task<'_>) -> Result<NoisyCounts<Self>, KeyError> {
        let (epsilon, delta) = declared::noisy(task, NAME, keys.drop_insensitive)?;
        if task.sensitive().count() > 1 {
            return Err(Problem::new("contingency-table releases at most one sensitive attribute")
                .mend("make the others quasi-identifiers with hierarchies")
                .into());
        }
        let params = ContingencyTableParams { epsilon, delta, least_count: keys.least_count.unwrap_or(1) };
        Ok(NoisyCounts {
            method: Self::try_from(params)?,
            drops_insensitive: keys.drop_insensitive,
            doorway: Doorway::default(),
        })
    }
}

impl CountsCells for ContingencyTable {
    fn statement(&self) -> Statement {
        let statement = Statement::named(NAME)
            .own("epsilon", self.params.epsilon)
            .own("delta", self.params.delta)
            .limits(Limits::EVERYTHING);
        paid(statement, &self.budget, &self.cells)
    }

    fn cost(&self) -> Cost {
        Cost::CLASSES
    }

    fn budget(&self) -> Loss {
        self.budget.total()
    }

    fn made(
        &self,
        table: &FrequencyTable,
        task: &Task<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<NoisyRelease, MethodError> {
        self.through(table, &task.lattice(table).bottom(), context, door)
    }
}

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContingencyTableParams {
    /// ε, above 0.
    pub epsilon: f64,
    /// δ, from 0 and below 1.
    pub delta: f64,
    /// T: the least noisy count that is released.
    pub least_count: u64,
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct ContingencyTable {
    cells: CellNoise,
    pub(super) budget: Budget,
    params: ContingencyTableParams,
}

impl TryFrom<ContingencyTableParams> for ContingencyTable {
    type Error = Problem;

    fn try_from(params: ContingencyTableParams) -> Result<Self, Problem> {
        let total = total(params.epsilon, params.delta)?;
        let mut budget = Budget::new(total);
        budget.spend("cells", total).map_err(|error| error.to_string())?;
        let cells = CellNoise::new(total, Some(params.least_count), 1.0)?;
        Ok(Self { cells, budget, params })
    }
}

impl ContingencyTable {
    /// The released records of a table at a node. The values of its sensitive column, if it has one, and
    /// the hierarchies must be the whole public domain; it must have no other column.
    ///
    /// # Errors
    /// [`MethodError::Unfit`] if noise would make too many records, which depends on nothing but what is
    /// public; [`MethodError::Interrupted`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<NoisyRelease, MethodError> {
        self.through(table, node, context, &mut Door::paid_by(self.budget.total()))
    }

    /// As [`Self::plan`], by way of a door.
    pub(in crate::method::private) fn through(
        &self,
        table: &FrequencyTable,
        node: &Node,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<NoisyRelease, MethodError> {
        let domain = CellDomain::at(table, node).filter(|domain| self.cells.bearable(domain.len()));
        let domain = domain.ok_or_else(|| unbearable(table, node, &self.cells))?;
        let occupied = occupied(table, node, &domain)?;
        let released = self.cells.draw((&occupied, domain.len()), context, door)?;
        let original = OriginalCells::of(&occupied, &released);
        let stated = StatedNoise::of(&self.cells, &domain, None);
        let release = release(table, node, &domain, &released, &[]);
        Ok(NoisyRelease { release, stated, each: Vec::new(), original })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ipa::private::tests::{context, table};
    use super::*;

    fn method(epsilon: f64, delta: f64, least_count: u64) -> Result<ContingencyTable, Problem> {
        ContingencyTable::try_from(ContingencyTableParams { epsilon, delta, least_count })
    }

    #[test]
    fn without_much_noise_it_is_the_table() {
        let table = table(&[(3, 0, 0, 4), (3, 0, 1, 1), (7, 1, 2, 9)]);
        let node = Node(vec![0, 0]);
        let found = context(|context| method(50.0, 0.0, 1).unwrap().plan(&table, &node, context).unwrap());
        let counts: Vec<u64> = found.release.rows.iter().map(|row| row.count).collect();
        assert_eq!((counts, found.release.sizes, found.release.suppressed), (vec![4, 1, 9], vec![5, 9], 0));
        assert_eq!((found.stated.cells, found.stated.least_count), (10 * 2 * 3, 1));
        let known = OriginalCells { occupied_cells: 3, released_cells: 3, false_cells: 0, kept_records: 14 };
        assert_eq!(found.original, known);
    }

    #[test]
    fn of_an_empty_table_noise_makes_as_many_records_as_stated() {
        let table = table(&[]);
        let node = Node(vec![0, 0]);
        let method = method(0.5, 0.0, 1).unwrap();
        let stated = context(|context| method.plan(&table, &node, context).unwrap().stated);
        let mut records = 0;
        for seed in 0..2000 {
            let seed = velamen_dp::Seed::from_number(seed);
            records += context(|context| {
                method.plan(&table, &node, &Context { seed: &seed, ..*context }).unwrap().release.records()
            });
        }
        // A cell's records have a standard deviation below 3; P(|Z| > 4.5) = 7e-6, and the seeds are fixed.
        let expected = 2000.0 * stated.expected.records;
        assert!(
            (records as f64 - expected).abs() < 4.5 * 3.0 * (2000.0 * 60.0f64).sqrt(),
            "{records} {expected}"
        );
    }

    #[test]
    fn what_noise_would_drown_is_refused() {
        let table = table(&[(3, 0, 0, 4)]);
        assert!(method(0.0, 0.0, 1).is_err() && method(1.0, 1.0, 1).is_err() && method(1.0, 0.0, 0).is_err());
        // Sixty cells with noise of a thousand each are few; those with delta make none at all.
        for (delta, cells) in [(0.0, 2000.0), (1e-6, 0.0)] {
            let method = method(0.001, delta, 1).unwrap();
            let found = context(|context| method.plan(&table, &Node(vec![0, 0]), context).unwrap());
            assert!(found.stated.expected.records <= 16.0 * cells, "{:?}", found.stated);
        }
    }
}
