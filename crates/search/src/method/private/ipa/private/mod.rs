//! IPA with a guarantee: microdata of noisy counts over the whole public domain.
//!
//! # Summary
//! The release has the shape of the published IPA's: generalized quasi-identifiers, raw sensitive values, and
//! suppressed records as `*`. It is ε- or (ε, δ)-differentially private, where neighbouring tables differ by
//! one record added or removed. Proof and pseudocode: `docs/methods/ipa-private.md`.
//!
//! # Definition
//! 1. A node is drawn by the exponential mechanism with ε_candidates, unless only one is allowed.
//! 2. Each cell (class × sensitive value) of the whole public domain gets its count plus two-sided geometric
//!    noise of ε_insertion; those that reach the threshold T are released with that count.
//! 3. Per sensitive value, the records in cells that are not released are counted, and those that are in no
//!    cell since a quasi-identifier is outside its domain; the count plus noise of ε_suppression, 0 where that
//!    is negative, is released as `*` records.
//!
//! With δ > 0 step 2 looks at occupied cells only, and T is the least integer with P(noise ≥ T − 1) ≤ δ.
//!
//! # Parameters
//! [`IpaParams`].
//!
//! # Errors
//! [`MethodError::Unfit`] where the domain or the lattice is too large, [`MethodError::Interrupted`].
//!
//! # Complexity
//! Time O(nodes · cells with records), then O(cells with records + expected released cells + sensitive
//! values), whatever the size of the domain.
//!
//! # References
//! Lee and Chung 2020, "Informative attribute preserving anonymization"; Cormode et al. 2012,
//! "Differentially private summaries for sparse data"; Korolova et al. 2009, "Releasing search queries and
//! clicks privately"; McSherry and Talwar 2007, "Mechanism design via differential privacy".
//!
//! # Deviations
//! From the published method: its steps 2–5 are replaced, see `docs/methods/ipa-private.md`.

pub(in crate::method) mod entry;
mod score;

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::FrequencyTable;
use velamen_core::lattice::Lattice;
use velamen_core::streams;
use velamen_dp::{Budget, BudgetError, Door, Loss, Rational, Spend};

use crate::method::MethodError;
use crate::method::private::noisy_counts::{
    NoisyRelease, OriginalCells, StatedNoise, is_released, rational, total,
};
use crate::noisy::{CellNoise, MOST_FALSE_RECORDS, Tail, occupied, refuse_undrawable, release};
use score::{Candidate, sensitivity};

/// Larger lattices are refused.
pub const MOST_NODES: u128 = 1 << 16;

/// Parameters as the recipe gives them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IpaParams {
    /// ε, above 0.
    pub epsilon: f64,
    /// δ, from 0 and below 1.
    pub delta: f64,
    /// The share of ε for the choice of the node, from 0 and below 1.
    pub candidates_share: f64,
    /// The share for the counts of cells; left out: what the others leave.
    pub insertion_share: Option<f64>,
    /// The share for the counts of suppressed records, above 0 and below 1.
    pub suppression_share: f64,
    /// τ: records of smaller cells count as lost when nodes are scored; left out: the node's own T.
    pub least_class: Option<u64>,
    /// T: the least noisy count that is released; left out: it follows from `false_cells`, or from δ.
    pub least_count: Option<u64>,
    /// How many cells without a record may be released on average, where T follows from it.
    pub false_cells: f64,
    /// Whether only one node is allowed, so that none is drawn.
    pub node_given: bool,
}

/// The method with checked parameters: what is spent on what.
#[derive(Debug, Clone)]
pub struct Ipa {
    candidates: Rational,
    cells: CellNoise,
    suppression: Rational,
    budget: Budget,
    params: IpaParams,
}

impl TryFrom<IpaParams> for Ipa {
    type Error = Problem;

    fn try_from(params: IpaParams) -> Result<Self, Problem> {
        let total = total(params.epsilon, params.delta)?;
        let part = |name, part| share(total.epsilon, name, part);
        let suppression = part("suppression-share", params.suppression_share)?;
        let candidates = match params.node_given {
            true => Rational::ZERO,
            false => part("candidates-share", params.candidates_share)?,
        };
        let left = total.epsilon.checked_sub(candidates).and_then(|left| left.checked_sub(suppression));
        let insertion = match params.insertion_share {
            Some(asked) => part("insertion-share", asked)?,
            None => left.ok_or_else(|| {
                let problem = "candidates-share and suppression-share leave nothing for insertion-share";
                Problem::of(&["candidates-share", "suppression-share", "insertion-share"], problem)
            })?,
        };
        let insertion = Loss { epsilon: insertion, delta: total.delta };
        let mut budget = Budget::new(total);
        let steps = [
            ("candidates", Loss::pure(candidates)),
            ("insertion", insertion),
            ("suppression", Loss::pure(suppression)),
        ];
        for (step, loss) in steps.into_iter().filter(|(_, loss)| *loss != Loss::NONE) {
            budget.spend(step, loss).map_err(|error| over(&error))?;
        }
        refuse_undrawable(suppression)?;
        let cells = CellNoise::new(insertion, params.least_count, params.false_cells)?;
        if params.least_class.is_some_and(|tau| tau == 0 || tau > u64::from(u32::MAX)) {
            return Err(Problem::of(&["least-class"], "least-class is a number of records, from 1"));
        }
        Ok(Self { candidates, cells, suppression, budget, params })
    }
}

