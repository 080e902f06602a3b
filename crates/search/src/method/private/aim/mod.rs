//! AIM: invented records that follow noisy counts of pairs that are chosen one after the other.
//!
//! # Summary
//! The release is (ε, δ)-differentially private, where neighbouring tables differ by one record added or removed. Proof and
//! pseudocode: `docs/methods/aim.md`.
//!
//! # Definition
//! A fifth of ρ goes to noisy counts of each attribute, half of it where ρ is small. A private choice says whether pairs differ from
//! independence by more than their noise; if not, all that is left goes to each attribute once more. If so, round by round, the pair
//! (or attribute) is chosen privately of which the model is farthest from the table beyond noise, weighted by how much of the
//! workload it serves; it is measured, and the model follows. Where a measurement showed nothing new, noise is halved.
//!
//! # Parameters
//! [`AimParams`].
//!
//! # Errors
//! As of [`mst`](super::mst).
//!
//! # Complexity
//! A round takes O(distinct records of new pairs + sweeps · cells + attributes² · cells of a pair); there are at most some
//! 16 · attributes rounds.
//!
//! # References
//! McKenna, Mullins, Sheldon and Miklau 2022, "AIM: an adaptive and iterative mechanism for differentially private synthetic data".
//!
//! # Deviations
//! `docs/methods/aim.md` lists them.

pub(in crate::method) mod entry;
mod worth;

use std::collections::BTreeMap;

use rayon::prelude::*;
use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Node;
use velamen_core::streams;
use velamen_dp::{Door, Gaussian, Rational, Spend, Zcdp};
use velamen_marginals::{Fit, Grown, Model, Set, cells, cliques};

use super::invented::asked::InventedRelease;
use super::invented::codes::{Codes, Levels, release};
pub use super::invented::measuring::InventedParams;
use super::invented::measuring::{Bought, Measuring, law, noise_expected, records, score, too_small};
use super::invented::stated::Drawn;
use crate::method::MethodError;

/// The share of ρ that noisy counts of each attribute are given.
const ALONE: (u128, u128) = (1, 5);
/// The same where ρ for one record is less than that: there noise of attributes is most of the error.
const ALONE_OF_LITTLE: ((u128, u128), f64) = ((1, 2), 0.005);
/// What both and the choice leave of ρ at least.
const LEFT: (u128, u128) = (12, 25);
/// Rounds for each attribute, as the budget is shared at first.
const ROUNDS: u128 = 16;
/// Sweeps of a round's fit at most, and the share of a table below whose moves it ends.
const SWEEPS: (usize, f64) = (30, 1e-3);
/// The same of the last fit, which the checker compares with its own.
const LAST_SWEEPS: (usize, f64) = (1000, 1e-6);

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AimParams {
    /// ε, δ, and the most cells of the model.
    pub invented: InventedParams,
    /// The most cells of a pair that is measured.
    pub max_cells: u64,
}

/// The method with checked parameters.
#[derive(Debug, Clone)]
pub struct Aim {
    bought: Bought,
    max_cells: u64,
}

impl TryFrom<AimParams> for Aim {
    type Error = Problem;

    fn try_from(params: AimParams) -> Result<Self, Problem> {
        if params.max_cells == 0 {
            return Err(Problem::of(&["max-cells"], "max-cells is a number of cells, from 1"));
        }
        Ok(Self { bought: Bought::try_from(params.invented)?, max_cells: params.max_cells })
    }
}

impl Aim {
    /// What was spent: all on measurements.
    #[must_use]
    pub fn spent(&self) -> &[Spend] {
        self.bought.spent()
    }

    /// ρ, as bought by (ε, δ).
    #[must_use]
    pub fn rho(&self) -> Zcdp {
        self.bought.rho
    }

    /// The invented records of a table at a node, and all that was drawn on the table. Its hierarchies must be the whole public
    /// domain; it must have no column beside the quasi-identifiers.
    ///
    /// # Errors
    /// As the [module](self) says; none depends on a record.
    pub fn plan(
        &self,
        table: &FrequencyTable,
        node: &Node,
        context: &Context<'_>,
    ) -> Result<InventedRelease, MethodError> {
        self.invented(table, Levels::of(node), context, &mut self.bought.door(context))
    }

    /// What noisy counts of each attribute are given.
    fn alone(&self) -> Zcdp {
        let (half, little) = ALONE_OF_LITTLE;
        let most = self.bought.params.records_per_person as f64;
        let (part, whole) = if self.bought.rho.to_f64() < little * most * most { half } else { ALONE };
        self.bought.rho.share(part, whole).unwrap_or_default()
    }

