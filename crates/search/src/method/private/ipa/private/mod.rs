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
//! Several sensitive attributes are one, whose values are the combinations of theirs ([`Ipa::try_from`]), or are counted each by
//! itself with a share of ε_insertion, δ and ε_suppression, at one node ([`Ipa::each`]): then the score is the sum of those of
//! each attribute, Δ the sum of theirs, and `assembled` makes records of the counts.
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

mod assembled;
pub(in crate::method) mod entry;
mod score;

use velamen_core::context::Context;
use velamen_core::error::Problem;
use velamen_core::frequency::{FrequencyTable, RestColumn};
use velamen_core::lattice::{Lattice, Node};
use velamen_core::streams;
use velamen_dp::{Budget, BudgetError, Door, Loss, Rational};

use crate::method::MethodError;
use crate::method::kit::each;
use crate::method::kit::informative::{SHARES, Share};
use crate::method::private::noisy_counts::{
    NoisyRelease, OriginalCells, StatedNoise, is_released, rational, total,
};
use crate::noisy::{CellNoise, MOST_FALSE_RECORDS, Tail, occupied, refuse_undrawable, release};
use assembled::{Counted, assembled};
use score::{Candidate, CandidatePart, sensitivity};

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
    /// The only one where sensitive attributes are counted jointly, else one for each.
    parts: Vec<Part>,
    pub(in crate::method::private) budget: Budget,
    params: IpaParams,
}

/// The noise of what is counted together.
#[derive(Debug, Clone)]
struct Part {
    /// The sensitive attribute, where each is counted by itself.
    attribute: Option<String>,
    cells: CellNoise,
    /// ε of the suppressed records.
    suppression: Rational,
}

/// What the steps get of ε.
struct Split {
    total: Loss,
    candidates: Rational,
    insertion: Loss,
    suppression: Rational,
}

impl TryFrom<IpaParams> for Ipa {
    type Error = Problem;

    fn try_from(params: IpaParams) -> Result<Self, Problem> {
        Self::each(params, &[])
    }
}

impl Split {
    fn of(params: &IpaParams) -> Result<Self, Problem> {
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
        Ok(Self { total, candidates, insertion, suppression })
    }

    /// What one attribute gets of the noise on counts and on suppressed records; all, where none is named.
    fn of_part(&self, share: Option<&Share>) -> Result<(Loss, Rational), Problem> {
        let Some((name, share)) = share else { return Ok((self.insertion, self.suppression)) };
        let of = |whole: Rational| whole.checked_mul(*share).ok_or_else(|| too_many_digits(name));
        let insertion = Loss { epsilon: of(self.insertion.epsilon)?, delta: of(self.insertion.delta)? };
        Ok((insertion, of(self.suppression)?))
    }
}

impl Ipa {
    /// The method that counts each sensitive attribute by itself, with that share of the noise's budget; with no share all are
    /// counted jointly.
    ///
    /// # Errors
    /// A [`Problem`] of a parameter.
    pub fn each(params: IpaParams, shares: &[Share]) -> Result<Self, Problem> {
        let split = Split::of(&params)?;
        let mut budget = Budget::new(split.total);
        spend(&mut budget, "candidates", Loss::pure(split.candidates))?;
        let wanted: Vec<Option<&Share>> =
            if shares.is_empty() { vec![None] } else { shares.iter().map(Some).collect() };
        let mut parts = Vec::new();
        for share in wanted {
            let attribute = share.map(|(name, _)| name.clone());
            let (insertion, suppression) = split.of_part(share)?;
            spend(&mut budget, &step("insertion", attribute.as_deref()), insertion)?;
            let cells = CellNoise::new(insertion, params.least_count, params.false_cells)?;
            parts.push(Part { attribute, cells, suppression });
        }
        for part in &parts {
            let step = step("suppression", part.attribute.as_deref());
            spend(&mut budget, &step, Loss::pure(part.suppression))?;
            refuse_undrawable(part.suppression)?;
        }
        if params.least_class.is_some_and(|tau| tau == 0 || tau > u64::from(u32::MAX)) {
            return Err(Problem::of(&["least-class"], "least-class is a number of records, from 1"));
        }
        Ok(Self { candidates: split.candidates, parts, budget, params })
    }
}

/// Takes a loss that is one from the budget.
fn spend(budget: &mut Budget, step: &str, loss: Loss) -> Result<(), Problem> {
    if loss == Loss::NONE { Ok(()) } else { budget.spend(step, loss).map_err(|error| over(&error)) }
}

