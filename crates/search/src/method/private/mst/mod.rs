//! MST: invented records that follow noisy counts of every attribute and of a tree of pairs.
//!
//! # Summary
//! The release is (ε, δ)-differentially private, where neighbouring tables differ by one record added or removed. Proof and
//! pseudocode: `docs/methods/mst.md`.
//!
//! # Definition
//! Half of ρ goes to noisy counts of each attribute, a tenth to d − 1 choices of pairs that close no circle, the rest to noisy
//! counts of the chosen pairs. The distribution of the least weighted squares and relative entropy
//! ([`velamen_marginals::Fit`]) follows them; records are drawn from it.
//!
//! # Parameters
//! [`InventedParams`].
//!
//! # Errors
//! [`MethodError::Unfit`] where noise alone would make more than 2²⁴ records, or one attribute has too many values;
//! [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(distinct records · attributes² + sweeps · cells), memory O(cells + records · attributes).
//!
//! # References
//! McKenna, Miklau and Sheldon 2021, "Winning the NIST contest: a scalable and general approach to differentially private
//! synthetic data".
//!
//! # Deviations
//! `docs/methods/mst.md` lists them: shares of the budget by the number of values, scores less the noise to be expected,
//! choices that may be of nothing, whole-number noise.

pub(in crate::method) mod entry;

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::streams;
use velamen_dp::{Door, Gaussian, Spend, Zcdp};
use velamen_marginals::{Fit, Model, Set, cells};

use super::invented::Zeros;
use super::invented::asked::InventedRelease;
use super::invented::codes::{Codes, Levels, release};
pub use super::invented::measuring::InventedParams;
use super::invented::measuring::{Bought, Measuring, law, noise_expected, records, score, too_small};
use crate::method::MethodError;

/// Sweeps of the first fit at most, and the share of a table below whose moves it ends.
const SWEEPS: (usize, f64) = (200, 1e-4);
/// The same of the last fit, which the checker compares with its own.
const LAST_SWEEPS: (usize, f64) = (1000, 1e-6);

/// The tenths of ρ that noisy counts of attributes, choices, and noisy counts of pairs are given.
const TENTHS: (u128, u128, u128) = (5, 1, 4);

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Mst(Bought);

impl TryFrom<InventedParams> for Mst {
    type Error = Problem;

    fn try_from(params: InventedParams) -> Result<Self, Problem> {
        Bought::try_from(params).map(Self)
    }
}

impl Mst {
    /// What was spent: all on measurements.
    #[must_use]
    pub fn spent(&self) -> &[Spend] {
        self.0.spent()
    }

    /// ρ, as bought by (ε, δ).
    #[must_use]
    pub fn rho(&self) -> Zcdp {
        self.0.rho
    }