/// Why a step gets no share of the budget.
fn over(error: &BudgetError) -> Problem {
    let problem = Problem::new(error.to_string());
    match error {
        BudgetError::Overspent { .. } => problem.expected("shares of at most 1 together"),
        BudgetError::Inexact { .. } => problem.mend("use fewer digits"),
    }
}

/// A share of ε, exactly.
fn share(epsilon: Rational, name: &str, share: f64) -> Result<Rational, Problem> {
    let whole = Rational::new(1, 1).expect("1 is a rational number");
    let share = rational(name, share)?;
    if share == Rational::ZERO || share >= whole {
        return Err(Problem::of(&[name], format!("{name} is a share of epsilon, above 0 and below 1")));
    }
    let problem = || format!("epsilon and {name} have too many digits together");
    epsilon.checked_mul(share).ok_or_else(|| Problem::of(&[name], problem()))
}

impl Ipa {
    /// What was spent on each step.
    #[must_use]
    pub fn spent(&self) -> &[Spend] {
        self.budget.steps()
    }

    /// What the shares leave of the budget.
    #[must_use]
    pub fn left(&self) -> Loss {
        self.budget.left()
    }

    /// Whether only cells with a record can be released: where δ is above 0.
    #[must_use]
    pub fn occupied_only(&self) -> bool {
        self.cells.occupied_only()
    }

    /// The released records of a table, at a node of a lattice.
    ///
    /// The table must have one sensitive column, or several behind one that stands for them, and no other; its values and the hierarchies must be the
    /// whole public domain, whatever occurs.
    ///
    /// # Errors
    /// [`MethodError::Unfit`] if the lattice or the domain is too large, which depends on nothing but what is
    /// public; [`MethodError::Interrupted`].
    pub fn plan(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
    ) -> Result<NoisyRelease, MethodError> {
        self.through(table, lattice, context, &mut Door::paid_by(self.budget.total()))
    }

    /// As [`Self::plan`], by way of a door.
    pub(in crate::method::private) fn through(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<NoisyRelease, MethodError> {
        let values = table.rest.len as u128;
        let expected_suppressed = Tail::new(self.suppression).expected_at_zero(values);
        if expected_suppressed > MOST_FALSE_RECORDS {
            return Err(MethodError::Unfit(
                Problem::new(format!(
                    "the sensitive attribute has {values} values, each of which gets noise"
                ))
                .mend("raise suppression-share or epsilon, or declare fewer values"),
            ));
        }
        let Candidate { node, domain, .. } = self.node(table, lattice, context, door)?;
        let occupied = occupied(table, &node, &domain)?;
        context.check()?;
        let released = self.cells.draw((&occupied, domain.len()), context, door)?;
        let mut hidden = hidden(&occupied, &released, table.rest.len);
        // In no cell at any node: lost everywhere alike, so that no score has to count them.
        hidden.iter_mut().zip(&table.strays.outside).for_each(|(hidden, outside)| *hidden += outside);
        let suppressed = self.suppressed(&hidden, context, door)?;
        let stated = StatedNoise {
            cells: domain.len(),
            least_count: self.cells.threshold(domain.len()),
            expected: self.cells.expected(domain.len()),
            expected_suppressed: Some(expected_suppressed),
        };
        Ok(NoisyRelease {
            release: release(table, &node, &domain, &released, &suppressed),
            stated,
            original: OriginalCells::of(&occupied, &released),
        })
    }

    /// The node that is released: drawn, unless there is one only.
    fn node(
        &self,
        table: &FrequencyTable,
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Candidate, MethodError> {
        let mut candidates = score::candidates(table, lattice, &self.cells, self.params.least_class)?;
        if self.candidates == Rational::ZERO {
            return Ok(candidates.swap_remove(0));
        }
        let scores = score::scores(table, &candidates, context)?;
        let mut stream = context.seed.stream(streams::IPA_CANDIDATES);
        let law = (sensitivity(&candidates), self.candidates);
        let chosen = door.pick("candidates", &scores, law, &mut stream)?;
        Ok(candidates.swap_remove(chosen))
    }

    /// The noisy counts of suppressed records, per sensitive value.
    fn suppressed(
        &self,
        hidden: &[u64],
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Vec<u64>, MethodError> {
        let mut stream = context.seed.stream(streams::IPA_SUPPRESSION);
        let noisy = door.counts("suppression", hidden, self.suppression, &mut stream)?;
        Ok(noisy.into_iter().map(|count| count.max(0) as u64).collect())
    }
}

/// Per sensitive value, the records in cells that are not released.
fn hidden(occupied: &[(u128, u64)], released: &[(u128, u64)], values: usize) -> Vec<u64> {
    let mut hidden = vec![0; values];
    for &(cell, count) in occupied.iter().filter(|(cell, _)| !is_released(released, *cell)) {
        // The sensitive value counts fastest in the number of a cell.
        hidden[(cell % values as u128) as usize] += count;
    }
    hidden
}

#[cfg(test)]
pub(in crate::method) mod tests;