    /// Refuses what is too little for attributes of so many values.
    fn refuse_unbearable(&self, sizes: &[usize]) -> Result<(), MethodError> {
        self.bought.laws(self.alone(), sizes)?;
        let ask = worth::share(self.bought.rho);
        // So much is left at least, and no round gets less of it than its first share.
        let rest = self.bought.rho.share(LEFT.0, LEFT.1).ok_or_else(too_small)?;
        self.bought.shared(rest, sizes)?;
        let round = rest.share(1, ROUNDS * sizes.len() as u128).and_then(Shares::of);
        let laws = round.and_then(|round| round.laws(self.bought.params.records_per_person));
        laws.zip(ask.and_then(Zcdp::choice)).map(drop).ok_or_else(too_small)
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
        // A1.
        let laws = self.bought.laws(self.alone(), &codes.sizes)?;
        let mut measuring = Measuring::new(context, door, self.bought.params);
        let (codes, fit) = measuring.alone(codes, &laws, levels.zeros)?;
        let mut rounds = Rounds::new(self, measuring, codes, fit)?;
        let (model, estimated, drawn) = match rounds.are_worth()? {
            true => rounds.run()?,
            false => rounds.alone_again(levels.zeros)?,
        };
        let mut stream = context.seed.stream(streams::INVENTED_RECORDS);
        let columns = records(&model, estimated, &drawn, &mut stream, context)?;
        let measurements =
            drawn.stated(table, levels, (self.bought.rho, self.bought.params.records_per_person));
        Ok(InventedRelease { release: release(table, levels, columns, &mut stream, context)?, measurements })
    }
}

/// What a round may spend on its choice and on its measurement.
#[derive(Debug, Clone, Copy)]
struct Shares {
    choice: Zcdp,
    noise: Zcdp,
}

impl Shares {
    /// Of a budget: a tenth for the choice.
    fn of(budget: Zcdp) -> Option<Self> {
        Some(Self { choice: budget.share(1, 10)?, noise: budget.share(9, 10)? })
    }

    /// A6: half the noise, twice the ε.
    fn halved_noise(self) -> Option<Self> {
        Some(Self { choice: self.choice.share(4, 1)?, noise: self.noise.share(4, 1)? })
    }

    fn both(self) -> Option<Zcdp> {
        self.choice.plus(self.noise)
    }

    fn laws(self, sensitivity: u64) -> Option<(Rational, Gaussian)> {
        Some((self.choice.choice()?, law(self.noise, sensitivity)?))
    }
}

/// The rounds of a run.
struct Rounds<'a> {
    method: &'a Aim,
    measuring: Measuring<'a>,
    /// The number of values of each attribute.
    sizes: Vec<usize>,
    fit: Fit,
    /// What may be measured, and how much of the workload it serves.
    weights: BTreeMap<Set, u64>,
    /// The table's counts of each of these.
    counts: BTreeMap<Set, Vec<i64>>,
}

impl<'a> Rounds<'a> {
    fn new(method: &'a Aim, measuring: Measuring<'a>, codes: Codes, fit: Fit) -> Result<Self, MethodError> {
        let weights = weights(&codes.sizes, method.max_cells);
        measuring.context.check()?;
        let counted = weights.par_iter().map(|(set, _)| (set.clone(), codes.counts(set)));
        let counts = counted.collect::<Vec<_>>().into_iter().collect();
        Ok(Self { method, measuring, sizes: codes.sizes, fit, weights, counts })
    }

    /// A3 to A6: rounds until the budget is used up.
    fn run(mut self) -> Result<(Model, f64, Drawn), MethodError> {
        let rounds = ROUNDS * self.sizes.len() as u128;
        let first = self.measuring.door.left().share(1, rounds).and_then(Shares::of);
        let mut shares = first.ok_or_else(too_small)?;
        let mut model = self.measuring.fitted(&mut self.fit, SWEEPS)?;
        loop {
            let left = self.measuring.door.left();
            let two = shares.both().and_then(|both| both.share(2, 1)).ok_or_else(too_small)?;
            let is_last = left < two;
            if is_last {
                shares = Shares::of(left).ok_or_else(too_small)?;
            }
            let spent = self.spent_after(shares);
            self.measuring.context.progress.step("measuring", (spent * 1000.0) as u64, 1000);
            let (next, is_new) = self.round(&model, shares, spent)?;
            model = next;
            if is_last {
                break;
            }
            if !is_new {
                shares = shares.halved_noise().ok_or_else(too_small)?;
            }
        }
        let model = self.measuring.fitted(&mut self.fit, LAST_SWEEPS)?;
        Ok((model, self.fit.estimate(), self.measuring.drawn))
    }