    /// The invented records of a table at a node. Its hierarchies must be the whole public domain; it must have no column
    /// beside the quasi-identifiers.
    ///
    /// # Errors
    /// As the [module](self) says; none depends on a record.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<InventedRelease, MethodError> {
        self.invented(table, Levels::of(node), context, &mut self.0.door(context))
    }

    /// As [`Self::plan`], by way of a door: nothing else of the table's counts is looked at.
    pub(in crate::method::private) fn invented(
        &self,
        table: &FrequencyTable,
        levels: Levels<'_>,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<InventedRelease, MethodError> {
        let codes = Codes::of(table, levels.counted);
        // Before anything is looked at, so that no answer decides whether this refuses.
        self.refuse_unbearable(&codes.sizes)?;
        let laws = self.0.laws(self.tenths(TENTHS.0, 1), &codes.sizes)?;
        let again = |tenths| self.0.shared(self.tenths(tenths, 1), &codes.sizes);
        let (again, with_choices) = (again(TENTHS.2)?, again(TENTHS.1 + TENTHS.2)?);
        let mut measuring = Measuring::new(context, door, self.0.params);
        context.progress.step("measuring", 0, 3);
        let (codes, mut fit) = measuring.alone(codes, &laws, levels.zeros)?;
        let independent = measuring.fitted(&mut fit, SWEEPS)?;
        context.progress.step("measuring", 1, 3);
        let pairs = self.pairs(&codes, &independent, (&fit, levels.zeros), &mut measuring)?;
        context.progress.step("measuring", 2, 3);
        match pairs {
            None => fit = measuring.alone_again(&with_choices, levels.zeros)?,
            Some(pairs) if pairs.is_empty() => fit = measuring.alone_again(&again, levels.zeros)?,
            Some(pairs) => self.tables(&codes, pairs, &mut fit, &mut measuring)?,
        }
        drop(codes);
        let model = measuring.fitted(&mut fit, LAST_SWEEPS)?;
        let drawn = measuring.drawn;
        let mut stream = context.seed.stream(streams::INVENTED_RECORDS);
        let columns = records(&model, fit.estimate(), &drawn, &mut stream, context)?;
        let measurements = drawn.stated(table, levels, (self.rho(), self.records_per_person()));
        Ok(InventedRelease { release: release(table, levels, columns, &mut stream, context)?, measurements })
    }

    /// Refuses what is too little for attributes of so many values.
    fn refuse_unbearable(&self, sizes: &[usize]) -> Result<(), MethodError> {
        self.0.laws(self.tenths(TENTHS.0, 1), sizes)?;
        self.0.shared(self.tenths(TENTHS.2, 1), sizes)?;
        let draws = sizes.len().saturating_sub(1);
        if draws == 0 {
            return Ok(());
        }
        let law = law(self.tenths(TENTHS.2, draws), self.records_per_person());
        law.zip(self.tenths(TENTHS.1, draws).choice()).map(drop).ok_or_else(too_small)
    }

    fn records_per_person(&self) -> u64 {
        self.0.params.records_per_person
    }

    /// So many tenths of ρ, parted alike.
    fn tenths(&self, tenths: u128, parts: usize) -> Zcdp {
        self.rho().share(tenths, 10 * parts as u128).unwrap_or_default()
    }

    /// M2 and M3: d − 1 draws among pairs that close no circle, and nothing; `None` where no pair can be worth its noise, so that no draw
    /// is paid for.
    fn pairs(
        &self,
        codes: &Codes,
        independent: &Model,
        (fit, zeros): (&Fit, &Zeros),
        measuring: &mut Measuring<'_>,
    ) -> Result<Option<Vec<Set>>, MethodError> {
        let attributes = codes.sizes.len();
        let draws = attributes.saturating_sub(1);
        if draws == 0 {
            return Ok(None);
        }
        let law = law(self.tenths(TENTHS.2, draws), self.records_per_person());
        let (Some(law), Some(epsilon)) = (law, self.tenths(TENTHS.1, draws).choice()) else {
            return Err(too_small());
        };
        if !self.can_be_worth(&codes.sizes, fit.total(), law) {
            return Ok(None);
        }
        let across = if zeros.is_empty() { Vec::new() } else { across(independent) };
        let scored = scores(codes, independent, &across, (fit.total(), law), self.0.params.model_cells);
        measuring.context.check()?;
        let mut part: Vec<usize> = (0..attributes).collect();
        let mut pairs: Vec<Set> = Vec::new();
        for _ in 0..draws {
            let open = scored.iter().filter(|(pair, _)| part[pair[0]] != part[pair[1]]);
            // Without zeros the tables are those of the pairs alone.
            let open = open.filter(|(pair, _)| zeros.is_empty() || self.fits(fit, &pairs, pair));
            let open: Vec<(&Set, i64)> = open.map(|(pair, score)| (pair, *score)).collect();
            if let Some(pair) = measuring.choose(&open, (true, 1), epsilon)? {
                let (from, to) = (part[pair[1]], part[pair[0]]);
                part.iter_mut().filter(|part| **part == from).for_each(|part| *part = to);
                pairs.push(pair);
            }
        }
        Ok(Some(pairs))
    }

    /// Whether a pair's counts can differ from what is expected of them by more than their noise: two distributions of so many records
    /// differ by twice their number at most. Follows from the domains and from counts that are noisy already.
    fn can_be_worth(&self, sizes: &[usize], total: f64, law: Gaussian) -> bool {
        let pairs = (0..sizes.len()).flat_map(|a| (a + 1..sizes.len()).map(move |b| (sizes[a], sizes[b])));
        let mut cells = pairs.filter(|(a, b)| a.min(b) > &1).map(|(a, b)| a as u64 * b as u64);
        cells.any(|cells| {
            cells <= self.0.params.model_cells && noise_expected(cells as usize, law) < 2.0 * total
        })
    }

    /// Whether the tree with one more pair is within the model's cells.
    fn fits(&self, fit: &Fit, pairs: &[Set], pair: &Set) -> bool {
        let more: Vec<Set> = pairs.iter().chain([pair]).cloned().collect();
        fit.cells_with(&more) <= self.0.params.model_cells as f64
    }

    /// M4: noisy counts of the pairs.
    fn tables(
        &self,
        codes: &Codes,
        pairs: Vec<Set>,
        fit: &mut Fit,
        measuring: &mut Measuring<'_>,
    ) -> Result<(), MethodError> {
        let law = law(self.tenths(TENTHS.2, pairs.len()), self.records_per_person()).ok_or_else(too_small)?;
        pairs.into_iter().try_for_each(|pair| {
            let counts = codes.counts(&pair);
            measuring.table(pair, &counts, law, fit)
        })
    }
}

/// The model's counts of each pair.
fn across(model: &Model) -> Vec<Vec<Vec<f64>>> {
    (0..model.sizes().len()).into_par_iter().map(|attribute| model.pairs(attribute)).collect()
}

/// M2: what noisy counts of each pair would show beyond independence, less the noise to be expected. Where combinations are
/// impossible, `across` has the model's counts of pairs.
fn scores(
    codes: &Codes,
    independent: &Model,
    across: &[Vec<Vec<f64>>],
    (total, law): (f64, Gaussian),
    most_cells: u64,
) -> Vec<(Set, i64)> {
    let attributes = codes.sizes.len();
    let alone: Vec<Vec<f64>> =
        (0..attributes).filter_map(|attribute| independent.marginal(&vec![attribute])).collect();
    let pairs: Vec<Set> = (0..attributes)
        .flat_map(|a| (a + 1..attributes).map(move |b| vec![a, b]))
        .filter(|pair| cells(pair, &codes.sizes) <= most_cells.into())
        .collect();
    let scored = pairs.into_par_iter().map(|pair| {
        let counts = codes.counts(&pair);
        let of_pair = match across.get(pair[0]) {
            Some(pairs) => score(&counts, pairs[pair[1]].iter().copied(), law),
            None => score(&counts, products(&alone[pair[0]], &alone[pair[1]], total), law),
        };
        (pair, of_pair)
    });
    scored.collect()
}

/// What independence expects of each combination of values.
fn products(rows: &[f64], columns: &[f64], total: f64) -> impl Iterator<Item = f64> {
    rows.iter().flat_map(move |row| columns.iter().map(move |column| row * column / total))
}

#[cfg(test)]
pub(in crate::method::private) mod tests;