fn too_many_digits(name: &str) -> Problem {
    let problem = format!("epsilon, delta and the share of `{name}` have too many digits together");
    Problem::of(&[SHARES], problem)
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
    /// The released records of a table, at a node of a lattice.
    ///
    /// The table must have one sensitive column, or several behind one that stands for them, or those that are counted each by
    /// itself, and no other; their values and the hierarchies must be the whole public domain, whatever occurs.
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
        let parts = self.parts_of(table);
        let apart: Vec<FrequencyTable> = parts.iter().filter_map(|part| part.alone(table)).collect();
        let tables: Vec<&FrequencyTable> =
            if apart.is_empty() { vec![table] } else { apart.iter().collect() };
        let suppressed = expected_suppressed(&parts, &tables)?;
        let Candidate { node, parts: of_node } = self.node(&parts, &tables, lattice, context, door)?;
        let (mut counted, mut stated, mut original) = (Vec::new(), Vec::new(), Vec::new());
        for (number, ((part, of), table)) in parts.iter().zip(of_node).zip(&tables).enumerate() {
            stated.push(StatedNoise::of(&part.cells, &of.domain, Some(suppressed[number])));
            // The only part has the run's own streams.
            let seed = context.seed.derived(number as u64);
            let seed = if self.counts_each() { &seed } else { context.seed };
            let (found, cells) = part.counted(table, &node, of, (&Context { seed, ..*context }, door))?;
            counted.push(found);
            original.push(cells);
        }
        let release = match &counted[..] {
            [one] if !self.counts_each() => release(table, &node, &one.domain, &one.cells, &one.suppressed),
            each => {
                let columns: Vec<&RestColumn> = tables.iter().map(|table| &table.rest.columns[0]).collect();
                assembled((table, &columns), &node, each, context)?
            }
        };
        let names = parts.iter().filter_map(|part| part.attribute.clone());
        let each = names.zip(stated.iter().copied()).collect();
        let together = stated.into_iter().reduce(StatedNoise::together);
        let stated = together.expect("something is counted");
        Ok(NoisyRelease { release, stated, each, original: original.into_iter().sum() })
    }

    /// Whether each sensitive attribute is counted by itself.
    fn counts_each(&self) -> bool {
        self.parts.iter().any(|part| part.attribute.is_some())
    }

    /// What is counted, in the order of the table's columns.
    fn parts_of(&self, table: &FrequencyTable) -> Vec<&Part> {
        let mut parts: Vec<&Part> = self.parts.iter().collect();
        parts.sort_by_key(|part| part.attribute.as_ref().map(|name| table.rest.position(name)));
        parts
    }

    /// The node that is released: drawn, unless there is one only.
    fn node(
        &self,
        parts: &[&Part],
        tables: &[&FrequencyTable],
        lattice: &Lattice,
        context: &Context<'_>,
        door: &mut Door,
    ) -> Result<Candidate, MethodError> {
        let cells: Vec<&CellNoise> = parts.iter().map(|part| &part.cells).collect();
        let mut candidates = score::candidates(tables, lattice, &cells, self.params.least_class)?;
        if self.candidates == Rational::ZERO {
            return Ok(candidates.swap_remove(0));
        }
        let scores = score::scores(tables, &candidates, context)?;
        let mut stream = context.seed.stream(streams::IPA_CANDIDATES);
        let law = (sensitivity(&candidates), self.candidates);
        let chosen = door.pick("candidates", &scores, law, &mut stream)?;
        Ok(candidates.swap_remove(chosen))
    }
}

impl Part {
    /// The table of its attribute alone.
    fn alone(&self, table: &FrequencyTable) -> Option<FrequencyTable> {
        Some(each::alone(table, table.rest.position(self.attribute.as_ref()?)?))
    }

    /// The noisy counts of a table at a node, and what only the custodian may know.
    fn counted(
        &self,
        table: &FrequencyTable,
        node: &Node,
        CandidatePart { domain, .. }: CandidatePart,
        (context, door): (&Context<'_>, &mut Door),
    ) -> Result<(Counted, OriginalCells), MethodError> {
        let occupied = occupied(table, node, &domain)?;
        context.check()?;
        let cells = self.cells.draw((&occupied, domain.len()), context, door)?;
        let mut hidden = hidden(&occupied, &cells, table.rest.len);
        // In no cell at any node: lost everywhere alike, so that no score has to count them.
        hidden.iter_mut().zip(&table.strays.outside).for_each(|(hidden, outside)| *hidden += outside);
        let suppressed = self.suppressed(&hidden, context, door)?;
        let original = OriginalCells::of(&occupied, &cells);
        Ok((Counted { domain, cells, suppressed }, original))
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

/// The suppressed records that noise alone makes, of each counted table.
fn expected_suppressed(parts: &[&Part], tables: &[&FrequencyTable]) -> Result<Vec<f64>, MethodError> {
    let of = |(part, table): (&&Part, &&FrequencyTable)| {
        Tail::new(part.suppression).expected_at_zero(table.rest.len as u128)
    };
    let expected: Vec<f64> = parts.iter().zip(tables).map(of).collect();
    if expected.iter().sum::<f64>() <= MOST_FALSE_RECORDS {
        return Ok(expected);
    }
    let values: usize = tables.iter().map(|table| table.rest.len).sum();
    let problem = format!("the sensitive attribute has {values} values, each of which gets noise");
    Err(MethodError::Unfit(
        Problem::new(problem).mend("raise suppression-share or epsilon, or declare fewer values"),
    ))
}

/// The name of a step of the budget.
fn step(step: &str, attribute: Option<&str>) -> String {
    attribute.map_or_else(|| step.to_owned(), |name| velamen_contract::step_of(step, name))
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