    /// The share of ρ that is spent once a round is over.
    fn spent_after(&self, shares: Shares) -> f64 {
        let left = self.measuring.door.left().to_f64() - shares.both().map_or(0.0, Zcdp::to_f64);
        (1.0 - left / self.method.bought.rho.to_f64()).clamp(0.0, 1.0)
    }

    /// A4 and A5: a choice, a measurement, a fit; whether the model moved more than noise explains.
    fn round(&mut self, model: &Model, shares: Shares, spent: f64) -> Result<(Model, bool), MethodError> {
        let (epsilon, law) =
            shares.laws(self.method.bought.params.records_per_person).ok_or_else(too_small)?;
        let candidates = self.candidates(spent)?;
        let expected = expected(model, &candidates);
        let scored: Vec<(&Set, i64)> = candidates
            .iter()
            .map(|set| {
                let weight = i64::try_from(self.weights[set]).unwrap_or(i64::MAX);
                let of_set = score(&self.counts[set], expected[set].iter().copied(), law);
                (set, of_set.saturating_mul(weight))
            })
            .collect();
        let weight = candidates.iter().map(|set| self.weights[set]).max().unwrap_or(1);
        let chosen = self.measuring.choose(&scored, (false, weight), epsilon)?;
        // Every attribute by itself is always a candidate.
        let set = chosen.unwrap_or_else(|| vec![0]);
        self.measuring.table(set.clone(), &self.counts[&set], law, &mut self.fit)?;
        let next = self.measuring.fitted(&mut self.fit, SWEEPS)?;
        let now = next.marginal(&set).unwrap_or_default();
        let moved: f64 = expected[&set].iter().zip(&now).map(|(old, new)| (old - new).abs()).sum();
        let is_new = moved > noise_expected(now.len(), law);
        Ok((next, is_new))
    }

    /// A4: sets of the workload that are in a clique already, or whose tree is small enough for what is spent.
    fn candidates(&self, spent: f64) -> Result<Vec<Set>, MethodError> {
        let limit = self.method.bought.params.model_cells as f64 * spent;
        let sets = self.fit.sets();
        let there = cliques(&sets, &self.sizes);
        let is_there = |set: &Set| there.iter().any(|clique| set.iter().all(|a| clique.contains(a)));
        let all: Vec<&Set> = self.weights.keys().collect();
        let (grown, context) = (Grown::of(&sets, &self.sizes), self.measuring.context);
        let fits = |set: &Set| is_there(set) || grown.cells_with(set) <= limit;
        // Of many attributes it takes a while.
        let kept = all.par_iter().map(|set| context.check().map(|()| fits(set)));
        let kept = kept.collect::<Result<Vec<bool>, _>>()?;
        Ok(all.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(set, _)| set.clone()).collect())
    }
}

/// The model's counts of each candidate.
fn expected(model: &Model, candidates: &[Set]) -> BTreeMap<Set, Vec<f64>> {
    let mut across: Vec<Vec<Vec<f64>>> =
        (0..model.sizes().len()).into_par_iter().map(|attribute| model.pairs(attribute)).collect();
    let counts = candidates.iter().map(|set| match set[..] {
        [a, b] => (set.clone(), std::mem::take(&mut across[a][b])),
        _ => (set.clone(), model.marginal(set).unwrap_or_default()),
    });
    counts.collect()
}

/// What may be measured: pairs of at most so many cells, and every attribute; each with the sum over the workload of how many
/// attributes it shares. The workload is those pairs, and the attributes of none.
fn weights(sizes: &[usize], max_cells: u64) -> BTreeMap<Set, u64> {
    let pairs = (0..sizes.len()).flat_map(|a| (a + 1..sizes.len()).map(move |b| vec![a, b]));
    let pairs: Vec<Set> = pairs.filter(|pair| cells(pair, sizes) <= max_cells.into()).collect();
    let lonely = (0..sizes.len()).filter(|a| !pairs.iter().any(|pair| pair.contains(a)));
    let workload: Vec<Set> = lonely.map(|a| vec![a]).chain(pairs.iter().cloned()).collect();
    let alone = (0..sizes.len()).map(|a| vec![a]);
    let mut wanted = vec![0u64; sizes.len()];
    workload.iter().flatten().for_each(|&a| wanted[a] += 1);
    let served = |set: &Set| set.iter().map(|&a| wanted[a]).sum();
    alone.chain(pairs.iter().cloned()).map(|set| (set.clone(), served(&set))).collect()
}

#[cfg(test)]
mod tests;
